using System.Runtime.InteropServices;
using HybridCaching.Configuration;
using HybridCaching.Devices;

namespace HybridCaching.Tests.Devices;

/// <summary>A device over files in a folder of its own, called as FASTER calls it; every call waits for its callback.</summary>
internal sealed unsafe class DeviceUnderTest : IDisposable
{
    public const int Block = MemoryPlan.BlockBytes;
    public const int SegmentBlocks = 16;
    public const int SegmentBytes = SegmentBlocks * Block;

    private readonly TestDirectory _directory = new();

    public DeviceUnderTest(int maximumSegments = 4, int threads = 2, bool attach = true)
    {
        Folder = CacheFolder.Open(_directory.Combine("cache"));
        Device = new LogDevice("test", SegmentBytes, threads);
        Device.Initialize(SegmentBytes);
        MaximumSegments = maximumSegments;
        if (attach) Attach();
    }

    public CacheFolder Folder { get; }

    public LogDevice Device { get; }

    public int MaximumSegments { get; }

    /// <summary>The names of the segment files on disk.</summary>
    public IEnumerable<string> Files => Directory.EnumerateFiles(Folder.Path, "log-*").Select(Path.GetFileName).OfType<string>().Order();

    public void Attach() => Device.Attach(new SegmentFiles(Folder, "log", MaximumSegments));

    public string PathOf(int segment) => Path.Combine(Folder.Path, $"log-{segment:D8}");

    public static byte[] Pattern(int blocks, int seed)
    {
        byte[] bytes = new byte[blocks * Block];
        new Random(seed).NextBytes(bytes);
        return bytes;
    }

    public static void AssertZeros(ReadOnlySpan<byte> bytes) => Assert.False(bytes.ContainsAnyExcept((byte)0), "only zeros");

    /// <summary>Writes and waits; returns the code and the length that the callback got.</summary>
    public (uint Error, uint Length) Write(int segment, int block, byte[] bytes)
    {
        using var done = new ManualResetEventSlim();
        (uint Error, uint Length) result = default;
        var memory = new AlignedBuffer(bytes.Length);
        bytes.CopyTo(memory.Bytes);
        Device.WriteAsync(memory.Address, segment, (ulong)(block * Block), (uint)bytes.Length, (error, length, _) => Finish(error, length, ref result, done), new object());
        Assert.True(done.Wait(Support.Until.Deadline), "the write ends");
        memory.Dispose();
        return result;
    }

    /// <summary>Reads and waits.</summary>
    public byte[] Read(int segment, int block, int blocks)
    {
        using var done = new ManualResetEventSlim();
        (uint Error, uint Length) result = default;
        var memory = new AlignedBuffer(blocks * Block);
        memory.Bytes.Fill(0xEE);
        Device.ReadAsync(segment, (ulong)(block * Block), memory.Address, (uint)(blocks * Block), (error, length, _) => Finish(error, length, ref result, done), new object());
        Assert.True(done.Wait(Support.Until.Deadline), "the read ends");
        byte[] bytes = memory.Bytes.ToArray();
        memory.Dispose();
        Assert.Equal((0u, (uint)bytes.Length), result);
        return bytes;
    }

    public void Remove(int segment)
    {
        using var done = new ManualResetEventSlim();
        Device.RemoveSegmentAsync(segment, _ => done.Set(), null!);
        Assert.True(done.Wait(Support.Until.Deadline), "the removal ends");
    }

    public void Dispose()
    {
        Device.Dispose();
        Folder.Dispose();
        _directory.Dispose();
    }

    private static void Finish(uint error, uint length, ref (uint Error, uint Length) result, ManualResetEventSlim done)
    {
        result = (error, length);
        done.Set();
    }

    /// <summary>Memory that does not move, as FASTER's pages do not.</summary>
    public readonly struct AlignedBuffer : IDisposable
    {
        private readonly void* _memory;
        private readonly int _length;

        public AlignedBuffer(int length)
        {
            _memory = NativeMemory.AlignedAlloc((nuint)length, Block);
            _length = length;
        }

        public nint Address => (nint)_memory;

        public Span<byte> Bytes => new(_memory, _length);

        public void Dispose() => NativeMemory.AlignedFree(_memory);
    }
}
