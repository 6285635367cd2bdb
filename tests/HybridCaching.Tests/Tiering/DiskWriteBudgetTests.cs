using HybridCaching.Devices;
using HybridCaching.Tests.Concurrency;
using HybridCaching.Tests.Support;

namespace HybridCaching.Tests.Tiering;

/// <summary>What reaches the disk while the budget for writes is short, and that nothing outdated is seen for it.</summary>
public sealed class DiskWriteBudgetTests(ITestOutputHelper output) : IDisposable
{
    /// <summary>Many times what memory holds, but less than the disk.</summary>
    private const int Many = 300_000;

    /// <summary>More than memory holds by itself.</summary>
    private const int PushesAllOut = 600_000;

    private static readonly ByteSize Extreme = "1B";
    private static readonly ByteSize Plenty = "1GB";

    private readonly TestDirectory _directory = new();
    private readonly CollectingLoggerFactory _log = new();
    private readonly ManualTimeProvider _housekeeping = new();
    private long _pushes;

    [Fact]
    public void Open_DiskTooSmallForAChoice_IsRefusedByNameAndValue()
    {
        var refusal = Assert.Throws<ArgumentException>(() => Open("1KB", o => (o.Name, o.DiskBudget) = ("small", "6MB")));

        Assert.StartsWith("Cache small: DiskWriteBudget 1KB needs a larger DiskBudget than 6MB", refusal.Message, StringComparison.Ordinal);
        Assert.Equal(nameof(FasterCacheOptions.DiskWriteBudget), refusal.ParamName);
    }

    [Fact]
    public void Open_WithTheDiskThatARefusalNames_Works()
    {
        var refusal = Assert.Throws<ArgumentException>(() => Open("1KB", o => o.DiskBudget = "6MB"));
        string enough = refusal.Message.Split("keep what its log lets go: ")[1].Split(' ')[0];

        using var cache = Open("1KB", o => o.DiskBudget = enough);
        Assert.NotEqual(0, cache.Tiers.Plan.SettledSegments);
    }

    [Fact]
    public void Set_LessThanTheBudget_AllIsKept()
    {
        using var cache = Open(Plenty);
        cache.Fill(0, Many, version: 1);

        Assert.InRange(cache.CountHits(0, Many, version: 1), Many * 0.999, Many);
        Assert.Equal(0, cache.GetStatistics().WithheldWrites);
    }

    [Fact]
    public void Set_LessThanTheBudget_WritesAsMuchAsWithoutOne()
    {
        long without = WrittenAfterFilling(null);
        long with = WrittenAfterFilling(Plenty);

        Assert.InRange(with, without * 0.98, without * 1.02);
    }

    [Fact]
    public void Set_NobodyReads_HardlyAnythingIsWritten()
    {
        using var cache = Open(Extreme);
        cache.Fill(0, Many, version: 1);

        Assert.InRange(cache.GetStatistics().DiskWrittenBytes, 0, 1 << 20);
        Assert.InRange(cache.GetStatistics().WithheldWrites, Many / 4, Many);
    }

    [Fact]
    public void Set_NobodyReads_CountsAddUp()
    {
        using var cache = Open(Extreme);
        cache.Fill(0, Many, version: 1);

        var statistics = cache.GetStatistics();
        Assert.InRange(cache.EstimatedCount + statistics.Evictions + statistics.WithheldWrites, Many * 0.95, Many * 1.15); // what was looked through and has not left memory is counted twice
        Assert.InRange(cache.CountHits(0, Many, version: 1), cache.EstimatedCount * 0.9, cache.EstimatedCount * 1.1);
    }

    [Fact]
    public void Get_ReadInMemory_ReachesTheDisk()
    {
        using var cache = Open(Extreme, o => o.HotTierShare = 0);
        Exhaust(cache);
        FillAndReadEverySecond(cache);
        Push(cache);

        Assert.InRange(CountOdd(cache), (Many / 2) * 0.9, Many / 2);
        Assert.InRange(cache.GetStatistics().DiskWrittenBytes, 0, (Many / 2) * 64 * 1.5);
    }

    [Fact]
    public void Set_ComesBack_ReachesTheDisk()
    {
        const int Wanted = 20_000;
        using var cache = Open(Extreme, o => o.HotTierShare = 0);
        Exhaust(cache);
        cache.Fill(0, Wanted, version: 1);
        Push(cache);
        Assert.InRange(cache.CountHits(0, Wanted, version: 1), 0, 50); // some are taken for ones that have come back

        cache.Fill(0, Wanted, version: 2);
        Push(cache);

        Assert.InRange(cache.CountHits(0, Wanted, version: 2), Wanted * 0.8, Wanted);
    }

