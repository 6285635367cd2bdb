namespace HybridCaching;

/// <summary>What a cache has allocated, in bytes, at one moment. Garbage that the GC has not collected yet is not counted.</summary>
public readonly record struct MemoryUsage
{
    /// <summary>The budget the cache was given.</summary>
    public long Budget { get; init; }

    /// <summary>The indexes: buckets and overflow buckets of the log's, the tables of what has left it, and what is remembered of hits and of keys that were dropped.</summary>
    public long Index { get; init; }

    /// <summary>The pages of the log that are in memory, those kept for reuse included.</summary>
    public long Log { get; init; }

    /// <summary>The table of copies of entries that are read often, and its directory. It grows once the data has outgrown memory.</summary>
    public long HotTier { get; init; }

    /// <summary>Everything else: buffers of disk reads, as many as were ever needed at once, block checksums, sessions.</summary>
    public long Buffers { get; init; }

    /// <summary>The sum of all parts.</summary>
    public long Total => Index + Log + HotTier + Buffers;
}
