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
