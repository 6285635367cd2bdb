using HybridCaching.Tests.Concurrency;
using HybridCaching.Tests.Support;

namespace HybridCaching.Tests.Distributed;

/// <summary>The cache as the second level of FusionCache.</summary>
public sealed class FusionCacheClientTests : IDisposable
{
    private const int MaximumValueBytes = 2_000_000;

    private static readonly TimeSpan FiveMinutes = TimeSpan.FromMinutes(5);

    private readonly TestDirectory _directory = new();
    private readonly ManualTimeProvider _clock = new();
    private FasterDistributedCache _cache;
    private FusionCacheClient _client;

    public FusionCacheClientTests()
    {
        _cache = Open(directory: null);
        _client = new FusionCacheClient(_cache, _clock);
    }

    /// <summary>Whether writing and whether reading is asynchronous.</summary>
    public static MatrixTheoryData<bool, bool> Ways => new([false, true], [false, true]);

    public void Dispose()
    {
        _cache.Dispose();
        _directory.Dispose();
    }

    [Theory]
    [MemberData(nameof(Ways))]
    public async Task Get_Stored_IsTheValue(bool asyncSet, bool asyncGet)
    {
        foreach (int length in new[] { 0, 1, 500, 60_000, 700_000 })
        {
            await SetAsync(asyncSet, "k", OpenCache.Value(length));
            Assert.Equal(OpenCache.Value(length), await GetAsync(asyncGet, "k"));
        }

        AssertNeverOpened();
    }

    [Theory]
    [MemberData(nameof(Ways))]
    public async Task Get_AfterTheDuration_IsTheStaleValueOnly(bool asyncSet, bool asyncGet)
    {
        await SetAsync(asyncSet, "k", [1]);
        _clock.Advance(FiveMinutes);
        Assert.Null(await GetAsync(asyncGet, "k"));
        Assert.Equal([1], await GetAsync(asyncGet, "k", allowStale: true));
        _clock.Advance(FusionCacheClient.FailSafeMaxDuration - FiveMinutes);
        Assert.Null(await GetAsync(asyncGet, "k", allowStale: true));
        AssertNeverOpened();
    }

    [Theory]
    [MemberData(nameof(Ways))]
    public async Task Get_Removed_IsMiss(bool asyncRemove, bool asyncGet)
    {
        await SetAsync(isAsync: true, "k", [1]);
        if (asyncRemove) await _client.RemoveAsync("k");
        else _client.Remove("k");
        Assert.Null(await GetAsync(asyncGet, "k", allowStale: true));
        AssertNeverOpened();
    }

    [Theory]
    [MemberData(nameof(Ways))]
    public async Task Get_AfterARestart_IsTheValue(bool asyncSet, bool asyncGet)
    {
        Reopen();
        await SetAsync(asyncSet, "k", [1]);
        Reopen();
        Assert.Equal([1], await GetAsync(asyncGet, "k"));
        AssertNeverOpened();
    }

    [Theory]
    [MemberData(nameof(Ways))]
    public async Task Get_OnTheDisk_IsTheValue(bool asyncSet, bool asyncGet)
    {
        ReopenCold();
        foreach (int length in new[] { 0, 500, 700_000 }) await SetAsync(asyncSet, $"{length}", OpenCache.Value(length));
        _cache.PushToDisk("v2:0", "v2:500", "v2:700000");
        foreach (int length in new[] { 0, 500, 700_000 }) Assert.Equal(OpenCache.Value(length), await GetAsync(asyncGet, $"{length}"));
        AssertNeverOpened();
    }

    [Theory]
    [MemberData(nameof(Ways))]
    public async Task Get_TagRemoved_IsMissForTheTaggedOnly(bool asyncRemove, bool asyncGet)
    {
        _client.Set("tagged", [1], FiveMinutes, "red", "round");
        await _client.SetAsync("other", [2], FiveMinutes, ["blue"]);
        _clock.Advance(TimeSpan.FromSeconds(1));
        if (asyncRemove) await _client.RemoveByTagAsync("red");
        else _client.RemoveByTag("red");
        _clock.Advance(TimeSpan.FromSeconds(1));
        Assert.Null(await GetAsync(asyncGet, "tagged"));
        Assert.Equal([2], await GetAsync(asyncGet, "other"));
        _client.Set("tagged", [3], FiveMinutes, "red");
        Assert.Equal([3], await GetAsync(asyncGet, "tagged"));
        AssertNeverOpened();
    }