    [Fact]
    public void Replay_MissesFollowedBySets_WritesThreeTenthsOfTheRequestsAtMost()
    {
        const int Requests = 3_000_000, Keys = 1_000_000, RecordBytes = 56;
        using var cache = Open(Extreme, o => (o.MemoryBudget, o.DiskBudget) = ("14MB", "16MB"));
        var random = new Random(1);
        int hits = 0;
        for (int i = 0; i < Requests; i++)
        {
            long key = (long)(Keys * Math.Pow(random.NextDouble(), 3)); // Zipf with a skew of two thirds
            if (cache.CountHits(key, 1, version: 1) > 0) hits++;
            else cache.Fill(key, 1, version: 1);
        }

        var statistics = cache.GetStatistics();
        output.WriteLine($"{hits} hits, {statistics}");
        Assert.InRange(statistics.DiskWrittenBytes / (double)RecordBytes / Requests, 0.02, 0.30);
        Assert.InRange(hits, Requests * 0.3, Requests);
        Assert.True(statistics.Evictions > 0, "the main log was full");
    }

    [Fact]
    public void Set_BudgetIsFilledAgain_PagesAreWrittenAgain()
    {
        using var cache = Open("2MB", o => o.HotTierShare = 0);
        cache.Fill(0, 3 * Many, version: 1);
        Assert.True(cache.GetStatistics().WithheldWrites > 0, "the budget was short");
        cache.Tiers.Flush(); // nothing is on its way any more
        _housekeeping.Advance(TimeSpan.FromSeconds(30));

        long withheld = cache.GetStatistics().WithheldWrites;
        long written = cache.GetStatistics().DiskWrittenBytes;
        cache.Fill(3 * Many, Many, version: 1);

        Assert.Equal(withheld, cache.GetStatistics().WithheldWrites);
        Assert.True(cache.GetStatistics().DiskWrittenBytes > written + (4 << 20), "pages were written");
    }

    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public void Set_NewestWithheld_TheOlderOnDiskIsNotSeen(bool isReopened)
    {
        const int Changed = 50_000;
        var cache = Open("2MB", o => o.HotTierShare = 0);
        cache.Fill(0, Many, version: 1);
        Assert.Equal(0, cache.GetStatistics().WithheldWrites);
        Exhaust(cache);
        cache.Fill(0, Changed, version: 2);
        Push(cache);
        if (isReopened)
        {
            cache.Dispose();
            cache = Open("2MB", o => o.HotTierShare = 0);
        }

        using (cache)
        {
            cache.CountHits(0, Changed, version: 2); // or misses
            Assert.InRange(cache.CountHits(Changed, Many - Changed, version: 1), 1, Many);
        }
    }

    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public void Remove_MarkWithheld_TheOlderOnDiskIsNotSeen(bool isReopened)
    {
        const int Removed = 50_000;
        var cache = Open("2MB", o => o.HotTierShare = 0);
        cache.Fill(0, Many, version: 1);
        Exhaust(cache);
        for (int key = 0; key < Removed; key++) cache.Remove(key);
        Push(cache);
        if (isReopened)
        {
            cache.Dispose();
            cache = Open("2MB", o => o.HotTierShare = 0);
        }

        using (cache) Assert.Equal(0, cache.CountHits(0, Removed, version: 1));
    }

    /// <summary>The copy of a record that is still in memory is on the disk already when its key is stored again.</summary>
    [Fact]
    public void Set_CopyOnDiskAlready_IsTheNewest()
    {
        using var cache = Open(Extreme, o => o.HotTierShare = 0);
        Exhaust(cache);
        for (int first = 0; first < Many; first += 5_000)
        {
            cache.Fill(first, 5_000, version: 1);
            cache.CountHits(first, 5_000, version: 1);
            if (first > 0) cache.Fill(first - 5_000, 5_000, version: 2);
        }

        Push(cache);

        cache.CountHits(0, Many - 5_000, version: 2);
    }

    [Fact]
    public void Clear_CopiesOnDisk_AreGone()
    {
        using var cache = Open(Extreme);
        Exhaust(cache);
        FillAndReadEverySecond(cache);

        cache.Clear();
        Push(cache);

        Assert.Equal(0, cache.CountHits(0, Many, version: 1));
    }

    [Fact]
    public void Reopen_PagesWithheld_WhatReachedTheDiskIsWarm()
    {
        int before;
        using (var cache = Open(Extreme, o => o.HotTierShare = 0))
        {
            Exhaust(cache);
            FillAndReadEverySecond(cache);
            Push(cache);
            before = CountOdd(cache);
        }

        using var again = Open(Extreme, o => o.HotTierShare = 0);

        Assert.InRange(CountOdd(again), before * 0.99, before);
        Assert.Empty(_log.Warnings);
        Assert.Equal(0, again.GetStatistics().CorruptEntries);
    }

    [Fact]
    public async Task CheckpointAsync_PagesAreOffered_IsWrittenAndUsable()
    {
        using var cache = Open(Extreme, o => o.HotTierShare = 0);
        Exhaust(cache);
        for (int round = 0; round < 5; round++)
        {
            cache.Fill(round * 20_000, 20_000, version: 1);
            Assert.True(await cache.Tiers.CheckpointAsync(TestContext.Current.CancellationToken).WaitAsync(Until.Deadline, TestContext.Current.CancellationToken));
        }

        Assert.InRange(cache.CountHits(80_000, 20_000, version: 1), 1, 20_000);
    }

