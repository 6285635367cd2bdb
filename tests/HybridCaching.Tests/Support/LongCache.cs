namespace HybridCaching.Tests.Support;

/// <summary>Small caches whose values follow from their keys.</summary>
internal static class LongCache
{
    public static void Fill(FasterCache<long, long> cache, long first, long end)
    {
        for (long key = first; key < end; key++) cache.Set(key, ~key);
    }

    /// <summary>Reads keys; fails on a value that is not the key's; returns how many were hits.</summary>
    public static int CountHits(FasterCache<long, long> cache, long first, long count)
    {
        int hits = 0;
        for (long key = first; key < first + count; key++)
        {
            if (!cache.TryGet(key, out long value)) continue;
            Assert.Equal(~key, value);
            hits++;
        }

        return hits;
    }
}
