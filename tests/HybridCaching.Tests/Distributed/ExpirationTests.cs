using HybridCaching.Tests.Support;
using Microsoft.Extensions.Caching.Distributed;

namespace HybridCaching.Tests.Distributed;

/// <summary>Absolute expiration, the defaults, and what a Set does to the settings of the one before.</summary>
public sealed class ExpirationTests : IDisposable
{
    private static readonly TimeSpan Tick = TimeSpan.FromTicks(1);
    private static readonly TimeSpan Minute = TimeSpan.FromMinutes(1);

    private readonly ManualTimeProvider _clock = new();
    private readonly FasterDistributedCache _cache;

    public ExpirationTests() => _cache = OpenCache.Open(clock: _clock);

    public static MatrixTheoryData<SetMember, GetMember> Pairs => new(CacheMembers.Setters, CacheMembers.Getters);

    public static TheoryData<SetMember> Setters => [.. CacheMembers.Setters];

    public static TheoryData<int> Offsets => [-12, -5, 0, 2, 14];

    public void Dispose() => _cache.Dispose();

    [Theory]
    [MemberData(nameof(Pairs))]
    public async Task Get_RelativeExpiration_IsHitUntilTheInstant(SetMember set, GetMember get)
    {
        await _cache.StoreAsync(set, "k", [1], OpenCache.In(Minute));
        _clock.Advance(Minute - Tick);
        Assert.NotNull(await _cache.ReadAsync(get, "k"));
        _clock.Advance(Tick);
        Assert.Null(await _cache.ReadAsync(get, "k"));
    }

    [Theory]
    [MemberData(nameof(Pairs))]
    public async Task Get_AbsoluteExpiration_IsHitUntilTheInstant(SetMember set, GetMember get)
    {
        await _cache.StoreAsync(set, "k", [1], OpenCache.At(_clock.GetUtcNow() + Minute));
        _clock.Advance(Minute - Tick);
        Assert.NotNull(await _cache.ReadAsync(get, "k"));
        _clock.Advance(Tick);
        Assert.Null(await _cache.ReadAsync(get, "k"));
    }

    [Theory]
    [MemberData(nameof(Offsets))]
    public void Get_AbsoluteExpirationInAnotherZone_IsHitUntilTheInstant(int hours)
    {
        _cache.Set("k", [1], OpenCache.At((_clock.GetUtcNow() + Minute).ToOffset(TimeSpan.FromHours(hours))));
        _clock.Advance(Minute - Tick);
        Assert.NotNull(_cache.Get("k"));
        _clock.Advance(Tick);
        Assert.Null(_cache.Get("k"));
    }

    [Theory]
    [InlineData(1, 10)]
    [InlineData(10, 1)]
    public void Get_RelativeAndAbsolute_RelativeWins(int relativeMinutes, int absoluteMinutes)
    {
        var relative = relativeMinutes * Minute;
        _cache.Set("k", [1], new DistributedCacheEntryOptions { AbsoluteExpirationRelativeToNow = relative, AbsoluteExpiration = _clock.GetUtcNow() + (absoluteMinutes * Minute) });
        _clock.Advance(relative - Tick);
        Assert.NotNull(_cache.Get("k"));
        _clock.Advance(Tick);
        Assert.Null(_cache.Get("k"));
    }

    [Theory]
    [MemberData(nameof(Setters))]
    public async Task Get_ShortestAbsoluteExpiration_IsHitNowAndMissThen(SetMember set)
    {
        await _cache.StoreAsync(set, "k", [1], OpenCache.At(_clock.GetUtcNow() + Tick));
        Assert.NotNull(_cache.Get("k"));
        _clock.Advance(Tick);
        Assert.Null(_cache.Get("k"));
    }

    [Theory]
    [MemberData(nameof(Setters))]
    public async Task Get_NoExpiration_IsHitForEver(SetMember set)
    {
        await _cache.StoreAsync(set, "k", [1]);
        _clock.Advance(TimeSpan.FromDays(36_500));
        Assert.NotNull(_cache.Get("k"));
    }

