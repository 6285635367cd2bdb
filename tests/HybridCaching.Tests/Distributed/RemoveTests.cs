using HybridCaching.Tests.Support;

namespace HybridCaching.Tests.Distributed;

/// <summary>Remove, Clear, and what is counted.</summary>
public sealed class RemoveTests : IDisposable
{
    private readonly TestDirectory _directory = new();
    private readonly ManualTimeProvider _clock = new();
    private readonly FasterDistributedCache _cache;

    public RemoveTests() => _cache = OpenCache.Open(clock: _clock);

    public static TheoryData<bool> SyncAndAsync => [false, true];

    public static TheoryData<GetMember> Getters => [.. CacheMembers.Getters];

    public void Dispose()
    {
        _cache.Dispose();
        _directory.Dispose();
    }

    [Theory]
    [MemberData(nameof(Getters))]
    public async Task Get_Removed_IsMiss(GetMember get)
    {
        foreach (bool isAsync in new[] { false, true })
        {
            _cache.Set("k", [1], OpenCache.NoExpiration);
            await RemoveAsync(isAsync, "k");
            Assert.Null(await _cache.ReadAsync(get, "k"));
        }
    }

    [Theory]
    [MemberData(nameof(SyncAndAsync))]
    public async Task Remove_Missing_DoesNothing(bool isAsync)
    {
        _cache.Set("k", [1], OpenCache.NoExpiration);
        await RemoveAsync(isAsync, "missing");
        await RemoveAsync(isAsync, "missing");
        Assert.NotNull(_cache.Get("k"));
        Assert.Equal(0, _cache.GetStatistics().Removals);
    }

    [Theory]
    [MemberData(nameof(SyncAndAsync))]
    public async Task Remove_ThenSet_IsThere(bool isAsync)
    {
        _cache.Set("k", [1], OpenCache.NoExpiration);
        await RemoveAsync(isAsync, "k");
        _cache.Set("k", [2], OpenCache.NoExpiration);
        Assert.Equal([2], _cache.Get("k")!);
    }

    [Theory]
    [MemberData(nameof(SyncAndAsync))]
    public async Task Remove_BeforeARestart_IsMissAfterIt(bool isAsync)
    {
        using (var before = OpenCache.Open(_directory.Path))
        {
            before.Set("k", [1], OpenCache.NoExpiration);
            before.Set("other", [1], OpenCache.NoExpiration);
            await before.FlushAsync();
            if (isAsync) await before.RemoveAsync("k");
            else before.Remove("k");
        }

        using var after = OpenCache.Open(_directory.Path);
        Assert.Null(after.Get("k"));
        Assert.NotNull(after.Get("other"));
    }

    [Theory]
    [MemberData(nameof(SyncAndAsync))]
    public async Task Clear_SmallAndLargeValues_LeavesNothing(bool isAsync)
    {
        using var cache = OpenCache.OpenCold(_directory.Path);
        int[] lengths = [0, 100, 100_000, 2_000_000];
        foreach (int length in lengths) cache.Set($"{length}", OpenCache.Value(length), OpenCache.NoExpiration);
        cache.PushToDisk([.. lengths.Select(length => $"{length}")]);
        await ClearAsync(cache, isAsync);
        Assert.All(lengths, length => Assert.Null(cache.Get($"{length}")));
        Assert.Empty(await cache.ScanKeysAsync("*").ReadAllAsync());
    }

    [Theory]
    [MemberData(nameof(SyncAndAsync))]
    public async Task Clear_ThenSet_IsThere(bool isAsync)
    {
        _cache.Set("k", [1], OpenCache.NoExpiration);
        await ClearAsync(_cache, isAsync);
        _cache.Set("k", [2], OpenCache.NoExpiration);
        Assert.Equal([2], _cache.Get("k")!);
        Assert.Equal(["k"], await _cache.ScanKeysAsync("*").ReadAllAsync());
    }

    [Theory]
    [MemberData(nameof(SyncAndAsync))]
    public async Task Clear_BeforeARestart_LeavesNothingAfterIt(bool isAsync)
    {
        using (var before = OpenCache.Open(_directory.Path))
        {
            before.Set("k", [1], OpenCache.NoExpiration);
            await before.FlushAsync();
            await ClearAsync(before, isAsync);
            before.Set("later", [2], OpenCache.NoExpiration);
        }

        using var after = OpenCache.Open(_directory.Path);
        Assert.Null(after.Get("k"));
        Assert.Equal([2], after.Get("later")!);
    }

    [Theory]
    [MemberData(nameof(SyncAndAsync))]
    public async Task Clear_NothingStored_DoesNothing(bool isAsync)
    {
        await ClearAsync(_cache, isAsync);
        Assert.Equal(0, _cache.EstimatedCount);
    }

    [Fact]
    public void EstimatedCount_SmallValues_IsAboutTheirNumber()
    {
        for (int i = 0; i < 1_000; i++) _cache.Set($"k{i}", [1], OpenCache.NoExpiration);
        Assert.InRange(_cache.EstimatedCount, 900, 1_100);
    }

