using HybridCaching.Tests.Concurrency;

namespace HybridCaching.Tests.Distributed;

/// <summary>The whole cache under everything at once: what is read is whole, its key's, and never older than what was known before the read began.</summary>
public sealed class BytesStressTests(ITestOutputHelper output) : IDisposable
{
    private const int FewKeys = 40 * BytesStressRun.Threads;

    /// <summary>More than small budgets hold.</summary>
    private const int ManyKeys = 200 * BytesStressRun.Threads;

    private const double Seconds = 3;
    private static readonly TimeSpan ShortTimeout = TimeSpan.FromMilliseconds(50);

    private readonly TestDirectory _directory = new();

    public void Dispose() => _directory.Dispose();

    [Fact]
    public void Calls_InMemoryOnly_NeverGiveWhatIsOutOfDate() => RunInMemory(Duration.Of(Seconds));

    [Fact]
    public void Calls_InMemoryOnlyAndFull_NeverGiveWhatIsOutOfDate()
    {
        using var cache = BytesCache.Open(directory: null, "16MB");
        Run(cache, new BytesHistory(BytesStressRun.Names(ManyKeys)), Duration.Of(Seconds / 2), seed: 2);
    }

    [Fact]
    public void Calls_MostOnDisk_NeverGiveWhatIsOutOfDate() => RunOnDisk(Duration.Of(Seconds));

    [Fact]
    public void Calls_FaultySlowDisk_NeverGiveWhatIsOutOfDate() => RunOnFaultyDisk(Duration.Of(Seconds));

    /// <summary>Bits flip on the disk while it is read, moved and written.</summary>
    [Fact]
    public void Calls_BlocksAreDamaged_NeverGiveWhatIsOutOfDate() => RunOnDamagedDisk(Duration.Of(Seconds));

    [Fact]
    [Trait("Category", "Soak")]
    public void Calls_BlocksAreDamagedForLong_NeverGiveWhatIsOutOfDate() => RunOnDamagedDisk(Duration.OfSoak());

    /// <summary>Hardly a page is written: what reaches the disk is chosen while it is in memory.</summary>
    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public void Calls_NothingMayBeWritten_NeverGiveWhatIsOutOfDate(bool isFaulty) => RunWithLittleToWrite(Duration.Of(Seconds), "1B", isFaulty);

    /// <summary>Pages are written and withheld by turns.</summary>
    [Fact]
    public void Calls_SomeMayBeWritten_NeverGiveWhatIsOutOfDate() => RunWithLittleToWrite(Duration.Of(Seconds), "512KB", isFaulty: true);

    [Theory]
    [Trait("Category", "Soak")]
    [InlineData("1B")]
    [InlineData("512KB")]
    public void Calls_LittleMayBeWrittenForLong_NeverGiveWhatIsOutOfDate(string writes) => RunWithLittleToWrite(Duration.OfSoak(), writes, isFaulty: true);

    [Fact]
    public void Calls_TinyHotTier_NeverGiveWhatIsOutOfDate() => RunWithTinyHotTier(Duration.Of(Seconds));

    /// <summary>Copies come and go, are spared and moved, in an arena that is used anew all the time.</summary>
    [Fact]
    public void Calls_BusyHotTier_NeverGiveWhatIsOutOfDate() => RunWithBusyHotTier(Duration.Of(Seconds));

    /// <summary>What is stored again and again is in its copy alone, which the arena has to keep.</summary>
    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public void Calls_StoredAgainAndAgain_NeverGiveWhatIsOutOfDate(bool isFaulty) => RunSteadily(Duration.Of(Seconds), isFaulty);

    [Fact]
    [Trait("Category", "Soak")]
    public void Calls_StoredAgainAndAgainForLong_NeverGiveWhatIsOutOfDate() => RunSteadily(Duration.OfSoak(), isFaulty: true);

    [Fact]
    [Trait("Category", "Soak")]
    public void Calls_BusyHotTierForLong_NeverGiveWhatIsOutOfDate() => RunWithBusyHotTier(Duration.OfSoak());

