using HybridCaching.Tests.Support;
using Microsoft.Extensions.Caching.Distributed;

namespace HybridCaching.Tests.Distributed;

/// <summary>Clocks that jump, and times at the edges: nothing is served after its time, nothing overflows.</summary>
public sealed class BytesClockTests : IDisposable
{
    private const string Key = "key";
    private static readonly TimeSpan Hour = TimeSpan.FromHours(1);
    private static readonly TimeSpan Tick = TimeSpan.FromTicks(1);

    private readonly TestDirectory _directory = new();
    private readonly ManualTimeProvider _clock = new();

    [Fact]
    public void Get_ClockAnHourAhead_IsGone() => WithCache(cache =>
    {
        Set(cache, relative: Hour);
        _clock.SetUtcNow(_clock.GetUtcNow() + Hour);

        Assert.Null(cache.Get(Key));
    });

    [Fact]
    public void Get_ClockTenYearsAhead_OnlyWhatNeverExpiresIsThere() => WithCache(cache =>
    {
        Set(cache, relative: TimeSpan.FromDays(3000));
        cache.Set("for ever", [1], BytesCache.ForEver);
        _clock.SetUtcNow(_clock.GetUtcNow().AddYears(10));

        Assert.Equal((null, true), (cache.Get(Key), cache.Get("for ever") is not null));
    });

    /// <summary>The end of an absolute expiration is a moment of the wall clock, however often that comes.</summary>
    [Fact]
    public void Get_ClockSetBack_EndsAtTheSameMoment() => WithCache(cache =>
    {
        var end = _clock.GetUtcNow() + Hour;
        Set(cache, relative: Hour);
        _clock.SetUtcNow(_clock.GetUtcNow() - Hour);
        cache.Get(Key);
        _clock.SetUtcNow(end);

        Assert.Null(cache.Get(Key));
    });

    [Fact]
    public void Get_ClockSetBackAndSliding_EndsAtTheCap() => WithCache(cache =>
    {
        var end = _clock.GetUtcNow() + Hour;
        Set(cache, relative: Hour, sliding: TimeSpan.FromMinutes(10));
        _clock.SetUtcNow(_clock.GetUtcNow() - Hour);
        for (; _clock.GetUtcNow() < end; _clock.Advance(TimeSpan.FromMinutes(5))) cache.Get(Key);

        Assert.Null(cache.Get(Key));
    });

    [Fact]
    public void Get_ClockSetBackAndSliding_LivesNoLongerThanTheWindowOrAsBefore() => WithCache(cache =>
    {
        Set(cache, sliding: Hour);
        var end = _clock.GetUtcNow() + Hour;
        _clock.SetUtcNow(_clock.GetUtcNow() - (10 * Hour));
        cache.Get(Key);
        _clock.SetUtcNow(end);

        Assert.Null(cache.Get(Key));
    });

    [Fact]
    public void Get_RestartedWithTheClockSetBack_EndsAtTheSameMoment()
    {
        var end = _clock.GetUtcNow() + Hour;
        WithCache(cache => Set(cache, relative: Hour));
        _clock.SetUtcNow(_clock.GetUtcNow() - Hour);
        WithCache(cache => cache.Get(Key));
        _clock.SetUtcNow(end);

        WithCache(cache => Assert.Null(cache.Get(Key)));
    }

    [Fact]
    public void Get_RestartedWithTheClockTenYearsAhead_IsGone()
    {
        WithCache(cache =>
        {
            Set(cache, relative: TimeSpan.FromDays(3000));
            cache.Set("for ever", [1], BytesCache.ForEver);
        });
        _clock.SetUtcNow(_clock.GetUtcNow().AddYears(10));

        WithCache(cache => Assert.Equal((null, true), (cache.Get(Key), cache.Get("for ever") is not null)));
    }

    [Fact]
    public void TryGetEntryInfo_ClockSetBack_HasNoNegativeAge() => WithCache(cache =>
    {
        Set(cache, relative: Hour);
        _clock.SetUtcNow(_clock.GetUtcNow() - (3 * Hour));

        if (cache.TryGetEntryInfo(Key, out var info)) Assert.InRange(info.Age, TimeSpan.Zero, Hour);
    });

    /// <summary>Time goes on in leaps and small steps, now and then back; whatever is stored with an end is never found after it.</summary>
    [Theory]
    [InlineData(1)]
    [InlineData(2)]
    public void Get_ClockThatLeaps_NeverFindsWhatIsOver(int seed) => WithCache(cache =>
    {
        const int Keys = 20;
        var random = new Random(seed);
        var ends = new DateTimeOffset[Keys];
        for (int i = 0; i < 10_000; i++)
        {
            int key = random.Next(Keys);
            var now = _clock.GetUtcNow();
            if (random.Next(4) == 0)
            {
                ends[key] = now.AddSeconds(1 + random.Next(3600));
                cache.Set($"{key}", [1], new DistributedCacheEntryOptions { AbsoluteExpiration = ends[key], SlidingExpiration = random.Next(2) == 0 ? Hour : null });
            }

            if (cache.Get($"{key}") is not null) Assert.True(now < ends[key], $"step {i}: found at {now}, though it ended at {ends[key]}");
            _clock.SetUtcNow(now.AddSeconds(random.Next(10) switch { 0 => -random.Next(1800), 1 => random.Next(1800), _ => random.Next(30) }));
        }
    });