    [Fact]
    public void EstimatedCount_Cleared_IsZero()
    {
        for (int i = 0; i < 1_000; i++) _cache.Set($"k{i}", [1], OpenCache.NoExpiration);
        _cache.Clear();
        Assert.Equal(0, _cache.EstimatedCount);
    }

    [Fact]
    public void EstimatedCount_AfterARestart_IsAboutTheirNumber()
    {
        using (var before = OpenCache.Open(_directory.Path))
        {
            for (int i = 0; i < 1_000; i++) before.Set($"k{i}", [1], OpenCache.NoExpiration);
        }

        using var after = OpenCache.Open(_directory.Path);
        Assert.InRange(after.EstimatedCount, 900, 1_100);
    }

    [Fact]
    public async Task GetStatistics_MemoryHits_CountsEachReadOfEveryMember()
    {
        _cache.Set("k", [1], OpenCache.NoExpiration);
        foreach (var get in new[] { GetMember.Get, GetMember.GetAsync, GetMember.TryGetWriter, GetMember.TryGetWriterAsync }) await _cache.ReadAsync(get, "k");
        _cache.TryGet("k", new byte[1], out _);
        await _cache.GetManyAsync(["k"]);
        Assert.Equal((6, 0, 0), CountsOf(_cache));
    }

    [Fact]
    public async Task GetStatistics_Misses_CountsEachReadOfEveryMember()
    {
        foreach (var get in CacheMembers.Getters) await _cache.ReadAsync(get, "k");
        await _cache.GetManyAsync(["k"]);
        Assert.Equal((0, 0, 6), CountsOf(_cache));
        Assert.Equal(0, _cache.GetStatistics().ExpiredMisses);
    }

    [Fact]
    public async Task GetStatistics_ExpiredEntry_IsAnExpiredMiss()
    {
        _cache.Set("k", [1], OpenCache.In(TimeSpan.FromMinutes(1)));
        _clock.Advance(TimeSpan.FromMinutes(1));
        await _cache.GetAsync("k");
        Assert.Equal((0, 0, 1), CountsOf(_cache));
        Assert.Equal(1, _cache.GetStatistics().ExpiredMisses);
    }

    [Theory]
    [InlineData(100)]
    [InlineData(2_000_000)]
    public async Task GetStatistics_EntryOnTheDisk_IsOneDiskHit(int length)
    {
        using var cache = OpenCache.OpenCold(_directory.Path);
        cache.Set("k", OpenCache.Value(length), OpenCache.NoExpiration);
        cache.PushToDisk("k");
        var before = CountsOf(cache);
        await cache.GetAsync("k");
        Assert.Equal((before.MemoryHits, before.DiskHits + 1, before.Misses), CountsOf(cache));
    }

    [Fact]
    public async Task GetStatistics_Writes_CountsEachSetOfEveryMember()
    {
        foreach (var set in CacheMembers.Setters) await _cache.StoreAsync(set, "k", [1]);
        Assert.Equal(CacheMembers.Setters.Length, _cache.GetStatistics().Writes);
    }

    [Fact]
    public async Task GetStatistics_Removals_CountsWhatWasRemoved()
    {
        _cache.Set("k", [1], OpenCache.NoExpiration);
        _cache.Remove("k");
        _cache.Set("k", [1], OpenCache.NoExpiration);
        await _cache.RemoveAsync("k");
        Assert.Equal(2, _cache.GetStatistics().Removals);
    }

    /// <summary>A marker is nowhere but in memory of its own.</summary>
    [Fact]
    public void GetStatistics_MarkerRemoved_IsCounted()
    {
        _cache.Set(BytesMarkerTests.MicrosoftTag, [1], BytesMarkerTests.ThousandDays);
        long count = _cache.EstimatedCount;

        _cache.Remove(BytesMarkerTests.MicrosoftTag);

        Assert.Equal((1, count - 1), (_cache.GetStatistics().Removals, _cache.EstimatedCount));
    }

    [Fact]
    public void GetStatistics_NothingDone_IsAllZero()
    {
        Assert.Equal((0, 0, 0), CountsOf(_cache));
        Assert.Equal(0, _cache.GetStatistics().Writes);
        Assert.Equal(0, _cache.GetStatistics().DroppedWrites);
    }

    [Fact]
    public void GetMemoryUsage_SomeStored_StaysInTheBudget()
    {
        for (int i = 0; i < 3_000; i++) _cache.Set($"k{i}", OpenCache.Value(30_000), OpenCache.NoExpiration);
        var usage = _cache.GetMemoryUsage();
        Assert.Equal(32 << 20, usage.Budget);
        Assert.InRange(usage.Total, 1, usage.Budget);
    }

    private static (long MemoryHits, long DiskHits, long Misses) CountsOf(FasterDistributedCache cache) =>
        cache.GetStatistics() is var statistics ? (statistics.MemoryHits, statistics.DiskHits, statistics.Misses) : default;

    private static async Task ClearAsync(FasterDistributedCache cache, bool isAsync)
    {
        if (isAsync) await cache.ClearAsync();
        else cache.Clear();
    }

    private async Task RemoveAsync(bool isAsync, string key)
    {
        if (isAsync) await _cache.RemoveAsync(key);
        else _cache.Remove(key);
    }
}
