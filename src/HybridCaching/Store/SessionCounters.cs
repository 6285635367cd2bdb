namespace HybridCaching.Store;

/// <summary>Counts of one session: plain numbers, since a session has one owner at a time.</summary>
internal struct SessionCounters
{
    public long MemoryHits;
    public long DiskHits;
    public long Misses;
    public long Expired;
    public long Corrupt;
    public long Writes;
    public long Dropped;
    public long Removals;

    /// <summary>Records that stand for a key which had none in memory; where what leaves memory is settled, all that were appended.</summary>
    public long Added;

    /// <summary>Removals of keys that had a settled record: those are counted where they are.</summary>
    public long SettledRemovals;

    public static SessionCounters operator +(in SessionCounters a, in SessionCounters b) => new()
    {
        MemoryHits = a.MemoryHits + b.MemoryHits,
        DiskHits = a.DiskHits + b.DiskHits,
        Misses = a.Misses + b.Misses,
        Expired = a.Expired + b.Expired,
        Corrupt = a.Corrupt + b.Corrupt,
        Writes = a.Writes + b.Writes,
        Dropped = a.Dropped + b.Dropped,
        Removals = a.Removals + b.Removals,
        Added = a.Added + b.Added,
        SettledRemovals = a.SettledRemovals + b.SettledRemovals,
    };
}