    /// <summary>Keys that are in memory when they are met may be on the disk when they are looked at more closely.</summary>
    [Fact]
    public void RemoveByPrefixAsync_PagesLeaveMemoryMeanwhile_RemovesAll()
    {
        const int Writers = 2;
        const int Looked = 20_000;
        using var cache = BytesCache.Open(_directory.Path, disk: "24MB", change: o => o.HotTierShare = 0);
        var duration = Duration.Of(Seconds / 2);
        byte[] value = BytesValue.Of("key", 1, 200);
        int[] stored = new int[Writers];
        int left = 0;
        Crew.Run(Writers + 1, me =>
        {
            while (!duration.IsOver)
            {
                if (me < Writers)
                {
                    for (int i = 0; i < 100; i++)
                    {
                        cache.Set($"{me}:{stored[me]}", value, BytesCache.ForEver);
                        Volatile.Write(ref stored[me], stored[me] + 1);
                    }

                    continue;
                }

                int first = Volatile.Read(ref stored[0]);
                cache.RemoveByPrefixAsync("0:").Await();
                for (int i = Math.Max(0, first - Looked); i < first; i++) left += cache.Get($"0:{i}") is null ? 0 : 1;
            }
        });

        Assert.Equal(0, left);
    }

    [Fact]
    [Trait("Category", "Soak")]
    public void Calls_InMemoryOnlyForLong_NeverGiveWhatIsOutOfDate() => RunInMemory(Duration.OfSoak());

    [Fact]
    [Trait("Category", "Soak")]
    public void Calls_MostOnDiskForLong_NeverGiveWhatIsOutOfDate() => RunOnDisk(Duration.OfSoak());

    [Fact]
    [Trait("Category", "Soak")]
    public void Calls_FaultySlowDiskForLong_NeverGiveWhatIsOutOfDate() => RunOnFaultyDisk(Duration.OfSoak());

    [Fact]
    [Trait("Category", "Soak")]
    public void Calls_TinyHotTierForLong_NeverGiveWhatIsOutOfDate() => RunWithTinyHotTier(Duration.OfSoak());

    private void RunInMemory(Duration duration)
    {
        using var cache = BytesCache.Open(directory: null, "64MB");
        Run(cache, new BytesHistory(BytesStressRun.Names(FewKeys)), duration, seed: 1);
    }

    /// <summary>Closes and opens the cache between the runs; what it then still knows is judged, too.</summary>
    private void RunOnDisk(Duration duration)
    {
        var history = new BytesHistory(BytesStressRun.Names(ManyKeys));
        long diskHits = 0;
        for (int run = 0; !duration.IsOver; run++)
        {
            using var cache = BytesCache.Open(_directory.Path);
            diskHits += Run(cache, history, Duration.Of(Seconds / 2), seed: 3 + run).Statistics.DiskHits;
        }

        Assert.True(diskHits > 100, $"only {diskHits} hits on the disk");
    }

    /// <summary>Closes and opens the cache between the runs, so that checkpoints over what was withheld are judged, too.</summary>
    private void RunWithLittleToWrite(Duration duration, ByteSize writes, bool isFaulty)
    {
        var history = new BytesHistory(BytesStressRun.Names(ManyKeys));
        long withheld = 0;
        for (int run = 0; !duration.IsOver; run++)
        {
            using var cache = BytesCache.Open(_directory.Path, change: o => (o.DiskTimeout, o.DiskWriteBudget) = (ShortTimeout, writes));
            withheld += Run(cache, history, Duration.Of(Seconds / 2), seed: 7 + run, isFaulty ? new StressDisk(7 + run, 3 * ShortTimeout) : null, longestValue: 40_000).Statistics.WithheldWrites;
        }

        Assert.True(withheld > 0, "the budget was short");
    }

    private void RunOnFaultyDisk(Duration duration)
    {
        using var cache = BytesCache.Open(_directory.Path, change: o => o.DiskTimeout = ShortTimeout);
        var statistics = Run(cache, new BytesHistory(BytesStressRun.Names(ManyKeys)), duration, seed: 4, new StressDisk(4, 3 * ShortTimeout)).Statistics;

        Assert.True(statistics.DiskReadErrors > 0 && statistics.DiskWriteErrors > 0, $"the disk has not failed: {statistics}");
    }

