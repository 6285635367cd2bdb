using HybridCaching.Tests.Support;
using Microsoft.Extensions.Caching.Distributed;

namespace HybridCaching.Tests.Distributed;

/// <summary>Reading and refreshing renew a sliding deadline once an eighth of the window has passed, up to the absolute expiration.</summary>
public sealed class SlidingTests : IDisposable
{
    private static readonly TimeSpan Tick = TimeSpan.FromTicks(1);
    private static readonly TimeSpan Minute = TimeSpan.FromMinutes(1);
    private static readonly TimeSpan Window = Minute * 8;
    private static readonly TimeSpan Eighth = Minute;

    private readonly ManualTimeProvider _clock = new();
    private readonly FasterDistributedCache _cache;

    public SlidingTests() => _cache = OpenCache.Open(clock: _clock);

    public static MatrixTheoryData<SetMember, GetMember> Pairs => new(CacheMembers.Setters, CacheMembers.Getters);

    public static TheoryData<GetMember> Getters => [.. CacheMembers.Getters];

    public static TheoryData<bool> SyncAndAsync => [false, true];

    public void Dispose() => _cache.Dispose();

    [Theory]
    [MemberData(nameof(Pairs))]
    public async Task Get_NotReadForTheWindow_IsMiss(SetMember set, GetMember get)
    {
        await _cache.StoreAsync(set, "k", [1], OpenCache.Sliding(Window));
        _clock.Advance(Window);
        Assert.Null(await _cache.ReadAsync(get, "k"));
    }

    [Theory]
    [MemberData(nameof(Pairs))]
    public async Task Get_JustBeforeTheWindowEnds_IsHitAndRenews(SetMember set, GetMember get)
    {
        await _cache.StoreAsync(set, "k", [1], OpenCache.Sliding(Window));
        _clock.Advance(Window - Tick);
        Assert.NotNull(await _cache.ReadAsync(get, "k"));
        _clock.Advance(Window - Tick);
        Assert.NotNull(await _cache.ReadAsync(get, "k"));
        _clock.Advance(Window);
        Assert.Null(await _cache.ReadAsync(get, "k"));
    }

    [Theory]
    [MemberData(nameof(Getters))]
    public async Task Get_AnEighthAfterTheLastRenewal_Renews(GetMember get)
    {
        _cache.Set("k", [1], OpenCache.Sliding(Window));
        _clock.Advance(Eighth);
        await _cache.ReadAsync(get, "k");
        Assert.Equal(Window, _cache.Info("k").TimeLeft);
    }

    [Theory]
    [MemberData(nameof(Getters))]
    public async Task Get_SoonerThanAnEighthAfterTheLastRenewal_DoesNotRenew(GetMember get)
    {
        _cache.Set("k", [1], OpenCache.Sliding(Window));
        _clock.Advance(Eighth - Tick);
        await _cache.ReadAsync(get, "k");
        Assert.Equal(Window - Eighth + Tick, _cache.Info("k").TimeLeft);
    }

    [Fact]
    public void Get_ReadAllTheTime_RenewsOnceInAnEighth()
    {
        _cache.Set("k", [1], OpenCache.Sliding(Window));
        for (int i = 0; i < 200; i++)
        {
            _clock.Advance(Eighth / 10);
            Assert.NotNull(_cache.Get("k"));
            Assert.InRange(_cache.Info("k").TimeLeft!.Value, Window - Eighth, Window);
        }
    }

    [Theory]
    [MemberData(nameof(SyncAndAsync))]
    public async Task Refresh_AnEighthAfterTheLastRenewal_Renews(bool isAsync)
    {
        _cache.Set("k", [1], OpenCache.Sliding(Window));
        _clock.Advance(Eighth);
        await RefreshAsync(isAsync, "k");
        Assert.Equal(Window, _cache.Info("k").TimeLeft);
    }