    [Fact]
    public void Get_ATickBeforeTheEnd_IsThere() => WithCache(cache =>
    {
        Set(cache, relative: Hour);
        _clock.Advance(Hour - Tick);

        Assert.NotNull(cache.Get(Key));
    });

    [Fact]
    public void Get_AtTheEnd_IsGone() => WithCache(cache =>
    {
        Set(cache, relative: Hour);
        _clock.Advance(Hour);

        Assert.Null(cache.Get(Key));
    });

    [Theory]
    [InlineData(true)]
    [InlineData(false)]
    public void Get_OneTick_IsThereAndThenGone(bool sliding) => WithCache(cache =>
    {
        Set(cache, relative: sliding ? null : Tick, sliding: sliding ? Tick : null);
        Assert.NotNull(cache.Get(Key));
        _clock.Advance(Tick);

        Assert.Null(cache.Get(Key));
    });

    [Fact]
    public void Get_OneMillisecond_IsThereAndThenGone() => WithCache(cache =>
    {
        Set(cache, relative: TimeSpan.FromMilliseconds(1));
        _clock.Advance(TimeSpan.FromMilliseconds(1) - Tick);
        Assert.NotNull(cache.Get(Key));
        _clock.Advance(Tick);

        Assert.Null(cache.Get(Key));
    });

    /// <summary>Ends beyond what a clock can show.</summary>
    [Fact]
    public void Get_LongestTimes_NeverOverflow() => WithCache(cache =>
    {
        cache.Set("relative", [1], new DistributedCacheEntryOptions { AbsoluteExpirationRelativeToNow = TimeSpan.MaxValue });
        cache.Set("absolute", [1], new DistributedCacheEntryOptions { AbsoluteExpiration = DateTimeOffset.MaxValue });
        cache.Set("sliding", [1], new DistributedCacheEntryOptions { SlidingExpiration = TimeSpan.MaxValue });
        cache.Set("all", [1], new DistributedCacheEntryOptions { AbsoluteExpiration = DateTimeOffset.MaxValue, SlidingExpiration = TimeSpan.MaxValue });
        cache.Set("seconds beyond int", [1], new DistributedCacheEntryOptions { AbsoluteExpirationRelativeToNow = TimeSpan.FromSeconds(4L * int.MaxValue) });
        _clock.SetUtcNow(_clock.GetUtcNow().AddYears(200));

        Assert.All(["relative", "absolute", "sliding", "all", "seconds beyond int"], key => Assert.NotNull(cache.Get(key)));
        Assert.All(["relative", "absolute", "sliding", "all", "seconds beyond int"], key => Assert.True(cache.TryGetEntryInfo(key, out var info) && info.TimeLeft is not { Ticks: <= 0 }));
    });

    [Fact]
    public void Get_LongSlidingWindowWithACap_EndsAtTheCap() => WithCache(cache =>
    {
        Set(cache, relative: Hour, sliding: TimeSpan.MaxValue);
        _clock.Advance(Hour - Tick);
        Assert.NotNull(cache.Get(Key));
        _clock.Advance(Tick);

        Assert.Null(cache.Get(Key));
    });

    /// <summary>An hour that comes twice or not at all is nothing to instants.</summary>
    [Theory]
    [InlineData(-12)]
    [InlineData(2)]
    [InlineData(14)]
    public void Get_EndGivenInAnotherOffset_EndsAtTheInstant(int offset) => WithCache(cache =>
    {
        cache.Set(Key, [1], new DistributedCacheEntryOptions { AbsoluteExpiration = (_clock.GetUtcNow() + Hour).ToOffset(TimeSpan.FromHours(offset)) });
        _clock.Advance(Hour - Tick);
        Assert.NotNull(cache.Get(Key));
        _clock.Advance(Tick);

        Assert.Null(cache.Get(Key));
    });

    public void Dispose() => _directory.Dispose();

    private static void Set(FasterDistributedCache cache, TimeSpan? relative = null, TimeSpan? sliding = null) =>
        cache.Set(Key, [1, 2, 3], new DistributedCacheEntryOptions { AbsoluteExpirationRelativeToNow = relative, SlidingExpiration = sliding });

    private void WithCache(Action<FasterDistributedCache> use)
    {
        using var cache = BytesCache.Open(_directory.Path, change: o => o.TimeProvider = _clock);
        use(cache);
    }
}
