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

    /// <summary>Keys beyond are only there to push others out of memory.</summary>
    private const long Filler = 1L << 32;

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

        // A new key takes the settled record of another along once in 650,000: such a key is stored again, and pushed out of memory again.
        for (long filler = Filler; LostKeys(cache) is { Count: > 0 } lost; filler += Entries)
        {
            foreach (long key in lost) cache.Fill(key, 1, version: 1);
            cache.Fill(filler, Entries, version: 1);
        }

        for (long key = 0; key < ColdKeys; key += 1000) Until.True(() => !cache.TryGetFromMemory(key, out _), $"key {key} leaves memory");
        Until.True(() => !cache.Tiers.IsReclaimDue, "the mover has nothing to do");
        return cache;
    }

    private static List<long> LostKeys(FasterCache<long, Stamp> cache)
    {
        HashSet<long> found = [];
        foreach (var (key, _) in cache.EnumerateAsync().ToBlockingEnumerable()) found.Add(key);
        return [.. Enumerable.Range(0, ColdKeys).Select(key => (long)key).Where(key => !found.Contains(key))];
    }
}
