using HybridCaching.Diagnostics;
using HybridCaching.Tests.Support;

namespace HybridCaching.Tests.Configuration;

/// <summary>After a change of the budgets, the garbage collector's own figures. Runs alone: the heap is the process's.</summary>
[Collection(nameof(RunsAlone))]
public sealed class ResizedMemoryTests : IDisposable
{
    private readonly TestDirectory _directory = new();
    private readonly ManualTimeProvider _housekeeping = new();

    [Theory]
    [InlineData("64MB", "32MB", "256MB")]
    [InlineData("64MB", "40MB", "64MB")]
    [InlineData("64MB", "32MB", null)]
    [InlineData("16MB", "64MB", "256MB")]
    [InlineData("16MB", "64MB", null)]
    public void Heap_ResizedAndFilled_GrowsByNoMoreThanTheNewBudget(string memory, string newMemory, string? disk)
    {
        long before = MeasuredHeap.Bytes();
        using var cache = new FasterCache<long, long>(
            new FasterCacheOptions { Directory = disk is null ? null : _directory.Path, Name = StampCache.Name, MemoryBudget = memory, DiskBudget = disk ?? "1GB", DiskTimeout = Until.Deadline },
            _housekeeping);
        for (long key = 0; key < 1_000_000; key++) cache.Set(key, ~key);
        cache.Resize(newMemory, disk ?? "0");
        for (long key = 0; key < 1_000_000; key++) cache.Set(key * 7919, ~key);

        MeasuredHeap.AssertWithin(before, ((ByteSize)newMemory).Bytes, _housekeeping, cache);
    }

    /// <summary>What FASTER's index takes less than planned is not the same after the change: less was planned then.</summary>
    [Fact]
    public void Resize_SmallerThanBefore_HotTierHasGivenUpEnoughOnceThePagesAreGone()
    {
        using var cache = new FasterCache<long, long>(
            new FasterCacheOptions { Directory = _directory.Path, MemoryBudget = "48MB", DiskBudget = "256MB", DiskTimeout = Until.Deadline },
            _housekeeping);
        for (long key = 0; key < 400_000; key++) cache.Set(key, ~key);
        cache.Resize("100MB", "256MB");
        for (long key = 0; key < 400_000; key++) cache.Set(key, ~key);
        MemoryUsage pagesGone = default;
        Fault.Reached = point =>
        {
            if (point == "resize.pages-gone") pagesGone = cache.GetMemoryUsage();
        };

        cache.Resize("30MB", "256MB");

        Assert.InRange(pagesGone.Total, 1, 30 << 20);
    }

    public void Dispose()
    {
        Fault.Reached = null;
        _directory.Dispose();
    }
}
