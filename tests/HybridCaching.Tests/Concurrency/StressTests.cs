namespace HybridCaching.Tests.Concurrency;

/// <summary>The whole cache under everything at once, with data that neither memory nor disk can hold.</summary>
public sealed class StressTests(ITestOutputHelper output) : IDisposable
{
    private const int Keys = 30_000 * StressRun.Threads;
    private const int SecondsPerRun = 10;
    private const int RecordBytes = 64;

    private readonly TestDirectory _directory = new();

    public void Dispose() => _directory.Dispose();

    [Fact]
    public void Calls_FaultySlowDiskMuchTooSmall_NeverGiveWhatIsOutOfDate() => Run(Duration.Of(3 * SecondsPerRun - 1));

    [Fact]
    [Trait("Category", "Soak")]
    public void Calls_FaultySlowDiskMuchTooSmallForLong_NeverGiveWhatIsOutOfDate() => Run(Duration.OfSoak());

    /// <summary>Closes and opens the cache between the runs; what it then still knows is judged, too.</summary>
    private void Run(Duration duration)
    {
        var history = new StressHistory(Keys);
        var runs = new List<CacheStatistics>();
        for (int run = 1; !duration.IsOver; run++)
        {
            using var cache = Open();
            long hotTier = cache.GetMemoryUsage().HotTier;
            var stress = new StressRun(cache, history, Duration.Of(SecondsPerRun), seed: run);
            stress.Go();
            var statistics = cache.GetStatistics();
            output.WriteLine($"{stress.Hits} hits, hot tier {hotTier} -> {cache.GetMemoryUsage().HotTier}, {statistics}");
            Assert.True(stress.Violations.Count == 0, string.Join('\n', stress.Violations));
            Assert.True(stress.Hits > 10_000, $"only {stress.Hits} hits");
            runs.Add(statistics);
            Assert.True(cache.GetMemoryUsage().HotTier > 2 * hotTier, "the hot tier has grown");
            Assert.True(statistics.Writes * RecordBytes > 2 * statistics.DiskBudget, "segments were dropped");
        }

        Func<CacheStatistics, long>[] parts = [run => run.DiskHits, run => run.DiskReadErrors, run => run.DiskWriteErrors, run => run.Timeouts, run => run.ExpiredMisses];
        Assert.All(parts, part => Assert.NotEqual(0, runs.Sum(part)));
    }

    private FasterCache<long, Quint> Open() => new(new FasterCacheOptions
    {
        Directory = _directory.Path,
        Name = "stress",
        MemoryBudget = "14MB",
        DiskBudget = "8MB",
        DiskTimeout = TimeSpan.FromMilliseconds(50),
        WhenDirectoryUnavailable = DirectoryUnavailable.Throw,
    });
}
