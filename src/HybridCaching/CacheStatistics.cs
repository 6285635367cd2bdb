namespace HybridCaching;

/// <summary>Counts since a cache was opened, and its state at one moment. Counts are exact once no call is running, but for hits of the hot tier by more than 64 threads, of which some may be missing.</summary>
public sealed record CacheStatistics
{
    /// <summary>Reads answered from memory.</summary>
    public long MemoryHits { get; init; }

    /// <summary>Reads answered from the disk.</summary>
    public long DiskHits { get; init; }

    /// <summary>Reads that found nothing, for whatever reason.</summary>
    public long Misses { get; init; }

    /// <summary>Misses because the entry found had expired; part of <see cref="Misses"/>.</summary>
    public long ExpiredMisses { get; init; }

    /// <summary>Misses because the disk did not answer within the timeout; part of <see cref="Misses"/>.</summary>
    public long Timeouts { get; init; }

    /// <summary>Records and blocks that failed their check: what was in them is missing. Those that reads met are part of <see cref="Misses"/>; others were met when entries were moved or enumerated.</summary>
    public long CorruptEntries { get; init; }

    /// <summary>Entries written.</summary>
    public long Writes { get; init; }

    /// <summary>Writes that could not be stored in time and were turned into a removal of the key.</summary>
    public long DroppedWrites { get; init; }

    /// <summary>Entries that were not written to the disk when they left memory, to hold <see cref="FasterCacheOptions.DiskWriteBudget"/>: nobody had read them. They are no part of <see cref="Evictions"/>.</summary>
    public long WithheldWrites { get; init; }

    /// <summary>Entries removed by <c>Remove</c> and its like; in the cache of bytes also older values that made way for one that is kept elsewhere, or not at all.</summary>
    public long Removals { get; init; }

    /// <summary>Entries dropped with the oldest of the log to hold a budget. An estimate.</summary>
    public long Evictions { get; init; }

    /// <summary>Entries removed by <c>Clear</c>. An estimate.</summary>
    public long ClearedEntries { get; init; }

    /// <summary>Reads that had to ask the disk, those that failed included. What the system has in its page cache it often answers at once; that is not counted here.</summary>
    public long DiskReads { get; init; }

    /// <summary>Bytes that these reads asked for.</summary>
    public long DiskReadBytes { get; init; }

    /// <summary>Writes to the disk, those that failed included: of pages of the log, not of entries.</summary>
    public long DiskWrites { get; init; }

    /// <summary>Bytes of these writes.</summary>
    public long DiskWrittenBytes { get; init; }

    /// <summary>Disk reads that failed; each was answered as a miss.</summary>
    public long DiskReadErrors { get; init; }

    /// <summary>Disk writes that failed; what they held is lost, that is, missing.</summary>
    public long DiskWriteErrors { get; init; }

    /// <summary>Bytes of disk blocks the cache's folder takes.</summary>
    public long DiskUsage { get; init; }

    /// <summary>The disk budget; zero without a directory.</summary>
    public long DiskBudget { get; init; }

    /// <summary>Entries found in the directory when the cache was opened; zero after a cold start. An estimate.</summary>
    public long RecoveredEntries { get; init; }

    /// <summary>How long it took to open the directory and to recover what it holds; zero without a directory.</summary>
    public TimeSpan RecoveryDuration { get; init; }

    /// <summary>Why the disk tier is of little use although it is on: more than nine of ten of its last reads, or of its last writes, failed, or one has not been answered for two seconds. Null while it works. Looked at four times a second.</summary>
    public string? DiskTroubleReason { get; init; }

    /// <summary>Why the disk tier is off although a directory was configured: the directory could not be had, or failed and was given up. It is tried again every few seconds. Null when it is on, or was not asked for.</summary>
    public string? DiskUnavailableReason { get; init; }

    /// <summary>Hits, from wherever, per read; zero before the first read.</summary>
    public double HitRatio => MemoryHits + DiskHits is var hits && hits + Misses > 0 ? hits / (double)(hits + Misses) : 0;
}