    [Theory]
    [MemberData(nameof(Ways))]
    public async Task Get_TagRemovedBeforeARestart_IsMiss(bool asyncSet, bool asyncGet)
    {
        Reopen();
        if (asyncSet) await _client.SetAsync("k", [1], FiveMinutes, ["red"]);
        else _client.Set("k", [1], FiveMinutes, "red");
        _clock.Advance(TimeSpan.FromSeconds(1));
        _client.RemoveByTag("red");
        Reopen();
        Assert.Null(await GetAsync(asyncGet, "k"));
        AssertNeverOpened();
    }

    [Fact]
    public async Task Get_TagMarkerOnTheDisk_IsMiss()
    {
        ReopenCold();
        _client.Set("k", [1], FiveMinutes, "red");
        _clock.Advance(TimeSpan.FromSeconds(1));
        _client.RemoveByTag("red");
        _client.Set("stored later", [1], FiveMinutes);
        _cache.PushToDisk("v2:k", "v2:stored later");
        Assert.Null(_client.Get("k"));
        Assert.Null(await _client.GetAsync("k"));
        AssertNeverOpened();
    }

    [Fact]
    public async Task Get_Cleared_IsMissForAllStoredBefore()
    {
        _client.Set("tagged", [1], FiveMinutes, "red");
        _client.Set("untagged", [1], FiveMinutes);
        _clock.Advance(TimeSpan.FromSeconds(1));
        await _client.ClearAsync();
        _clock.Advance(TimeSpan.FromSeconds(1));
        _client.Set("later", [1], FiveMinutes);
        Assert.Null(_client.Get("tagged"));
        Assert.Null(await _client.GetAsync("untagged"));
        Assert.NotNull(_client.Get("later"));
        AssertNeverOpened();
    }

    /// <summary>What a stranger can bring about: long keys, large values, odd characters.</summary>
    [Theory]
    [MemberData(nameof(Ways))]
    public async Task Set_WhatCannotBeStored_NeverOpensTheCircuit(bool asyncSet, bool asyncGet)
    {
        foreach (string key in new[] { new string('k', FasterDistributedCache.MaximumKeyLength), new string('é', 100_000), "", "\uD800", "\0" })
        {
            await SetAsync(asyncSet, key, [1]);
            Assert.Equal(key.Length < 100, await GetAsync(asyncGet, key) is not null);
            await _client.RemoveAsync(key);
        }

        await SetAsync(asyncSet, "k", [1]);
        await SetAsync(asyncSet, "k", new byte[MaximumValueBytes]);
        Assert.Null(await GetAsync(asyncGet, "k"));
        AssertNeverOpened();
        Assert.Equal(3, _cache.GetStatistics().DroppedWrites);
    }

    [Fact]
    public async Task Set_MoreThanMemoryAndDiskHold_NeverOpensTheCircuit()
    {
        _cache.Dispose();
        _cache = OpenCache.OpenCold(_directory.Path, _clock, o => o.DiskBudget = "48MB");
        _client = new FusionCacheClient(_cache, _clock);
        for (int i = 0; i < 1_500; i++)
        {
            byte[] value = OpenCache.Value(64 << 10, i);
            if (i % 2 == 0) _client.Set($"k{i}", value, FiveMinutes);
            else await _client.SetAsync($"k{i}", value, FiveMinutes);
            if (i % 10 == 0) Assert.True(await _client.GetAsync($"k{i / 2}") is not { } found || found.AsSpan().SequenceEqual(OpenCache.Value(64 << 10, i / 2)));
        }

        Assert.Equal(OpenCache.Value(64 << 10, 1_499), _client.Get("k1499"));
        AssertNeverOpened();
    }

    [Fact]
    public async Task SetAsync_AlreadyCancelled_StoresNothingAndKeepsTheCircuitClosed()
    {
        var cancelled = new CancellationToken(canceled: true);
        await Assert.ThrowsAnyAsync<OperationCanceledException>(() => _client.SetAsync("k", [1], FiveMinutes, token: cancelled));
        await Assert.ThrowsAnyAsync<OperationCanceledException>(() => _client.GetAsync("k", token: cancelled));
        await Assert.ThrowsAnyAsync<OperationCanceledException>(() => _client.RemoveAsync("k", cancelled));
        Assert.Null(_client.Get("k"));
        AssertNeverOpened();
    }

