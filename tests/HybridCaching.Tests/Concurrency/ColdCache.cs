using HybridCaching.Tests.Support;

namespace HybridCaching.Tests.Concurrency;

/// <summary>A small cache whose first keys lie on the disk only.</summary>
internal static class ColdCache
{
    /// <summary>Keys below this are on the disk, with version 1.</summary>
    public const int ColdKeys = 20_000;

    /// <summary>Never stored by <see cref="Open"/>.</summary>
    public const long MissingKey = 1L << 40;

    private const int Entries = 100_000;
    private const int Chunk = 1_000;

    public static FasterCache<long, Stamp> Open(string directory, TimeSpan? diskTimeout = null, Action<FasterCacheOptions>? change = null)
    {
        var cache = StampCache.Open(directory, change: o =>
        {
            o.DiskBudget = "64MB";
            o.HotTierShare = 0; // whoever looks whether a key has left memory would put it there
            if (diskTimeout is { } timeout) o.DiskTimeout = timeout;
            change?.Invoke(o);
        });
        for (long key = 0; key < Entries; key += Chunk)
        {
            // Where the timeout is short, a write may be dropped while memory is full.
            long dropped;
            do
            {
                dropped = cache.GetStatistics().DroppedWrites;
                cache.Fill(key, Chunk, version: 1);
            }
            while (cache.GetStatistics().DroppedWrites != dropped);
        }

        for (long key = 0; key < ColdKeys; key += 1000) Until.True(() => !cache.TryGetFromMemory(key, out _), $"key {key} leaves memory");
        Until.True(() => !cache.Tiers.IsReclaimDue, "the mover has nothing to do");
        return cache;
    }
}