    [Theory]
    [MemberData(nameof(Setters))]
    public async Task Get_LongestExpirations_AreHits(SetMember set)
    {
        await _cache.StoreAsync(set, "relative", [1], OpenCache.In(TimeSpan.MaxValue));
        await _cache.StoreAsync(set, "absolute", [1], OpenCache.At(DateTimeOffset.MaxValue));
        await _cache.StoreAsync(set, "sliding", [1], OpenCache.Sliding(TimeSpan.MaxValue));
        await _cache.StoreAsync(set, "both", [1], new DistributedCacheEntryOptions { AbsoluteExpirationRelativeToNow = TimeSpan.MaxValue, SlidingExpiration = TimeSpan.MaxValue });
        _clock.Advance(TimeSpan.FromDays(3_650));
        Assert.All(["relative", "absolute", "sliding", "both"], key => Assert.NotNull(_cache.Get(key)));
    }

    [Theory]
    [MemberData(nameof(Setters))]
    public async Task Set_AfterExpiry_IsHitAgain(SetMember set)
    {
        _cache.Set("k", [1], OpenCache.In(Minute));
        _clock.Advance(Minute);
        await _cache.StoreAsync(set, "k", [2], OpenCache.In(Minute));
        Assert.Equal([2], _cache.Get("k")!);
    }

    [Theory]
    [MemberData(nameof(Setters))]
    public async Task Set_WithoutExpirationOverAnAbsoluteOne_NeverExpires(SetMember set)
    {
        _cache.Set("k", [1], OpenCache.In(Minute));
        await _cache.StoreAsync(set, "k", [2]);
        _clock.Advance(TimeSpan.FromDays(1));
        Assert.Equal([2], _cache.Get("k")!);
    }

    [Theory]
    [MemberData(nameof(Setters))]
    public async Task Set_WithoutExpirationOverASlidingOne_NeverExpires(SetMember set)
    {
        _cache.Set("k", [1], OpenCache.Sliding(Minute));
        await _cache.StoreAsync(set, "k", [2]);
        Assert.Equal([2], _cache.Get("k")!);
        Assert.Null(_cache.Info("k").TimeLeft);
        _clock.Advance(TimeSpan.FromDays(1));
        Assert.Equal([2], _cache.Get("k")!);
    }

    [Theory]
    [MemberData(nameof(Setters))]
    public async Task Set_AbsoluteOverSliding_IsNotRenewed(SetMember set)
    {
        _cache.Set("k", [1], OpenCache.Sliding(Minute * 8));
        await _cache.StoreAsync(set, "k", [2], OpenCache.In(Minute * 8));
        _clock.Advance(Minute * 5);
        Assert.NotNull(_cache.Get("k"));
        _clock.Advance(Minute * 3);
        Assert.Null(_cache.Get("k"));
    }

    [Theory]
    [MemberData(nameof(Setters))]
    public async Task Set_SlidingOverSlidingWithACap_HasNoCap(SetMember set)
    {
        _cache.Set("k", [1], new DistributedCacheEntryOptions { SlidingExpiration = Minute * 8, AbsoluteExpirationRelativeToNow = Minute * 10 });
        await _cache.StoreAsync(set, "k", [2], OpenCache.Sliding(Minute * 8));
        for (int i = 0; i < 4; i++)
        {
            _clock.Advance(Minute * 5);
            Assert.NotNull(_cache.Get("k"));
        }
    }

    [Theory]
    [MemberData(nameof(Setters))]
    public async Task Set_Again_BeginsTheTimeAnew(SetMember set)
    {
        await _cache.StoreAsync(set, "k", [1], OpenCache.In(Minute));
        _clock.Advance(Minute / 2);
        await _cache.StoreAsync(set, "k", [1], OpenCache.In(Minute));
        _clock.Advance(Minute - Tick);
        Assert.NotNull(_cache.Get("k"));
    }

    [Fact]
    public void Set_OptionsChangedAfterwards_KeepsTheExpiration()
    {
        var options = OpenCache.In(Minute);
        _cache.Set("k", [1], options);
        options.AbsoluteExpirationRelativeToNow = TimeSpan.FromDays(1);
        _clock.Advance(Minute);
        Assert.Null(_cache.Get("k"));
    }

    [Theory]
    [MemberData(nameof(Setters))]
    public async Task Set_WithoutExpiration_TakesTheDefaultTimeToLive(SetMember set)
    {
        using var cache = OpenWithDefaults(timeToLive: Minute, sliding: null);
        await cache.StoreAsync(set, "k", [1]);
        _clock.Advance(Minute - Tick);
        Assert.NotNull(cache.Get("k"));
        _clock.Advance(Tick);
        Assert.Null(cache.Get("k"));
    }

