using System.Globalization;
using HybridCaching.Tests.Support;

namespace HybridCaching.Tests.Distributed;

/// <summary>What the garbage collector and the system say, not the cache. Runs alone: the heap is the process's.</summary>
[Collection(nameof(RunsAlone))]
public sealed class BytesMeasuredMemoryTests : IDisposable
{
    private const long GarbageAllowed = 64 << 20;

    private readonly TestDirectory _directory = new();
    private readonly ManualTimeProvider _housekeeping = new();
    private readonly byte[] _bytes = BytesValue.Of("storm", 1, BytesCache.LargestValue);

    [Theory]
    [InlineData("16MB", "64MB", BytesCache.LargestValue)]
    [InlineData("16MB", "64MB", 200)]
    [InlineData("32MB", null, BytesCache.LargestValue)]
    [InlineData("32MB", null, 200)]
    public void Heap_AfterAStorm_HasGrownByNoMoreThanTheBudget(string memory, string? disk, int longest)
    {
        long before = MeasuredHeap.Bytes();
        using var cache = Open(memory, disk);
        Storm(cache, longest);

        MeasuredHeap.AssertWithin(before, cache.GetMemoryUsage().Budget, _housekeeping, cache);
    }

    /// <summary>Memory outside the heap included.</summary>
    [Theory]
    [InlineData("64MB", "128MB")]
    [InlineData("64MB", null)]
    public void Process_InAStorm_GrowsByNoMoreThanTheBudgetAndSomeGarbage(string memory, string? disk)
    {
        long before = ResidentBytes();
        using var cache = Open(memory, disk);
        long most = 0;
        for (int round = 0; round < 6; round++)
        {
            Storm(cache, BytesCache.LargestValue);
            GC.Collect(2, GCCollectionMode.Aggressive, blocking: true, compacting: true);
            most = Math.Max(most, ResidentBytes() - before);
        }

        Assert.InRange(most, long.MinValue, cache.GetMemoryUsage().Budget + GarbageAllowed); // what was freed meanwhile may be more
    }

    [Fact]
    public void Heap_AfterDispose_IsGivenBack()
    {
        long before = MeasuredHeap.Bytes();
        OpenStormAndDispose();

        Until.True(() => GC.GetTotalMemory(forceFullCollection: true) - before < 4 << 20, "the memory of the cache is free again");
    }

    public void Dispose() => _directory.Dispose();

    /// <summary>What the process has of memory that no file is behind.</summary>
    private static long ResidentBytes()
    {
        if (!OperatingSystem.IsLinux()) Assert.Skip("This needs Linux, which tells what a process has of memory that no file is behind.");
        GC.Collect(2, GCCollectionMode.Aggressive, blocking: true, compacting: true);
        string line = File.ReadLines("/proc/self/status").Single(line => line.StartsWith("RssAnon:", StringComparison.Ordinal));
        return long.Parse(line.Split(' ', StringSplitOptions.RemoveEmptyEntries)[^2], CultureInfo.InvariantCulture) << 10;
    }

    private void OpenStormAndDispose()
    {
        using var cache = Open("32MB", "64MB");
        Storm(cache, BytesCache.LargestValue);
    }

    private void Storm(FasterDistributedCache cache, int longest)
    {
        const long Bytes = 96 << 20;
        const int MostEntries = 150_000;
        var random = new Random(longest);
        long left = Bytes;
        for (int i = 0; left > 0 && i < MostEntries; i++)
        {
            int length = BytesValue.AnyLength(random, most: longest);
            cache.Set($"key {i}", new System.Buffers.ReadOnlySequence<byte>(_bytes, 0, length), BytesCache.ForEver);
            if (i % 7 == 0) cache.TryGet($"key {random.Next(i + 1)}", [], out _);
            left -= length;
        }
    }

    private FasterDistributedCache Open(string memory, string? disk) => BytesCache.Open(disk is null ? null : _directory.Path, memory, disk ?? "1GB", housekeeping: _housekeeping);
}