    [Theory]
    [MemberData(nameof(SyncAndAsync))]
    public async Task Refresh_SoonerThanAnEighthAfterTheLastRenewal_DoesNotRenew(bool isAsync)
    {
        _cache.Set("k", [1], OpenCache.Sliding(Window));
        _clock.Advance(Eighth - Tick);
        await RefreshAsync(isAsync, "k");
        Assert.Equal(Window - Eighth + Tick, _cache.Info("k").TimeLeft);
    }

    [Theory]
    [MemberData(nameof(SyncAndAsync))]
    public async Task Refresh_AgainAndAgain_KeepsTheEntry(bool isAsync)
    {
        _cache.Set("k", [1, 2, 3], OpenCache.Sliding(Window));
        for (int i = 0; i < 5; i++)
        {
            _clock.Advance(Window - Tick);
            await RefreshAsync(isAsync, "k");
        }

        Assert.Equal([1, 2, 3], _cache.Get("k")!);
    }

    [Theory]
    [MemberData(nameof(SyncAndAsync))]
    public async Task Refresh_MissingKey_DoesNothing(bool isAsync)
    {
        await RefreshAsync(isAsync, "k");
        Assert.Null(_cache.Get("k"));
    }

    [Theory]
    [MemberData(nameof(SyncAndAsync))]
    public async Task Refresh_ExpiredKey_DoesNotBringItBack(bool isAsync)
    {
        _cache.Set("k", [1], OpenCache.Sliding(Window));
        _clock.Advance(Window);
        await RefreshAsync(isAsync, "k");
        Assert.Null(_cache.Get("k"));
    }

    [Theory]
    [MemberData(nameof(SyncAndAsync))]
    public async Task Refresh_AbsoluteExpirationOnly_DoesNotProlongIt(bool isAsync)
    {
        _cache.Set("k", [1], OpenCache.In(Window));
        _clock.Advance(Minute * 5);
        await RefreshAsync(isAsync, "k");
        Assert.Equal(Minute * 3, _cache.Info("k").TimeLeft);
    }

    [Theory]
    [MemberData(nameof(SyncAndAsync))]
    public async Task Refresh_NoExpiration_LeavesItSo(bool isAsync)
    {
        _cache.Set("k", [1], OpenCache.NoExpiration);
        await RefreshAsync(isAsync, "k");
        Assert.Null(_cache.Info("k").TimeLeft);
    }

    [Theory]
    [MemberData(nameof(Pairs))]
    public async Task Get_SlidingWithAbsoluteExpiration_EndsAtTheAbsoluteOne(SetMember set, GetMember get)
    {
        var options = new DistributedCacheEntryOptions { SlidingExpiration = Window, AbsoluteExpiration = _clock.GetUtcNow() + (Minute * 20) };
        await _cache.StoreAsync(set, "k", [1], options);
        await AssertEndsAfterAsync(get, Minute * 20);
    }

    [Theory]
    [MemberData(nameof(Pairs))]
    public async Task Get_SlidingWithRelativeExpiration_EndsAtTheRelativeOne(SetMember set, GetMember get)
    {
        var options = new DistributedCacheEntryOptions { SlidingExpiration = Window, AbsoluteExpirationRelativeToNow = Minute * 20 };
        await _cache.StoreAsync(set, "k", [1], options);
        await AssertEndsAfterAsync(get, Minute * 20);
    }

    [Fact]
    public void Get_AllThreeExpirations_EndsAtTheRelativeOne()
    {
        var options = new DistributedCacheEntryOptions
        {
            SlidingExpiration = Window,
            AbsoluteExpirationRelativeToNow = Minute * 6,
            AbsoluteExpiration = _clock.GetUtcNow() + (Minute * 3),
        };
        _cache.Set("k", [1], options);
        Assert.Equal(Minute * 6, _cache.Info("k").TimeLeft);
    }

