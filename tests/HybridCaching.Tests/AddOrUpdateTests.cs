using HybridCaching.Tests.Concurrency;
using HybridCaching.Tests.Support;

namespace HybridCaching.Tests;

public sealed class AddOrUpdateTests : IDisposable
{
    private readonly TestDirectory _directory = new();
    private readonly ManualTimeProvider _clock = new();
    private readonly FasterCache<long, long> _cache;

    public AddOrUpdateTests() => _cache = new FasterCache<long, long>(new FasterCacheOptions
    {
        Directory = _directory.Path,
        MemoryBudget = "12MB",
        DiskBudget = "64MB",
        DiskTimeout = Until.Deadline,
        TimeProvider = _clock,
    });

    public void Dispose()
    {
        _cache.Dispose();
        _directory.Dispose();
    }

    [Fact]
    public void AddOrUpdate_MissingKey_Adds()
    {
        Assert.Equal(10, _cache.AddOrUpdate(1, key => key * 10, (_, _) => -1));
        Assert.True(_cache.TryGet(1, out long value));
        Assert.Equal(10, value);
    }

    [Fact]
    public void AddOrUpdate_PresentKey_Updates()
    {
        _cache.Set(1, 5);
        Assert.Equal(6, _cache.AddOrUpdate(1, _ => -1, (_, old) => old + 1));
        Assert.True(_cache.TryGet(1, out long value));
        Assert.Equal(6, value);
    }

    [Fact]
    public void AddOrUpdate_KeyOnTheDisk_Updates()
    {
        for (long key = 0; key < 200_000; key++) _cache.Set(key, key);
        Assert.False(_cache.TryGetFromMemory(0, out _));
        Assert.Equal(7, _cache.AddOrUpdate(0, _ => -1, (_, old) => old + 7));
    }

    [Fact]
    public void AddOrUpdate_ExpiredKey_Adds()
    {
        _cache.Set(1, 5, TimeSpan.FromSeconds(1));
        _clock.Advance(TimeSpan.FromSeconds(2));
        Assert.Equal(8, _cache.AddOrUpdate(1, _ => 8, (_, _) => -1));
    }

    [Fact]
    public void AddOrUpdate_TimeToLive_IsThatOfTheNewValue()
    {
        _cache.Set(1, 5);
        _cache.AddOrUpdate(1, _ => -1, (_, old) => old + 1, TimeSpan.FromSeconds(1));
        _clock.Advance(TimeSpan.FromSeconds(2));
        Assert.False(_cache.TryGet(1, out _));
    }

    [Fact]
    public void AddOrUpdate_ManyThreadsCountOneKey_LosesNone()
    {
        Crew.Run(6, _ =>
        {
            for (int i = 0; i < 5_000; i++) _cache.AddOrUpdate(1, _ => 1, (_, old) => old + 1);
        });
        Assert.True(_cache.TryGet(1, out long value));
        Assert.Equal(30_000, value);
    }

    [Fact]
    public void AddOrUpdate_ManyThreadsCountManyKeys_LosesNone()
    {
        Crew.Run(6, _ =>
        {
            for (int i = 0; i < 20_000; i++) _cache.AddOrUpdate(i % 100, _ => 1, (_, old) => old + 1);
        });
        Assert.Equal(6 * 20_000, Enumerable.Range(0, 100).Sum(key => _cache.TryGet(key, out long value) ? value : 0));
    }

    [Fact]
    public void AddOrUpdate_KeySetWhileTheDelegateRuns_RunsItAgain()
    {
        int runs = 0;
        long result = _cache.AddOrUpdate(
            1,
            key =>
            {
                runs++;
                _cache.Set(key, 100);
                return -1;
            },
            (_, old) =>
            {
                runs++;
                return old + 1;
            });
        Assert.Equal((101, 2), (result, runs));
    }

    [Fact]
    public void AddOrUpdate_DelegateUsesTheCache_DoesNotDeadlock() =>
        Crew.MustEnd("AddOrUpdate", () => _cache.AddOrUpdate(1, key => _cache.GetOrAdd(key + 1, other => other), (_, old) => old));

    [Fact]
    public void AddOrUpdate_DelegateThrows_KeepsTheOldValue()
    {
        _cache.Set(1, 5);
        Assert.Throws<InvalidOperationException>(() => _cache.AddOrUpdate(1, _ => -1, (_, _) => throw new InvalidOperationException()));
        Assert.True(_cache.TryGet(1, out long value));
        Assert.Equal(5, value);
    }

    [Fact]
    public void AddOrUpdate_NoDelegates_Throws()
    {
        Assert.Equal("add", Assert.Throws<ArgumentNullException>(() => _cache.AddOrUpdate(1, null!, (_, old) => old)).ParamName);
        Assert.Equal("update", Assert.Throws<ArgumentNullException>(() => _cache.AddOrUpdate(1, key => key, null!)).ParamName);
    }

    [Fact]
    public void AddOrUpdate_TimeToLiveOfZero_Throws() => Assert.Throws<ArgumentOutOfRangeException>(() => _cache.AddOrUpdate(1, key => key, (_, old) => old, TimeSpan.Zero));
}
