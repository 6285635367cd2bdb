using HybridCaching.Tests.Support;

namespace HybridCaching.Tests;

public sealed class ExpiryTests : IDisposable
{
    private readonly ManualTimeProvider _clock = new();
    private readonly FasterCache<long, long> _cache;

    public ExpiryTests() => _cache = new FasterCache<long, long>(new FasterCacheOptions { MemoryBudget = "16MB", TimeProvider = _clock });

    public void Dispose() => _cache.Dispose();

    [Fact]
    public void TryGet_JustBeforeTheDeadline_IsHit()
    {
        _cache.Set(1, 10, TimeSpan.FromSeconds(5));
        _clock.Advance(TimeSpan.FromSeconds(5) - TimeSpan.FromMilliseconds(1));

        Assert.True(_cache.TryGet(1, out _));
    }

    [Fact]
    public void TryGet_AtTheDeadline_IsMiss()
    {
        _cache.Set(1, 10, TimeSpan.FromSeconds(5));
        _clock.Advance(TimeSpan.FromSeconds(5));

        Assert.False(_cache.TryGet(1, out _));
    }

    /// <summary>Clocks of tests begin in 2000 by default, those of machines that have lost the time in 1970.</summary>
    [Theory]
    [InlineData(1970)]
    [InlineData(2000)]
    [InlineData(2100)]
    public void TryGet_AtTheDeadlineWhateverTheYear_IsMiss(int year)
    {
        _clock.SetUtcNow(new DateTimeOffset(year, 1, 1, 0, 0, 0, TimeSpan.Zero));
        _cache.Set(1, 10, TimeSpan.FromMinutes(5));
        _clock.Advance(TimeSpan.FromMinutes(5) - TimeSpan.FromMilliseconds(1));
        Assert.True(_cache.TryGet(1, out _));
        _clock.Advance(TimeSpan.FromMilliseconds(1));
        Assert.False(_cache.TryGet(1, out _));
    }

    [Fact]
    public void TryGet_ExpiredEntry_IsCountedAsExpired()
    {
        _cache.Set(1, 10, TimeSpan.FromSeconds(5));
        _clock.Advance(TimeSpan.FromSeconds(6));
        _cache.TryGet(1, out _);

        Assert.Equal(1, _cache.GetStatistics().ExpiredMisses);
    }

    [Fact]
    public void TryAdd_ExpiredEntry_StoresTheNewValue()
    {
        _cache.Set(1, 10, TimeSpan.FromSeconds(5));
        _clock.Advance(TimeSpan.FromSeconds(6));

        Assert.True(_cache.TryAdd(1, 20) && _cache.TryGet(1, out long value) && value == 20);
    }

    [Fact]
    public void Touch_PresentEntry_LivesOn()
    {
        _cache.Set(1, 10, TimeSpan.FromSeconds(5));
        _clock.Advance(TimeSpan.FromSeconds(4));
        _cache.Touch(1, TimeSpan.FromSeconds(5));
        _clock.Advance(TimeSpan.FromSeconds(4));

        Assert.True(_cache.TryGet(1, out long value) && value == 10);
    }

    [Fact]
    public void Touch_ExpiredEntry_IsFalse()
    {
        _cache.Set(1, 10, TimeSpan.FromSeconds(5));
        _clock.Advance(TimeSpan.FromSeconds(5));

        Assert.False(_cache.Touch(1, TimeSpan.FromSeconds(5)));
    }

    [Fact]
    public void Remove_ExpiredEntry_IsFalse()
    {
        _cache.Set(1, 10, TimeSpan.FromSeconds(5));
        _clock.Advance(TimeSpan.FromSeconds(5));

        Assert.False(_cache.Remove(1));
    }

    [Fact]
    public void Set_WithoutTimeToLive_TakesTheDefault()
    {
        using var cache = new FasterCache<long, long>(new FasterCacheOptions { MemoryBudget = "16MB", TimeProvider = _clock, DefaultTimeToLive = TimeSpan.FromMinutes(1) });
        cache.Set(1, 10);
        _clock.Advance(TimeSpan.FromMinutes(1));

        Assert.False(cache.TryGet(1, out _));
    }

    [Fact]
    public void Set_InfiniteTimeToLive_OverridesTheDefault()
    {
        using var cache = new FasterCache<long, long>(new FasterCacheOptions { MemoryBudget = "16MB", TimeProvider = _clock, DefaultTimeToLive = TimeSpan.FromMinutes(1) });
        cache.Set(1, 10, Timeout.InfiniteTimeSpan);
        _clock.Advance(TimeSpan.FromDays(365));

        Assert.True(cache.TryGet(1, out _));
    }

    [Theory]
    [InlineData(0)]
    [InlineData(-5)]
    public void Set_TimeToLiveNotPositive_ThrowsAndStoresNothing(int seconds)
    {
        Assert.Throws<ArgumentOutOfRangeException>("timeToLive", () => _cache.Set(1, 10, TimeSpan.FromSeconds(seconds)));
        Assert.False(_cache.ContainsKey(1));
    }
}
