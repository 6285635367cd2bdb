using HybridCaching.Tests.Support;

namespace HybridCaching.Tests.Concurrency;

/// <summary>A read never returns what was overwritten, removed or cleared before it began, nor less than an earlier read, whatever the disk does.</summary>
public sealed class RegisterTests : IDisposable
{
    private const int FewKeys = 500;
    private const int ManyKeys = 60_000;

    private readonly TestDirectory _directory = new();

    public void Dispose() => _directory.Dispose();

    [Fact]
    public void TryGet_AllInMemory_NeverGoesBack()
    {
        using var cache = new FasterCache<long, Quint>(new FasterCacheOptions { MemoryBudget = "32MB" });
        var run = new RegisterRun(cache, new RegisterHistory(FewKeys), Duration.Of(1.2)) { Writers = 4, Readers = 4 };
        AssertRight(run);
    }

    [Fact]
    public void TryGet_TouchedMeanwhile_NeverGoesBack()
    {
        using var cache = new FasterCache<long, Quint>(new FasterCacheOptions { MemoryBudget = "32MB" });
        var run = new RegisterRun(cache, new RegisterHistory(FewKeys), Duration.Of(1.2)) { Touchers = 3 };
        AssertRight(run);
    }

    [Fact]
    public void TryGet_ClearedMeanwhile_NeverGoesBack()
    {
        using var cache = new FasterCache<long, Quint>(new FasterCacheOptions { MemoryBudget = "32MB" });
        var run = new RegisterRun(cache, new RegisterHistory(FewKeys), Duration.Of(1.2)) { Touchers = 2, Clears = true };
        AssertRight(run);
    }

    [Fact]
    public void TryGet_MemoryOnlyAndFull_NeverGoesBack()
    {
        using var cache = new FasterCache<long, Quint>(new FasterCacheOptions { MemoryBudget = "12MB" });
        var run = new RegisterRun(cache, new RegisterHistory(ManyKeys), Duration.Of(1.2)) { Touchers = 1 };
        AssertRight(run);
    }

    [Fact]
    public void TryGet_MostOnDisk_NeverGoesBack()
    {
        using var cache = Open(seed: null);
        var run = new RegisterRun(cache, new RegisterHistory(2 * ManyKeys), Duration.Of(2)) { Touchers = 1 };
        AssertRight(run);
        Assert.True(cache.GetStatistics().DiskHits > 100, "the disk took part");
    }

    [Fact]
    public void TryGet_DiskSmallerThanMemory_NeverGoesBack()
    {
        using var cache = new FasterCache<long, Quint>(new FasterCacheOptions { Directory = _directory.Path, MemoryBudget = "64MB", DiskBudget = "14MB", DiskTimeout = Until.Deadline });
        var run = new RegisterRun(cache, new RegisterHistory(4 * ManyKeys), Duration.Of(2)) { Writers = 5, Readers = 2 };
        AssertRight(run);
    }

    [Fact]
    public void TryGet_DiskFails_NeverGoesBack()
    {
        using var cache = Open(seed: 1);
        var run = new RegisterRun(cache, new RegisterHistory(2 * ManyKeys), Duration.Of(2.5)) { Touchers = 1 };
        AssertRight(run);
        Assert.True(cache.GetStatistics().DiskReadErrors > 0, "faults took part");
    }

    [Fact]
    public void TryGet_DiskFailsAndClearedMeanwhile_NeverGoesBack()
    {
        using var cache = Open(seed: 2);
        var run = new RegisterRun(cache, new RegisterHistory(2 * ManyKeys), Duration.Of(2)) { Touchers = 2, Clears = true };
        AssertRight(run);
    }

    [Fact]
    [Trait("Category", "Soak")]
    public void TryGet_DiskFailsForLong_NeverGoesBack()
    {
        using var cache = Open(seed: 3);
        var run = new RegisterRun(cache, new RegisterHistory(2 * ManyKeys), Duration.OfSoak()) { Touchers = 2 };
        AssertRight(run);
    }

    [Fact]
    [Trait("Category", "Soak")]
    public void TryGet_DiskFailsAndClearedForLong_NeverGoesBack()
    {
        using var cache = Open(seed: 4);
        var run = new RegisterRun(cache, new RegisterHistory(2 * ManyKeys), Duration.OfSoak()) { Touchers = 1, Clears = true };
        AssertRight(run);
    }

    private static void AssertRight(RegisterRun run)
    {
        run.Go();
        Assert.Empty(run.Violations);
        Assert.True(run.Hits > 1000, $"only {run.Hits} hits");
    }

    private FasterCache<long, Quint> Open(int? seed)
    {
        var cache = new FasterCache<long, Quint>(new FasterCacheOptions { Directory = _directory.Path, MemoryBudget = "12MB", DiskBudget = "16MB", DiskTimeout = Until.Deadline });
        if (seed is { } s) cache.Tiers.Device!.Fault = new FlakyDisk(s).Fails;
        return cache;
    }
}
