using System.Runtime.InteropServices;

namespace HybridCaching.Tests.Support;

/// <summary>A thread that looks every few milliseconds at what a folder takes, and remembers the most.</summary>
internal sealed partial class FolderSampler : IDisposable
{
    private const int AtCurrentDirectory = -100;
    private const int NoFollow = 0x100;
    private const int SizeAndBlocks = 0x200 | 0x400;
    private const int BlockUnit = 512;
    private static readonly TimeSpan Interval = TimeSpan.FromMilliseconds(2);

    private readonly string _folder;
    private readonly string? _mount;
    private readonly Func<long> _budget;
    private readonly Thread _thread;
    private volatile bool _isOver;

    /// <param name="folder">Which.</param>
    /// <param name="mount">The file system that is the folder's alone, if there is one: then what it says is taken counts as well, files that were deleted while open included.</param>
    /// <param name="budget">What the folder may take at the moment.</param>
    public FolderSampler(string folder, string? mount, Func<long> budget)
    {
        _folder = folder;
        _mount = mount;
        _budget = budget;
        _thread = new Thread(Run) { IsBackground = true };
        _thread.Start();
    }

    /// <summary>How often it has looked.</summary>
    public int Samples { get; private set; }

    /// <summary>The most bytes of blocks allocated for files.</summary>
    public long MostAllocated { get; private set; }

    /// <summary>The greatest sum of the lengths of files.</summary>
    public long MostLength { get; private set; }

    /// <summary>The most that the file system has said to be taken, beyond what it takes when empty.</summary>
    public long MostTaken { get; private set; }

    /// <summary>When more was taken than allowed, before and after it was looked.</summary>
    public List<string> Violations { get; } = [];

    public void Dispose()
    {
        _isOver = true;
        _thread.Join();
    }

    private void Run()
    {
        long empty = Taken();
        while (!_isOver)
        {
            long before = _budget();
            long taken = Taken() - empty;
            var (allocated, length) = Sum();
            long budget = Math.Max(before, _budget());
            (MostTaken, MostAllocated, MostLength) = (Math.Max(taken, MostTaken), Math.Max(allocated, MostAllocated), Math.Max(length, MostLength));
            Samples++;
            if (Math.Max(taken, Math.Max(allocated, length)) > budget && Violations.Count < 10)
                Violations.Add($"sample {Samples}: blocks {allocated}, lengths {length}, taken {taken}, budget {budget}, {Directory.EnumerateFiles(_folder).Count()} files");
            Thread.Sleep(Interval);
        }
    }

    private long Taken()
    {
        if (_mount is null) return 0;
        var drive = new DriveInfo(_mount);
        return drive.TotalSize - drive.TotalFreeSpace;
    }

    /// <summary>Files that go while this is counted count as gone.</summary>
    private (long Allocated, long Length) Sum()
    {
        long allocated = 0, length = 0;
        foreach (string file in Directory.EnumerateFiles(_folder))
        {
            var size = SizeOf(file);
            allocated += size.Allocated;
            length += size.Length;
        }

        return (allocated, length);
    }

    /// <summary>What a file takes, and how long it is; nothing if it is not there.</summary>
    public static unsafe (long Allocated, long Length) SizeOf(string file)
    {
        Status status = default;
        return Statx(AtCurrentDirectory, file, NoFollow, SizeAndBlocks, &status) == 0 ? ((long)status.Blocks * BlockUnit, (long)status.Size) : default;
    }

    [LibraryImport("libc", EntryPoint = "statx", StringMarshalling = StringMarshalling.Utf8)]
    private static unsafe partial int Statx(int directory, string path, int flags, uint mask, Status* status);

    /// <summary>struct statx: the same on every architecture.</summary>
    [StructLayout(LayoutKind.Explicit, Size = 256)]
    private struct Status
    {
        [FieldOffset(40)]
        public ulong Size;

        [FieldOffset(48)]
        public ulong Blocks;
    }
}
