using HybridCaching.Tests.Support;

namespace HybridCaching.Tests.Recovery;

/// <summary>The clock is set back while no cache is open: what had expired stays gone.</summary>
public sealed class ClockSetBackTests : IDisposable
{
    private readonly TestDirectory _directory = new();
    private readonly CollectingLoggerFactory _log = new();
    private readonly ManualTimeProvider _clock = new();

    [Fact]
    public void Reopen_SetBackByLessThanAMinute_WhatHadExpiredStaysGone()
    {
        Store(TimeSpan.FromSeconds(30));
        _clock.SetUtcNow(_clock.GetUtcNow() - TimeSpan.FromSeconds(50));

        using var cache = Open();

        Assert.Equal(0, cache.CountHits(0, 1, version: 1));
    }

    [Fact]
    public void Reopen_SetBackByLessThanAMinute_TheRestIsThere()
    {
        Store(TimeSpan.FromHours(1));
        _clock.SetUtcNow(_clock.GetUtcNow() - TimeSpan.FromSeconds(50));

        using var cache = Open();

        Assert.Equal(1, cache.CountHits(0, 1, version: 1));
        Assert.Empty(_log.Warnings);
    }

    [Fact]
    public void Reopen_SetBackByAnHour_IsColdAndWarnsOnce()
    {
        Store(TimeSpan.FromDays(1));
        _clock.SetUtcNow(_clock.GetUtcNow() - TimeSpan.FromHours(1));

        using var cache = Open();

        Assert.Equal(0, cache.CountHits(0, 1, version: 1));
        Assert.Contains("set back by 01:00:00", Assert.Single(_log.Warnings), StringComparison.Ordinal);
    }

    [Fact]
    public void Reopen_SetBackAfterAKill_IsColdAndWarnsOnce()
    {
        using (var child = ChildCache.Start(_directory.Path, "set 0 1000 1,flush")) child.Kill();
        _clock.SetUtcNow(DateTimeOffset.UtcNow - TimeSpan.FromHours(1));

        using var cache = Open();

        Assert.Equal(0, cache.CountHits(0, 1000, version: 1));
        Assert.Contains("set back by", Assert.Single(_log.Warnings), StringComparison.Ordinal);
    }

    public void Dispose() => _directory.Dispose();

    /// <summary>Stores an entry, and closes the cache a minute later.</summary>
    private void Store(TimeSpan timeToLive)
    {
        using var cache = Open();
        cache.Set(0, Stamp.Of(0, 1), timeToLive);
        _clock.Advance(TimeSpan.FromSeconds(59));
    }

    private FasterCache<long, Stamp> Open() => StampCache.Open(_directory.Path, _log, o => o.TimeProvider = _clock);
}
