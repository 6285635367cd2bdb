using System.Buffers;
using HybridCaching.Tests.Support;
using Microsoft.Extensions.Caching.Distributed;

namespace HybridCaching.Tests.Distributed;

/// <summary>What an entry tells of itself, which calls complete at once, and what is left after Dispose.</summary>
public sealed class LifecycleTests : IDisposable
{
    private static readonly string TooLong = new('k', FasterDistributedCache.MaximumKeyLength + 1);

    private readonly TestDirectory _directory = new();
    private readonly ManualTimeProvider _clock = new();
    private readonly FasterDistributedCache _cache;

    public LifecycleTests() => _cache = OpenCache.Open(clock: _clock);

    private static readonly Dictionary<string, Func<FasterDistributedCache, Task>> Calls = new()
    {
        ["Get"] = c => Task.FromResult(c.Get("k")),
        ["GetAsync"] = c => c.GetAsync("k"),
        ["Set"] = c => c.StoreAsync(SetMember.Set, "k", [1]),
        ["SetAsync"] = c => c.StoreAsync(SetMember.SetAsync, "k", [1]),
        ["Set sequence"] = c => c.StoreAsync(SetMember.SetSequence, "k", [1]),
        ["SetAsync sequence"] = c => c.StoreAsync(SetMember.SetSequenceAsync, "k", [1]),
        ["Set, too large"] = c => c.StoreAsync(SetMember.Set, "k", new byte[(16 << 20) + 1]),
        ["Set, key too long"] = c => c.StoreAsync(SetMember.Set, TooLong, [1]),
        ["TryGet writer"] = c => Task.FromResult(c.TryGet("k", new ArrayBufferWriter<byte>())),
        ["TryGetAsync"] = async c => await c.TryGetAsync("k", new ArrayBufferWriter<byte>()),
        ["TryGet span"] = c => Task.FromResult(c.TryGet("k", [], out _)),
        ["TryGetEntryInfo"] = c => Task.FromResult(c.TryGetEntryInfo("k", out _)),
        ["Refresh"] = c => Sync(() => c.Refresh("k")),
        ["RefreshAsync"] = c => c.RefreshAsync("k"),
        ["Remove"] = c => Sync(() => c.Remove("k")),
        ["RemoveAsync"] = c => c.RemoveAsync("k"),
        ["GetManyAsync"] = async c => await c.GetManyAsync(["k"]),
        ["GetManyAsync, no keys"] = async c => await c.GetManyAsync([]),
        ["ScanKeysAsync"] = async c => await c.ScanKeysAsync("*").ReadAllAsync(),
        ["ScanAsync"] = async c => await c.ScanAsync("*").ReadAllAsync(),
        ["RemoveByPrefixAsync"] = async c => await c.RemoveByPrefixAsync("k"),
        ["Clear"] = c => Sync(c.Clear),
        ["ClearAsync"] = async c => await c.ClearAsync(),
        ["FlushAsync"] = async c => await c.FlushAsync(),
    };

    public static TheoryData<string> Members => [.. Calls.Keys];

    public void Dispose()
    {
        _cache.Dispose();
        _directory.Dispose();
    }

    [Theory]
    [MemberData(nameof(Members))]
    public async Task Member_AfterDispose_Throws(string member)
    {
        _cache.Set("k", [1], OpenCache.NoExpiration);
        _cache.Dispose();
        await Assert.ThrowsAsync<ObjectDisposedException>(() => Calls[member](_cache));
    }

    [Fact]
    public async Task Members_AfterDisposeOfACacheWithADirectory_Throw()
    {
        var cache = OpenCache.Open(_directory.Path);
        cache.Set("k", [1], OpenCache.NoExpiration);
        await cache.DisposeAsync();
        await Assert.AllAsync(Calls, async call => await Assert.ThrowsAsync<ObjectDisposedException>(() => call.Value(cache)));
    }

    [Fact]
    public void Figures_AfterDispose_Throw()
    {
        _cache.Dispose();
        Assert.Throws<ObjectDisposedException>(() => _cache.GetStatistics());
        Assert.Throws<ObjectDisposedException>(() => _cache.GetMemoryUsage());
        Assert.Throws<ObjectDisposedException>(() => _cache.EstimatedCount);
    }

    [Fact]
    public async Task Dispose_Again_IsTheSameAsOnce()
    {
        var cache = OpenCache.Open(_directory.Path);
        cache.Set("k", [1], OpenCache.NoExpiration);
        cache.Dispose();
        cache.Dispose();
        await cache.DisposeAsync();
        await cache.DisposeAsync();
        using var after = OpenCache.Open(_directory.Path);
        Assert.NotNull(after.Get("k"));
    }

    [Fact]
    public void Refresh_KeyTooLongAfterDispose_Throws()
    {
        _cache.Dispose();
        Assert.Throws<ObjectDisposedException>(() => _cache.Refresh(TooLong));
    }

    [Fact]
    public async Task RefreshAsync_KeyTooLongAfterDispose_Throws()
    {
        _cache.Dispose();
        await Assert.ThrowsAsync<ObjectDisposedException>(() => _cache.RefreshAsync(TooLong, TestContext.Current.CancellationToken));
    }

    [Fact]
    public async Task ScanKeysAsync_DisposedInTheMiddle_Throws()
    {
        for (int i = 0; i < 20_000; i++) _cache.Set($"k{i}", [1], OpenCache.NoExpiration);
        await Assert.ThrowsAsync<ObjectDisposedException>(async () =>
        {
            await foreach (string key in _cache.ScanKeysAsync("*"))
            {
                _cache.Dispose();
                Assert.NotEmpty(key);
            }
        });
    }