    [Fact]
    public async Task Get_ManyReadsAbandonedAtTheSoftTimeout_AllEndAndTheCacheGoesOn()
    {
        ReopenCold();
        string[] keys = [.. Enumerable.Range(0, 200).Select(i => $"k{i}")];
        foreach (var (i, key) in keys.Index()) _client.Set(key, OpenCache.Value(20_000, i), FiveMinutes);
        _cache.PushToDisk([.. keys.Select(key => "v2:" + key)]);
        for (int round = 0; round < 3; round++)
        {
            foreach (string key in keys) _client.GetAndAbandon(key);
        }

        Assert.Equal(3 * keys.Length, _client.Abandoned);
        Assert.Empty(await _client.EndOfAbandonedAsync());
        Assert.All(keys.Index(), key => Assert.Equal(OpenCache.Value(20_000, key.Index), _client.Get(key.Item)));
        AssertNeverOpened();
    }

    [Fact]
    public async Task Set_ManyWritesAbandonedAtTheSoftTimeout_AreOldOrNew()
    {
        byte[] old = OpenCache.Value(300_000, 1);
        byte[] renewed = OpenCache.Value(400_000, 2);
        string[] keys = [.. Enumerable.Range(0, 10).Select(i => $"k{i}")];
        foreach (string key in keys) _client.Set(key, old, FiveMinutes);
        foreach (string key in keys) _client.SetAndAbandon(key, renewed, FiveMinutes);
        Assert.Empty(await _client.EndOfAbandonedAsync());
        Assert.All(keys, key => Assert.True(_client.Get(key) is { } value && (value.AsSpan().SequenceEqual(old) || value.AsSpan().SequenceEqual(renewed))));
        AssertNeverOpened();
    }

    [Fact]
    public async Task Client_ManyThreadsSyncAndAsync_NeverOpensTheCircuit()
    {
        ReopenCold();
        Crew.Run(4, me =>
        {
            var random = new Random(me);
            for (int i = 0; i < 1_000; i++)
            {
                int number = random.Next(50);
                string key = $"k{number}";
                byte[] genuine = OpenCache.Value(100 * number, number);
                switch (random.Next(6))
                {
                    case 0:
                        _client.Set(key, genuine, FiveMinutes, "red");
                        break;
                    case 1:
                        _client.SetAsync(key, genuine, FiveMinutes).GetAwaiter().GetResult();
                        break;
                    case 2:
                        _client.Remove(key);
                        break;
                    case 3:
                        _client.GetAndAbandon(key);
                        break;
                    default:
                        byte[]? found = i % 2 == 0 ? _client.Get(key) : _client.GetAsync(key).GetAwaiter().GetResult();
                        if (found is not null) Assert.Equal(genuine, found);
                        break;
                }
            }
        });
        Assert.Empty(await _client.EndOfAbandonedAsync());
        AssertNeverOpened();
    }

    [Fact]
    public void Client_CacheDisposed_OpensTheCircuit()
    {
        _cache.Dispose();
        Assert.Null(_client.Get("k"));
        Assert.IsType<ObjectDisposedException>(Assert.Single(_client.Failures));
        Assert.False(_client.IsCircuitClosed);
    }

    private Task SetAsync(bool isAsync, string key, byte[] value)
    {
        if (isAsync) return _client.SetAsync(key, value, FiveMinutes);
        _client.Set(key, value, FiveMinutes);
        return Task.CompletedTask;
    }

    private async Task<byte[]?> GetAsync(bool isAsync, string key, bool allowStale = false) => isAsync ? await _client.GetAsync(key, allowStale) : _client.Get(key, allowStale);

    private void AssertNeverOpened()
    {
        Assert.Empty(_client.Failures);
        Assert.True(_client.IsCircuitClosed);
    }

    private FasterDistributedCache Open(string? directory) => OpenCache.Open(directory, _clock, o => o.MaximumValueBytes = MaximumValueBytes);

    private void ReopenCold()
    {
        _cache.Dispose();
        _cache = OpenCache.OpenCold(_directory.Path, _clock);
        _client = new FusionCacheClient(_cache, _clock);
    }

    /// <summary>Opens what the directory holds.</summary>
    private void Reopen()
    {
        _cache.Dispose();
        _cache = Open(_directory.Path);
        _client = new FusionCacheClient(_cache, _clock);
    }
}
