using FASTER.core;
using HybridCaching.Tests.Support;

namespace HybridCaching.Tests.Concurrency;

/// <summary>A clock is somebody else's code: it may block, or use the cache.</summary>
public sealed class ForeignClockTests
{
    [Fact]
    public void GetMany_EntriesThatExpire_AsksTheClockOutsideTheEpoch()
    {
        var clock = new WatchingClock();
        using var cache = new FasterCache<long, Stamp>(new FasterCacheOptions { MemoryBudget = "8MB", TimeProvider = clock });
        long[] keys = [.. Enumerable.Range(0, 100)];
        foreach (long key in keys) cache.Set(key, Stamp.Of(key, 1), TimeSpan.FromHours(1));
        clock.Epoch = PrivateField.Of<LightEpoch>(PrivateField.Of<object>(PrivateField.Of<object>(cache.Tiers, "_log"), "_store"), "epoch");

        Assert.Equal(keys.Length, cache.GetMany(keys, new Stamp[keys.Length], new bool[keys.Length]));

        Assert.InRange(clock.Asked, 1, int.MaxValue);
        Assert.Equal(0, clock.AskedInEpoch);
    }

    /// <summary>Nobody would give back what whoever asks it has in hand.</summary>
    [Fact]
    public void TryGet_ClockThrows_StandsStill()
    {
        var clock = new BrokenClock();
        using var cache = new FasterCache<long, Stamp>(new FasterCacheOptions { MemoryBudget = "8MB", TimeProvider = clock });
        cache.Set(1, Stamp.Of(1, 1), TimeSpan.FromHours(1));

        clock.IsBroken = true;

        Crew.MustEnd("TryGet", () =>
        {
            for (int i = 0; i < 200; i++) Assert.True(cache.TryGetFromMemory(1, out _) && cache.TryGet(1, out _) && cache.ContainsKey(1));
        });
    }

    private sealed class BrokenClock : TimeProvider
    {
        public bool IsBroken { get; set; }

        public override DateTimeOffset GetUtcNow() => IsBroken ? throw new InvalidOperationException("a clock") : base.GetUtcNow();
    }

    private sealed class WatchingClock : TimeProvider
    {
        public LightEpoch? Epoch { get; set; }

        public int Asked { get; private set; }

        public int AskedInEpoch { get; private set; }

        public override DateTimeOffset GetUtcNow()
        {
            if (Epoch is null) return base.GetUtcNow();
            Asked++;
            if (Epoch.ThisInstanceProtected()) AskedInEpoch++;
            return base.GetUtcNow();
        }
    }
}