    [Fact]
    public async Task AsyncMembers_InMemory_CompleteSynchronously()
    {
        await _cache.SetAsync("k", OpenCache.Value(1_000), OpenCache.Sliding(TimeSpan.FromMinutes(8)));
        for (int i = 0; i < 100; i++)
        {
            Assert.True(_cache.GetAsync("k").IsCompletedSuccessfully);
            Assert.True(_cache.TryGetAsync("k", new ArrayBufferWriter<byte>()).IsCompletedSuccessfully);
            Assert.True(_cache.RefreshAsync("k").IsCompletedSuccessfully);
            _clock.Advance(TimeSpan.FromMinutes(1));
        }
    }

    [Fact]
    public void AsyncMembers_Missing_CompleteSynchronously()
    {
        Assert.True(_cache.GetAsync("k").IsCompletedSuccessfully);
        Assert.True(_cache.TryGetAsync("k", new ArrayBufferWriter<byte>()).IsCompletedSuccessfully);
    }

    [Fact]
    public async Task FlushAsync_SomeStored_KeepsThem()
    {
        using var cache = OpenCache.Open(_directory.Path);
        cache.Set("k", OpenCache.Value(100_000), OpenCache.NoExpiration);
        await cache.FlushAsync();
        await cache.FlushAsync();
        Assert.Equal(OpenCache.Value(100_000), cache.Get("k"));
    }

    [Theory]
    [InlineData(0)]
    [InlineData(100)]
    [InlineData(2_000_000)]
    public void TryGetEntryInfo_NeverExpires_TellsLengthAndAge(int length)
    {
        _cache.Set("k", OpenCache.Value(length), OpenCache.NoExpiration);
        _clock.Advance(TimeSpan.FromSeconds(90.5));
        var info = _cache.Info("k");
        Assert.Equal(length, info.Length);
        Assert.InRange(info.Age, TimeSpan.FromSeconds(90), TimeSpan.FromSeconds(91));
        Assert.Equal(0, info.Age.Ticks % TimeSpan.TicksPerSecond);
        Assert.Null(info.TimeLeft);
        Assert.Equal(CacheTier.Memory, info.Tier);
    }

    [Fact]
    public void TryGetEntryInfo_Expires_TellsTheTimeLeft()
    {
        _cache.Set("relative", [1], OpenCache.In(TimeSpan.FromMinutes(5)));
        _cache.Set("absolute", [1], OpenCache.At((_clock.GetUtcNow() + TimeSpan.FromMinutes(5)).ToOffset(TimeSpan.FromHours(-7))));
        _cache.Set("sliding", [1], OpenCache.Sliding(TimeSpan.FromMinutes(5)));
        _cache.Set("capped", [1], new DistributedCacheEntryOptions { SlidingExpiration = TimeSpan.FromMinutes(8), AbsoluteExpirationRelativeToNow = TimeSpan.FromMinutes(5) });
        _clock.Advance(TimeSpan.FromMinutes(2));
        Assert.All(["relative", "absolute", "sliding", "capped"], key => Assert.Equal(TimeSpan.FromMinutes(3), _cache.Info(key).TimeLeft));
    }

    [Fact]
    public void TryGetEntryInfo_OverwrittenEntry_TellsOfTheNewOne()
    {
        _cache.Set("k", OpenCache.Value(100), OpenCache.In(TimeSpan.FromMinutes(5)));
        _clock.Advance(TimeSpan.FromMinutes(1));
        _cache.Set("k", OpenCache.Value(10), OpenCache.NoExpiration);
        Assert.Equal(new CacheEntryInfo { Tier = CacheTier.Memory, Length = 10, Age = TimeSpan.Zero, TimeLeft = null }, _cache.Info("k"));
    }

    [Theory]
    [InlineData(0)]
    [InlineData(100)]
    [InlineData(2_000_000)]
    public void TryGetEntryInfo_OnTheDisk_SaysSo(int length)
    {
        using var cache = OpenCache.OpenCold(_directory.Path, _clock);
        cache.Set("k", OpenCache.Value(length), OpenCache.In(TimeSpan.FromHours(1)));
        _clock.Advance(TimeSpan.FromMinutes(10));
        cache.PushToDisk("k");
        var expected = new CacheEntryInfo { Tier = CacheTier.Disk, Length = length, Age = TimeSpan.FromMinutes(10), TimeLeft = TimeSpan.FromMinutes(50) };
        Assert.Equal(expected, cache.Info("k"));
        Assert.Equal(expected, cache.Info("k"));
    }

    [Fact]
    public void TryGetEntryInfo_AfterARestart_IsTheSame()
    {
        using (var before = OpenCache.Open(_directory.Path, _clock))
        {
            before.Set("k", OpenCache.Value(100), OpenCache.In(TimeSpan.FromHours(1)));
            _clock.Advance(TimeSpan.FromMinutes(10));
        }

        _clock.Advance(TimeSpan.FromMinutes(10));
        using var after = OpenCache.Open(_directory.Path, _clock);
        var info = after.Info("k");
        Assert.Equal((100, TimeSpan.FromMinutes(20), TimeSpan.FromMinutes(40)), (info.Length, info.Age, info.TimeLeft));
    }

    [Fact]
    public void TryGetEntryInfo_MissingExpiredOrRemoved_IsFalse()
    {
        _cache.Set("expired", [1], OpenCache.In(TimeSpan.FromMinutes(1)));
        _cache.Set("removed", [1], OpenCache.NoExpiration);
        _cache.Remove("removed");
        _clock.Advance(TimeSpan.FromMinutes(1));
        foreach (string key in new[] { "missing", "expired", "removed" })
        {
            Assert.False(_cache.TryGetEntryInfo(key, out var info));
            Assert.Equal(default, info);
        }
    }

    private static Task Sync(Action call)
    {
        call();
        return Task.CompletedTask;
    }
}
