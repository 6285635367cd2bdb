using System.Runtime.InteropServices;
using HybridCaching.Tests.Support;
using Microsoft.Extensions.Caching.Distributed;
using Microsoft.Extensions.Logging;

namespace HybridCaching.Tests.Distributed;

/// <summary>Opens small caches of bytes, makes values for them, and pushes what they hold to the disk.</summary>
internal static class OpenCache
{
    public static readonly DistributedCacheEntryOptions NoExpiration = new();

    private const int FillerBytes = 4 << 10;
    private const int FillerBatch = 256;

    public static FasterDistributedCache Open(string? directory = null, TimeProvider? clock = null, Action<FasterDistributedCacheOptions>? change = null, ILoggerFactory? log = null)
    {
        var options = new FasterDistributedCacheOptions
        {
            Directory = directory,
            MemoryBudget = "32MB",
            DiskBudget = "512MB",
            DiskTimeout = Until.Deadline,
            TimeProvider = clock,
        };
        change?.Invoke(options);
        return new FasterDistributedCache(options, log);
    }

    /// <summary>A cache without a hot tier: what has left memory stays on the disk until it is written again.</summary>
    public static FasterDistributedCache OpenCold(string directory, TimeProvider? clock = null, Action<FasterDistributedCacheOptions>? change = null) => Open(
        directory,
        clock,
        o =>
        {
            o.HotTierShare = 0;
            change?.Invoke(o);
        });

    public static DistributedCacheEntryOptions In(TimeSpan relative) => new() { AbsoluteExpirationRelativeToNow = relative };

    public static DistributedCacheEntryOptions At(DateTimeOffset instant) => new() { AbsoluteExpiration = instant };

    public static DistributedCacheEntryOptions Sliding(TimeSpan window) => new() { SlidingExpiration = window };

    /// <summary>Bytes that look random, the same for the same arguments.</summary>
    public static byte[] Value(int length, int seed = 1)
    {
        ulong[] words = new ulong[(length / sizeof(ulong)) + 1];
        ulong state = ((ulong)seed * 0x9E37_79B9_7F4A_7C15) + 1;
        foreach (ref ulong word in words.AsSpan())
        {
            state ^= state << 13;
            state ^= state >> 7;
            word = state ^= state << 17;
        }

        return MemoryMarshal.AsBytes(words.AsSpan())[..length].ToArray();
    }

    public static CacheEntryInfo Info(this FasterDistributedCache cache, string key)
    {
        Assert.True(cache.TryGetEntryInfo(key, out var info), $"no entry: {key}");
        return info;
    }

    /// <summary>Writes other keys until none of these is in memory.</summary>
    public static void PushToDisk(this FasterDistributedCache cache, params string[] keys)
    {
        long limit = 4 * cache.GetMemoryUsage().Budget / FillerBytes;
        byte[] filler = Value(FillerBytes);
        for (int i = 0; !Array.TrueForAll(keys, key => cache.Info(key).Tier == CacheTier.Disk); i++)
        {
            Assert.True(i * FillerBatch < limit, "the keys do not leave memory");
            for (int j = 0; j < FillerBatch; j++) cache.Set($"filler-{i}-{j}", filler, NoExpiration);
        }
    }
}
