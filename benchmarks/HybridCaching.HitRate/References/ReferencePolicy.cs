using HybridCaching.HitRate.Traces;

namespace HybridCaching.HitRate.References;

/// <summary>A policy that the caches are compared with.</summary>
/// <param name="Name">As in the pack's table of reference hit ratios.</param>
/// <param name="Create">Makes an empty cache of a capacity.</param>
internal sealed record ReferencePolicy(string Name, Func<Trace, long, ReferenceCache> Create)
{
    public static ReferencePolicy Lru { get; } = new("LRU", static (trace, capacity) => new LruCache(trace, capacity));

    public static ReferencePolicy Fifo { get; } = new("FIFO", static (trace, capacity) => new FifoCache(trace, capacity));

    public static ReferencePolicy S3Fifo { get; } = new("S3-FIFO", static (trace, capacity) => new S3FifoCache(trace, capacity));

    public static ReferencePolicy Belady { get; } = new("Belady", static (trace, capacity) => new BeladyCache(trace, capacity));

    public static IReadOnlyList<ReferencePolicy> All { get; } = [Lru, Fifo, S3Fifo, Belady];

    /// <summary>How many requests of the trace are hits in a cache of that capacity.</summary>
    public long HitsOf(Trace trace, long capacity)
    {
        var cache = Create(trace, capacity);
        long hits = 0;
        foreach (int id in trace.Requests)
        {
            if (cache.Request(id)) hits++;
        }

        return hits;
    }
}
