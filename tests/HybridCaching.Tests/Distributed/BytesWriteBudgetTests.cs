using HybridCaching.Tests.Support;

namespace HybridCaching.Tests.Distributed;

/// <summary>What the cache of bytes brings to the disk while the budget for writes is short, and that nothing outdated is seen for it.</summary>
public sealed class BytesWriteBudgetTests : IDisposable
{
    private const int Small = 1_000;
    private const int InPieces = 100_000;

    /// <summary>More than memory holds by itself.</summary>
    private const int PushedBytes = 12 << 20;

    private static readonly ByteSize Extreme = "1B";

    /// <summary>What is written at first comes out of the ten seconds that may come at once; the clock stands still.</summary>
    private static readonly ByteSize TwentyAtOnce = "2MB";

    private readonly TestDirectory _directory = new();
    private readonly ManualTimeProvider _housekeeping = new();
    private int _pushes;

    [Theory]
    [InlineData(Small, 10_000)]
    [InlineData(InPieces, 100)]
    public void Set_NobodyReads_HardlyAnythingIsWritten(int length, int count)
    {
        using var cache = Open(Extreme);
        Fill(cache, length, count, version: 1);

        Assert.InRange(cache.GetStatistics().DiskWrittenBytes, 0, 1 << 20);
        Assert.InRange(cache.GetStatistics().WithheldWrites, 1, count);
    }

    [Theory]
    [InlineData(Small, 10_000)]
    [InlineData(InPieces, 100)]
    public void Get_ReadInMemory_ReachesTheDisk(int length, int count)
    {
        using var cache = Open(Extreme, "48MB");
        Push(cache);
        for (int i = 0; i < count; i++)
        {
            Fill(cache, length, 1, version: 1, first: i);
            CountHits(cache, length, 1, version: 1, first: i);
        }

        Push(cache);

        Assert.InRange(CountHits(cache, length, count, version: 1), count * 0.8, count); // hits are counted in a small table
    }

    [Theory]
    [InlineData(Small, 5_000)]
    [InlineData(InPieces, 50)]
    public void Set_ComesBack_ReachesTheDisk(int length, int count)
    {
        using var cache = Open(Extreme);
        Push(cache);
        Fill(cache, length, count, version: 1);
        Push(cache);
        Assert.InRange(CountHits(cache, length, count, version: 1), 0, count / 50);

        Fill(cache, length, count, version: 2);
        Push(cache);

        Assert.InRange(CountHits(cache, length, count, version: 2), count * 0.9, count);
    }

    [Theory]
    [InlineData(Small, 10_000, false)]
    [InlineData(Small, 10_000, true)]
    [InlineData(InPieces, 100, false)]
    [InlineData(InPieces, 100, true)]
    public void Set_NewestWithheld_TheOlderOnDiskIsNotSeen(int length, int count, bool isReopened)
    {
        var cache = Open(TwentyAtOnce);
        Fill(cache, length, count, version: 1);
        Assert.Equal(0, cache.GetStatistics().WithheldWrites);
        Exhaust(cache);
        Fill(cache, length / 2, count / 2, version: 2);
        Push(cache);
        if (isReopened)
        {
            cache.Dispose();
            cache = Open(TwentyAtOnce);
        }

        using (cache)
        {
            CountHits(cache, length / 2, count / 2, version: 2); // or misses
            Assert.InRange(CountHits(cache, length, count / 2, version: 1, first: count / 2), 1, count / 2);
        }
    }

    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public void Remove_MarkWithheld_TheOlderOnDiskIsNotSeen(bool isReopened)
    {
        var cache = Open(TwentyAtOnce);
        Fill(cache, Small, 10_000, version: 1);
        Exhaust(cache);
        for (int i = 0; i < 5_000; i++) cache.Remove(KeyOf(i));
        Push(cache);
        if (isReopened)
        {
            cache.Dispose();
            cache = Open(TwentyAtOnce);
        }

        using (cache) Assert.Equal(0, CountHits(cache, Small, 5_000, version: 1));
    }

    /// <summary>The copy of a record that is still in memory, but cannot be overwritten in place any more, is on the disk already when its key is stored again: at some distance from the end of the log it is so.</summary>
    [Fact]
    public void Set_CopyOnDiskAlready_IsTheNewest()
    {
        const int Count = 60_000, MostBehind = 40_000;
        using var cache = Open(Extreme, "96MB", memory: "48MB");
        Push(cache);
        var changed = new HashSet<int>();
        for (int i = 0; i < Count; i++)
        {
            Fill(cache, Small, 1, version: 1, first: i);
            CountHits(cache, Small, 1, version: 1, first: i);
            int behind = i - (i * 7 % MostBehind);
            if (changed.Add(behind)) Fill(cache, Small / 2, 1, version: 2, first: behind);
        }

        for (int i = 0; i < 4; i++) Push(cache);

        foreach (int i in changed) CountHits(cache, Small / 2, 1, version: 2, first: i);
    }

    [Fact]
    public void ScanKeysAsync_PagesWithheld_ReturnsWhatReachedTheDisk()
    {
        const int Count = 5_000;
        using var cache = Open(Extreme);
        Push(cache);
        for (int i = 0; i < Count; i++)
        {
            Fill(cache, Small, 1, version: 1, first: i);
            CountHits(cache, Small, 1, version: 1, first: i);
        }

        Push(cache);

        int there = CountHits(cache, Small, Count, version: 1);
        Assert.InRange(cache.ScanKeysAsync("key *", TestContext.Current.CancellationToken).ToListBlocking().Distinct().Count(), there, Count);
    }

    [Fact]
    public void RemoveByPrefixAsync_PagesWithheld_LeavesNothing()
    {
        const int Count = 5_000;
        using var cache = Open(Extreme);
        Push(cache);
        for (int i = 0; i < Count; i++)
        {
            Fill(cache, Small, 1, version: 1, first: i);
            CountHits(cache, Small, 1, version: 1, first: i);
        }

        Push(cache);
        cache.RemoveByPrefixAsync("key", TestContext.Current.CancellationToken).Await();

        Assert.Equal(0, CountHits(cache, Small, Count, version: 1));
    }

    public void Dispose() => _directory.Dispose();

    private static string KeyOf(int i) => $"key {i}";

    private static void Fill(FasterDistributedCache cache, int length, int count, int version, int first = 0)
    {
        for (int i = first; i < first + count; i++) cache.Set(KeyOf(i), BytesValue.Of(KeyOf(i), version, length), BytesCache.ForEver);
    }

    /// <summary>Reads keys; fails on a value of another version; returns how many were hits.</summary>
    private static int CountHits(FasterDistributedCache cache, int length, int count, int version, int first = 0)
    {
        int hits = 0;
        for (int i = first; i < first + count; i++)
        {
            if (cache.Get(KeyOf(i)) is not { } value) continue;
            Assert.True(value.AsSpan().SequenceEqual(BytesValue.Of(KeyOf(i), version, length)), KeyOf(i));
            hits++;
        }

        return hits;
    }

    private void Push(FasterDistributedCache cache) => cache.Push(PushedBytes, _pushes++);

    private void Exhaust(FasterDistributedCache cache)
    {
        while (cache.GetStatistics().WithheldWrites == 0) Push(cache);
    }

    private FasterDistributedCache Open(ByteSize writes, string disk = "64MB", string memory = "16MB") => BytesCache.Open(
        _directory.Path,
        memory,
        disk,
        change: o => (o.TypicalEntryBytes, o.HotTierShare, o.DiskWriteBudget) = ("1KB", 0, writes),
        housekeeping: _housekeeping);
}
