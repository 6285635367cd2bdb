using HybridCaching.Tests.Support;

namespace HybridCaching.Tests.Concurrency;

public sealed class FlushTests : IDisposable
{
    private readonly TestDirectory _directory = new();
    private readonly FasterCache<long, Stamp> _cache;

    public FlushTests() => _cache = StampCache.Open(_directory.Path);

    public void Dispose()
    {
        _cache.Dispose();
        _directory.Dispose();
    }

    [Fact]
    public void FlushAsync_ManyAtOnceDuringWrites_AllEnd() => Crew.MustEnd("FlushAsync", () => Crew.Run(6, me =>
    {
        for (int i = 0; i < 40; i++)
        {
            if (me < 3) _cache.Fill(me * 1_000_000, 200, version: i);
            else Assert.True(_cache.FlushAsync().AsTask().Wait(Until.Deadline));
        }
    }));

    [Fact]
    public async Task EstimatedCount_OverwrittenAfterAFlush_CountsEachKeyOnce()
    {
        _cache.Fill(0, 1000, version: 1);
        await _cache.FlushAsync();
        _cache.Fill(0, 1000, version: 2);
        Assert.InRange(_cache.EstimatedCount, 990, 1010);
    }

    [Fact]
    public async Task FlushAsync_WithoutDirectory_LetsEntriesBeOverwrittenInTheirPlace()
    {
        long capacity = 0;
        using (var full = StampCache.Open(_directory.Path, change: o => o.Directory = null))
        {
            for (; full.GetStatistics().Evictions == 0; capacity += 1000) full.Fill(capacity, 1000, version: 1);
        }

        using var cache = StampCache.Open(_directory.Path, change: o => o.Directory = null);
        cache.Fill(0, capacity * 6 / 10, version: 1);
        await cache.FlushAsync();
        cache.Fill(0, capacity * 6 / 10, version: 2);
        Assert.Equal(0, cache.GetStatistics().Evictions);
    }

    [Fact]
    public void FlushAsync_DuringReads_ChangesNothing()
    {
        _cache.Fill(0, 30_000, version: 1);
        Crew.Run(4, me =>
        {
            if (me == 0)
            {
                for (int i = 0; i < 20; i++) Assert.True(_cache.FlushAsync().AsTask().Wait(Until.Deadline));
                return;
            }

            for (int i = 0; i < 3; i++) Found.All(30_000, _cache.CountHits(0, 30_000, version: 1));
        });
    }

    [Fact]
    public void FlushAsync_OverwrittenMeanwhile_NeverGoesBack()
    {
        bool over = false;
        Crew.Run(3, me =>
        {
            if (me == 0)
            {
                while (!Volatile.Read(ref over)) _cache.FlushAsync().AsTask().Wait(Until.Deadline);
                return;
            }

            for (long version = 0; version < 10_000; version++)
            {
                _cache.Set(me, Stamp.Of(me, version));
                Assert.True(_cache.TryGet(me, out var value));
                Assert.Equal(Stamp.Of(me, version), value);
            }

            Volatile.Write(ref over, true);
        });
    }
}
