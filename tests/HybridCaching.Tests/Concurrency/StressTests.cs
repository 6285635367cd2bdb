namespace HybridCaching.Tests.Concurrency;

/// <summary>The whole cache under everything at once, with data that neither memory nor disk can hold.</summary>
public sealed class StressTests(ITestOutputHelper output) : IDisposable
{
    private const int Keys = 30_000 * StressRun.Threads;
    private const int SecondsPerRun = 6;
    private const string TooSmallToKeep = "5600KB";
    private const string LargeEnoughToKeep = "12MB";
    private const string Extreme = "1B";
    private const string Half = "512KB";
    private const string Name = "stress";

    /// <summary>What has to happen, or else nothing was shown.</summary>
    private static readonly Func<CacheStatistics, long>[] Parts = [run => run.DiskHits, run => run.DiskReadErrors, run => run.DiskWriteErrors, run => run.Timeouts, run => run.ExpiredMisses];

    private readonly TestDirectory _directory = new();

    public void Dispose() => _directory.Dispose();

    [Theory]
    [InlineData(TooSmallToKeep, 2)]
    [InlineData(LargeEnoughToKeep, 2)]
    public void Calls_FaultySlowDiskTooSmall_NeverGiveWhatIsOutOfDate(string disk, int runs) => Run(disk, Duration.Of(runs * SecondsPerRun - 1));

    /// <summary>Hardly a page is written: what reaches the disk is chosen while it is in memory.</summary>
    [Fact]
    public void Calls_FaultySlowDiskNothingMayBeWritten_NeverGiveWhatIsOutOfDate() => Run(LargeEnoughToKeep, Duration.Of(SecondsPerRun - 1), Extreme);

    /// <summary>Pages are written and withheld by turns.</summary>
    [Fact]
    public void Calls_FaultySlowDiskHalfMayBeWritten_NeverGiveWhatIsOutOfDate() => Run(LargeEnoughToKeep, Duration.Of(SecondsPerRun - 1), Half);

    /// <summary>Bits flip on the disk while it is read, moved and written.</summary>
    [Fact]
    public void Calls_BlocksAreDamaged_NeverGiveWhatIsOutOfDate() => Run(LargeEnoughToKeep, Duration.Of(SecondsPerRun - 1), isDamaged: true);

    [Theory]
    [Trait("Category", "Soak")]
    [InlineData(Extreme)]
    [InlineData(Half)]
    public void Calls_FaultySlowDiskLittleMayBeWrittenForLong_NeverGiveWhatIsOutOfDate(string writes) => Run(LargeEnoughToKeep, Duration.OfSoak(), writes);

    [Theory]
    [Trait("Category", "Soak")]
    [InlineData(TooSmallToKeep)]
    [InlineData(LargeEnoughToKeep)]
    public void Calls_FaultySlowDiskTooSmallForLong_NeverGiveWhatIsOutOfDate(string disk) => Run(disk, Duration.OfSoak());

    /// <summary>Closes and opens the cache between the runs; what it then still knows is judged, too.</summary>
    private void Run(string disk, Duration duration, string? writes = null, bool isDamaged = false)
    {
        var history = new StressHistory(Keys);
        var runs = new List<CacheStatistics>();
        var damage = isDamaged ? new DiskDamage(Path.Combine(_directory.Path, Name)) : null;
        for (int run = 1; !duration.IsOver; run++)
        {
            using var cache = Open(disk, writes);
            long hotTier = cache.GetMemoryUsage().HotTier;
            StressRun stress = null!;
            stress = new StressRun(cache, history, Duration.Of(SecondsPerRun, () => stress.MostUnlogged > 0 && Parts.All(part => part(cache.GetStatistics()) > 0)), seed: run) { Damage = damage };
            stress.Go();
            var statistics = cache.GetStatistics();
            output.WriteLine($"{stress.Hits} hits, hot tier {hotTier} -> {cache.GetMemoryUsage().HotTier}, at most {stress.MostUnlogged} unlogged copies, {statistics}");
            Assert.True(stress.Violations.Count == 0, string.Join('\n', stress.Violations));
            Assert.True(stress.Hits > 10_000, $"only {stress.Hits} hits");
            runs.Add(statistics);
            Assert.True(cache.GetMemoryUsage().HotTier >= hotTier, "the hot tier has what it began with"); // the log may have got the rest back
            Assert.True(stress.MostUnlogged > 0, "no entry was in its copy alone");
            Assert.True(statistics.Evictions + statistics.WithheldWrites > 0, "nothing had to go");
            Assert.Equal(writes is not null, statistics.WithheldWrites > 0);
            Assert.Equal(disk == LargeEnoughToKeep, cache.Tiers.Settled is { } settled && settled.MainTail > settled.Index.FirstOfMain);
        }

        Assert.All(Parts, part => Assert.NotEqual(0, runs.Sum(part)));
        Assert.Equal(isDamaged, runs.Sum(run => run.CorruptEntries) > 0);
        Assert.Equal(isDamaged, damage is { Count: > 0 });
    }

    private FasterCache<long, Quint> Open(string disk, string? writes) => new(new FasterCacheOptions
    {
        Directory = _directory.Path,
        Name = Name,
        MemoryBudget = "14MB",
        DiskBudget = disk,
        DiskWriteBudget = writes is null ? default(ByteSize?) : writes,
        DiskTimeout = TimeSpan.FromMilliseconds(50),
        WhenDirectoryUnavailable = DirectoryUnavailable.Throw,
    });
}