    /// <summary>Closes and opens the cache between the runs; what it then still finds of a damaged log is judged, too.</summary>
    private void RunOnDamagedDisk(Duration duration)
    {
        var history = new BytesHistory(BytesStressRun.Names(ManyKeys));
        var damage = new DiskDamage(BytesCache.FolderIn(_directory.Path));
        long corrupt = 0;
        for (int run = 0; run < 2 || !duration.IsOver; run++)
        {
            using var cache = BytesCache.Open(_directory.Path, change: o => o.DiskTimeout = ShortTimeout);
            var untilMet = Duration.Of(Seconds / 2, () => cache.GetStatistics().CorruptEntries > 0);
            corrupt += Run(cache, history, untilMet, seed: 30 + run, new StressDisk(30 + run, 3 * ShortTimeout), damage: damage).Statistics.CorruptEntries;
        }

        Assert.True(damage.Count > 0 && corrupt > 0, $"{damage.Count} bytes damaged, {corrupt} corrupt entries met");
    }

    /// <summary>Small values, so that most of what is read comes from a hot tier that holds a part of them.</summary>
    private void RunWithBusyHotTier(Duration duration)
    {
        using var cache = BytesCache.Open(_directory.Path, "24MB", change: o =>
        {
            o.HotTierShare = 0.95;
            o.TypicalEntryBytes = "1KB";
        });
        byte[] filler = BytesValue.Of("filler", 1, 4000);
        for (int i = 0; cache.GetMemoryUsage().HotTier < 2 << 20; i++)
        {
            Assert.True(i < 100_000, "the hot tier does not grow");
            cache.Set($"filler:{i}", filler, BytesCache.ForEver);
        }

        Run(cache, new BytesHistory(BytesStressRun.Names(4 * ManyKeys)), duration, seed: 6, longestValue: 4000);
    }

    /// <summary>Closes and opens the cache between the runs.</summary>
    private void RunSteadily(Duration duration, bool isFaulty)
    {
        var history = new BytesHistory(BytesStressRun.Names(16 * ManyKeys));
        long unlogged = 0;
        for (int run = 0; !duration.IsOver; run++)
        {
            using var cache = BytesCache.Open(_directory.Path, change: o => (o.DiskTimeout, o.TypicalEntryBytes) = (ShortTimeout, "1KB"));
            unlogged += Run(cache, history, Duration.Of(Seconds / 2), seed: 8 + run, isFaulty ? new StressDisk(8 + run, 3 * ShortTimeout) : null, longestValue: 4000, isSteady: true).MostUnlogged;
        }

        Assert.True(unlogged > 0, "no entry was in its copy alone");
    }

    /// <summary>Small values, many of which come and go in little room.</summary>
    private void RunWithTinyHotTier(Duration duration)
    {
        using var cache = BytesCache.Open(_directory.Path, change: o =>
        {
            o.HotTierShare = 0.05;
            o.TypicalEntryBytes = "1KB";
        });
        var statistics = Run(cache, new BytesHistory(BytesStressRun.Names(2 * ManyKeys)), duration, seed: 5, longestValue: 20_000).Statistics;

        Assert.True(statistics.DiskHits > 100, "the disk took part");
    }

    private (CacheStatistics Statistics, long MostUnlogged) Run(
        FasterDistributedCache cache, BytesHistory history, Duration duration, int seed, StressDisk? disk = null, int longestValue = BytesCache.LargestValue, bool isSteady = false, DiskDamage? damage = null)
    {
        var run = new BytesStressRun(cache, history, duration, seed) { Disk = disk, Damage = damage, LongestValue = longestValue, IsSteady = isSteady };
        run.Go();
        var statistics = cache.GetStatistics();
        output.WriteLine($"{run.Hits} hits, at most {run.MostUnlogged} unlogged copies, {cache.GetMemoryUsage()}, {statistics}");
        Assert.True(run.Violations.Count == 0, string.Join('\n', run.Violations));
        Assert.True(run.Hits > 1000, $"only {run.Hits} hits");
        Crew.MustEnd("Dispose", cache.Dispose);
        return (statistics, run.MostUnlogged);
    }
}