    [Fact]
    public void Set_WritesToTheMainLogHang_CallsEnd()
    {
        using var cache = Open(Extreme, o => (o.HotTierShare, o.DiskTimeout) = (0, TimeSpan.FromMilliseconds(20)), TimeProvider.System);
        Exhaust(cache);
        using var gate = new DiskGate(cache.Tiers.Device!, IoKind.Write);
        gate.Close();

        Crew.MustEnd("Set", () =>
        {
            for (int first = Many; gate.Held == 0; first += 1_000) FillAndReadEverySecond(cache, 1_000, first);
            FillAndReadEverySecond(cache, 20_000);
        });
        gate.Open();

        Until.True(() => WasStored(cache), "the disk is used again");
    }

    /// <summary>Files are taken away while pages wait to be looked through.</summary>
    [Fact]
    public void Set_FolderIsGivenUp_CallsEnd()
    {
        using var cache = Open(Extreme, o => o.DiskTimeout = Until.Deadline);
        Exhaust(cache);
        Crew.Run(2, me =>
        {
            if (me == 0) FillAndReadEverySecond(cache, 100_000);
            else cache.Tiers.Device!.Detach()?.Dispose();
        });

        Assert.True(WasStored(cache));
    }

    [Fact]
    public void Flush_BudgetIsShort_BringsWhatIsInMemoryToTheDisk()
    {
        using var cache = Open(Extreme);
        Exhaust(cache);
        long before = cache.GetStatistics().DiskWrittenBytes;
        const int InMemory = 1 << 20;

        cache.Tiers.Flush();

        Assert.True(cache.GetStatistics().DiskWrittenBytes - before > InMemory, "it was written");
    }

    [Fact]
    public async Task EnumerateAsync_PagesWithheld_ReturnsWhatReachedTheDiskOnce()
    {
        using var cache = Open(Extreme, o => o.HotTierShare = 0);
        Exhaust(cache);
        FillAndReadEverySecond(cache);
        Push(cache);

        var keys = new List<long>();
        await foreach (var (key, value) in cache.EnumerateAsync(TestContext.Current.CancellationToken))
        {
            Assert.True(value.IsGenuine(key));
            keys.Add(key);
        }

        Assert.Equal(keys.Count, keys.Distinct().Count());
        Assert.InRange(keys.Count(key => key < Many), CountOdd(cache) * 0.99, Many / 2);
    }

    [Fact]
    public void Get_PagesWithheld_IsNoTroubleOfTheDisk()
    {
        using var cache = Open(Extreme);
        cache.Fill(0, Many, version: 1);
        cache.CountHits(0, Many, version: 1);

        var statistics = cache.GetStatistics();
        Assert.Equal((0, 0, 0, null), (statistics.DiskWriteErrors, statistics.DiskReadErrors, statistics.CorruptEntries, statistics.DiskTroubleReason));
    }

    public void Dispose() => _directory.Dispose();

    private long WrittenAfterFilling(ByteSize? budget)
    {
        using var directory = new TestDirectory();
        using var cache = StampCache.Open(directory.Path, _log, o => (o.MemoryBudget, o.DiskBudget, o.DiskWriteBudget) = ("32MB", "64MB", budget), _housekeeping);
        cache.Fill(0, 2 * Many, version: 1);
        cache.Tiers.Flush(); // how much of it is still on its way is another matter
        return cache.GetStatistics().DiskWrittenBytes;
    }

    /// <summary>Uses up what may be written; the clock stands still.</summary>
    private static void Exhaust(FasterCache<long, Stamp> cache)
    {
        for (long first = 10_000_000; cache.GetStatistics().WithheldWrites == 0; first += 10_000) cache.Fill(first, 10_000, version: 1);
    }

    private static bool WasStored(FasterCache<long, Stamp> cache)
    {
        cache.Fill(1, 1, version: 3);
        return cache.TryGetFromMemory(1, out var value) && value == Stamp.Of(1, 3);
    }

    private static void FillAndReadEverySecond(FasterCache<long, Stamp> cache, int count = Many, int first = 0)
    {
        for (int key = first; key < first + count; key++)
        {
            cache.Fill(key, 1, version: 1);
            if ((key & 1) != 0) cache.CountHits(key, 1, version: 1);
        }
    }

    private static int CountOdd(FasterCache<long, Stamp> cache) => Enumerable.Range(0, Many / 2).Sum(i => cache.CountHits((2 * i) + 1, 1, version: 1));

    private void Push(FasterCache<long, Stamp> cache) => cache.Fill(50_000_000 + (PushesAllOut * _pushes++), PushesAllOut, version: 1);

    private FasterCache<long, Stamp> Open(ByteSize? budget, Action<FasterCacheOptions>? change = null, TimeProvider? housekeeping = null) => StampCache.Open(
        _directory.Path,
        _log,
        o =>
        {
            (o.MemoryBudget, o.DiskBudget, o.DiskWriteBudget) = ("32MB", "64MB", budget);
            change?.Invoke(o);
        },
        housekeeping ?? _housekeeping);
}