    [Theory]
    [MemberData(nameof(SyncAndAsync))]
    public async Task Refresh_SlidingWithAbsoluteExpiration_StopsAtTheAbsoluteOne(bool isAsync)
    {
        _cache.Set("k", [1], new DistributedCacheEntryOptions { SlidingExpiration = Window, AbsoluteExpirationRelativeToNow = Minute * 10 });
        _clock.Advance(Minute * 6);
        await RefreshAsync(isAsync, "k");
        Assert.Equal(Minute * 4, _cache.Info("k").TimeLeft);
        _clock.Advance(Minute * 4);
        Assert.Null(_cache.Get("k"));
    }

    [Fact]
    public void Set_WindowLongerThanTheAbsoluteExpiration_EndsAtTheAbsoluteOne()
    {
        _cache.Set("k", [1], new DistributedCacheEntryOptions { SlidingExpiration = Window, AbsoluteExpirationRelativeToNow = Minute });
        _clock.Advance(Minute - Tick);
        Assert.NotNull(_cache.Get("k"));
        _clock.Advance(Tick);
        Assert.Null(_cache.Get("k"));
    }

    [Fact]
    public void TryGetEntryInfo_SlidingEntry_DoesNotRenew()
    {
        _cache.Set("k", [1], OpenCache.Sliding(Window));
        _clock.Advance(Minute * 5);
        _cache.Info("k");
        Assert.Equal(Minute * 3, _cache.Info("k").TimeLeft);
        _clock.Advance(Minute * 3);
        Assert.Null(_cache.Get("k"));
    }

    [Fact]
    public void Get_Renews_KeepsTheAge()
    {
        _cache.Set("k", [1], OpenCache.Sliding(Window));
        _clock.Advance(Minute * 5);
        _cache.Get("k");
        Assert.Equal(Minute * 5, _cache.Info("k").Age);
    }

    [Fact]
    public void Get_ShortestWindow_Works()
    {
        _cache.Set("k", [1], OpenCache.Sliding(Tick));
        Assert.NotNull(_cache.Get("k"));
        _clock.Advance(Tick);
        Assert.Null(_cache.Get("k"));
    }

    /// <summary>After every read the entry lives at least seven eighths of the window longer and at most the whole of it, never beyond the absolute expiration.</summary>
    [Theory]
    [InlineData(1)]
    [InlineData(2)]
    [InlineData(3)]
    [InlineData(4)]
    public void Get_AtRandomTimes_LivesAsLongAsTheRuleSays(int seed)
    {
        var random = new Random(seed);
        for (int round = 0; round < 40; round++)
        {
            var cap = _clock.GetUtcNow() + (Minute * random.Next(4, 60));
            _cache.Set("k", [1], new DistributedCacheEntryOptions { SlidingExpiration = Window, AbsoluteExpiration = cap });
            var lastRead = _clock.GetUtcNow();
            var atLeast = lastRead + Window;
            while (true)
            {
                _clock.Advance(TimeSpan.FromSeconds(random.Next(1, random.Next(2) == 0 ? 50 : 500)));
                var now = _clock.GetUtcNow();
                bool hit = _cache.Get("k") is not null;
                if (now >= cap || now >= lastRead + Window) Assert.False(hit);
                else if (now < atLeast) Assert.True(hit);
                if (!hit) break;
                lastRead = now;
                atLeast = now + Window - Eighth;
            }
        }
    }

    private Task RefreshAsync(bool isAsync, string key)
    {
        if (isAsync) return _cache.RefreshAsync(key);
        _cache.Refresh(key);
        return Task.CompletedTask;
    }

    private async Task AssertEndsAfterAsync(GetMember get, TimeSpan lifetime)
    {
        var step = Minute * 5;
        for (var passed = step; passed < lifetime; passed += step)
        {
            _clock.Advance(step);
            Assert.NotNull(await _cache.ReadAsync(get, "k"));
        }

        _clock.Advance(step - Tick);
        Assert.NotNull(await _cache.ReadAsync(get, "k"));
        _clock.Advance(Tick);
        Assert.Null(await _cache.ReadAsync(get, "k"));
    }
}
