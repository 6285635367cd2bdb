using HybridCaching.Tests.Support;

namespace HybridCaching.Tests.Configuration;

/// <summary>The garbage collector's own figures, not those that the cache tells. Runs alone: the heap is the process's.</summary>
[Collection(nameof(RunsAlone))]
public sealed class MeasuredMemoryTests : IDisposable
{
    private readonly TestDirectory _directory = new();
    private readonly ManualTimeProvider _housekeeping = new();

    [Theory]
    [InlineData("16MB", "16MB")]
    [InlineData("16MB", "256MB")]
    [InlineData("24MB", null)]
    public void Heap_CacheOfSmallEntries_GrowsByNoMoreThanTheBudget(string memory, string? disk)
    {
        long before = MeasuredHeap.Bytes();
        using var cache = Open<long>(memory, disk);
        for (long key = 0; key < 1_000_000; key++) cache.Set(key, ~key);
        for (long key = 0; key < 1_000_000; key += 17) cache.TryGet(key, out _);

        MeasuredHeap.AssertWithin(before, cache.GetMemoryUsage().Budget, _housekeeping, cache);
    }

    [Theory]
    [InlineData("16MB", "16MB")]
    [InlineData("16MB", "256MB")]
    [InlineData("24MB", null)]
    public void Heap_CacheOfLargeEntries_GrowsByNoMoreThanTheBudget(string memory, string? disk)
    {
        long before = MeasuredHeap.Bytes();
        using var cache = Open<Payload>(memory, disk);
        for (long key = 0; key < 60_000; key++) cache.Set(key, Payload.Of(key));
        for (long key = 0; key < 60_000; key += 7) cache.TryGet(key, out _);

        MeasuredHeap.AssertWithin(before, cache.GetMemoryUsage().Budget, _housekeeping, cache);
    }

    [Fact]
    public void Heap_AfterDispose_IsGivenBack()
    {
        long before = MeasuredHeap.Bytes();
        OpenFillAndDispose();

        Until.True(() => GC.GetTotalMemory(forceFullCollection: true) - before < 4 << 20, "the memory of the cache is free again");
    }

    public void Dispose() => _directory.Dispose();

    private void OpenFillAndDispose()
    {
        using var cache = Open<long>("32MB", "64MB");
        for (long key = 0; key < 500_000; key++) cache.Set(key, ~key);
    }

    private FasterCache<long, TValue> Open<TValue>(string memory, string? disk)
        where TValue : unmanaged => new(
        new FasterCacheOptions
        {
            Directory = disk is null ? null : _directory.Path,
            Name = StampCache.Name,
            MemoryBudget = memory,
            DiskBudget = disk ?? "1GB",
            DiskTimeout = Until.Deadline,
        },
        _housekeeping);
}