    [Theory]
    [MemberData(nameof(Setters))]
    public async Task Set_WithoutExpiration_TakesTheDefaultSlidingExpiration(SetMember set)
    {
        using var cache = OpenWithDefaults(timeToLive: null, sliding: Minute * 8);
        await cache.StoreAsync(set, "k", [1]);
        for (int i = 0; i < 4; i++)
        {
            _clock.Advance(Minute * 5);
            Assert.NotNull(cache.Get("k"));
        }

        _clock.Advance(Minute * 8);
        Assert.Null(cache.Get("k"));
    }

    [Fact]
    public void Set_WithoutExpirationAndBothDefaults_SlidesUpToTheTimeToLive()
    {
        using var cache = OpenWithDefaults(timeToLive: Minute * 12, sliding: Minute * 8);
        cache.Set("k", [1], OpenCache.NoExpiration);
        Assert.Equal(Minute * 8, cache.Info("k").TimeLeft);
        _clock.Advance(Minute * 6);
        Assert.NotNull(cache.Get("k"));
        Assert.Equal(Minute * 6, cache.Info("k").TimeLeft);
        _clock.Advance(Minute * 6);
        Assert.Null(cache.Get("k"));
    }

    [Fact]
    public void Set_ExpirationOfItsOwn_DoesNotTakeTheDefaults()
    {
        using var cache = OpenWithDefaults(timeToLive: Minute * 4, sliding: Minute * 2);
        cache.Set("relative", [1], OpenCache.In(Minute * 60));
        cache.Set("absolute", [1], OpenCache.At(_clock.GetUtcNow() + (Minute * 60)));
        cache.Set("sliding", [1], OpenCache.Sliding(Minute * 60));
        Assert.All(["relative", "absolute", "sliding"], key => Assert.Equal(Minute * 60, cache.Info(key).TimeLeft));
    }

    [Fact]
    public void Set_InfiniteDefaultTimeToLive_NeverExpires()
    {
        using var cache = OpenWithDefaults(timeToLive: Timeout.InfiniteTimeSpan, sliding: null);
        cache.Set("k", [1], OpenCache.NoExpiration);
        Assert.Null(cache.Info("k").TimeLeft);
    }

    [Fact]
    public void Set_InfiniteDefaultSlidingExpiration_NeverExpires()
    {
        using var cache = OpenWithDefaults(timeToLive: null, sliding: Timeout.InfiniteTimeSpan);
        cache.Set("k", [1], OpenCache.NoExpiration);
        Assert.Null(cache.Info("k").TimeLeft);
    }

    /// <summary>Between the check and the write the instant passes: no argument error, and nothing to read afterwards.</summary>
    [Theory]
    [MemberData(nameof(Setters))]
    public async Task Set_ExpiresBetweenCheckAndWrite_StoresNothing(SetMember set)
    {
        var clock = new JumpingTimeProvider();
        using var cache = OpenCache.Open(clock: clock);
        cache.Set("k", [1], OpenCache.NoExpiration);
        clock.JumpAfterNextReading(TimeSpan.FromHours(1));
        await cache.StoreAsync(set, "k", [2], OpenCache.At(clock.Start + TimeSpan.FromSeconds(1)));
        clock.JumpAfterNextReading(TimeSpan.Zero);
        Assert.Null(cache.Get("k"));
    }

    [Fact]
    public void Get_ClockSetBackwards_IsStillAHit()
    {
        _cache.Set("k", [1], OpenCache.In(Minute));
        _clock.SetUtcNow(_clock.GetUtcNow() - TimeSpan.FromDays(1));
        Assert.NotNull(_cache.Get("k"));
        Assert.True(_cache.Info("k").Age >= TimeSpan.Zero);
    }

    private FasterDistributedCache OpenWithDefaults(TimeSpan? timeToLive, TimeSpan? sliding) => OpenCache.Open(clock: _clock, change: o =>
    {
        o.DefaultTimeToLive = timeToLive;
        o.DefaultSlidingExpiration = sliding;
    });

    private sealed class JumpingTimeProvider : TimeProvider
    {
        private readonly Lock _lock = new();
        private DateTimeOffset _now;
        private TimeSpan _jump;

        public JumpingTimeProvider() => _now = Start;

        public DateTimeOffset Start { get; } = new(2026, 1, 1, 0, 0, 0, TimeSpan.Zero);

        public void JumpAfterNextReading(TimeSpan jump)
        {
            lock (_lock) _jump = jump;
        }

        public override DateTimeOffset GetUtcNow()
        {
            lock (_lock)
            {
                var now = _now;
                _now += _jump;
                return now;
            }
        }
    }
}
