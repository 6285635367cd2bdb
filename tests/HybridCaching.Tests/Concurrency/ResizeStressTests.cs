using HybridCaching.Tests.Distributed;

namespace HybridCaching.Tests.Concurrency;

/// <summary>The whole cache under everything at once, while both budgets change all the time.</summary>
public sealed class ResizeStressTests(ITestOutputHelper output) : IDisposable
{
    private const int Keys = 30_000 * StressRun.Threads;
    private const double Seconds = 6;
    private static readonly TimeSpan ShortTimeout = TimeSpan.FromMilliseconds(50);

    private readonly TestDirectory _directory = new();
    private int _changes;

    public void Dispose() => _directory.Dispose();

    [Theory]
    [InlineData("12MB")]
    [InlineData("32MB")]
    public void Calls_BudgetsChangeOnAFaultySlowDisk_NeverGiveWhatIsOutOfDate(string disk) => Run(disk, Seconds);

    [Theory]
    [Trait("Category", "Soak")]
    [InlineData("12MB")]
    [InlineData("32MB")]
    public void Calls_BudgetsChangeForLong_NeverGiveWhatIsOutOfDate(string disk)
    {
        for (var duration = Duration.OfSoak(); !duration.IsOver;) Run(disk, Seconds);
    }

    [Fact]
    public void CallsOfBytes_BudgetsChange_NeverGiveWhatIsOutOfDate()
    {
        using var cache = BytesCache.Open(_directory.Path, "32MB", "64MB"); // a disk that did not answer in time would hold back files that are too many
        var stress = new BytesStressRun(cache, new BytesHistory(BytesStressRun.Names(200 * BytesStressRun.Threads)), Duration.Of(Seconds / 2, HasChangedOften), seed: 1);
        Go(stress.Go, cache.Resize, [("24MB", "64MB"), ("64MB", "24MB"), ("28MB", "96MB"), ("48MB", "64MB")]);

        output.WriteLine($"{_changes} changes, {cache.GetStatistics()}");
        Assert.True(stress.Violations.Count == 0, string.Join('\n', stress.Violations));
        Assert.True(HasChangedOften(), $"only {_changes} changes");
    }

    private void Run(string disk, double seconds)
    {
        long bytes = ((ByteSize)disk).Bytes;
        using var cache = new FasterCache<long, Quint>(new FasterCacheOptions
        {
            Directory = _directory.Path,
            Name = "stress",
            MemoryBudget = "20MB",
            DiskBudget = disk,
            DiskTimeout = ShortTimeout,
            WhenDirectoryUnavailable = DirectoryUnavailable.Throw,
        });
        var stress = new StressRun(cache, new StressHistory(Keys), Duration.Of(seconds, HasChangedOften), seed: 1);
        Go(stress.Go, cache.Resize, [("14MB", bytes), ("60MB", bytes * 2), ("16MB", bytes * 3 / 4), ("24MB", bytes * 3), ("20MB", bytes)]);

        var statistics = cache.GetStatistics();
        output.WriteLine($"{_changes} changes, {stress.Hits} hits, {cache.GetMemoryUsage()}, {statistics}");
        Assert.True(stress.Violations.Count == 0, string.Join('\n', stress.Violations));
        Assert.True(stress.Hits > 10_000, $"only {stress.Hits} hits");
        Assert.True(HasChangedOften(), $"only {_changes} changes");
        Assert.All([statistics.DiskHits, statistics.DiskReadErrors + statistics.DiskWriteErrors], part => Assert.NotEqual(0, part)); // which of the two fails is chance
    }

    private bool HasChangedOften() => Volatile.Read(ref _changes) > 4;

    /// <summary>Changes the budgets until the work has ended.</summary>
    private void Go(Action work, Action<ByteSize, ByteSize> resize, (ByteSize Memory, ByteSize Disk)[] budgets)
    {
        _changes = 0;
        bool isOver = false;
        Crew.Run(
            () =>
            {
                try
                {
                    work();
                }
                finally
                {
                    Volatile.Write(ref isOver, true);
                }
            },
            () =>
            {
                for (; !Volatile.Read(ref isOver); Interlocked.Increment(ref _changes))
                {
                    var (memory, disk) = budgets[_changes % budgets.Length];
                    resize(memory, disk);
                    Thread.Yield();
                }
            });
    }
}
