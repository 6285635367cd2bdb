namespace HybridCaching.Store;

/// <summary>What is in use of a log: from its oldest record to where it ends. Read by anybody; the end is moved by one thread at a time.</summary>
internal struct Extent(long begin, long tail)
{
    private long _begin = begin;
    private long _tail = tail;

    public readonly long Begin => Volatile.Read(in _begin);

    public long Tail
    {
        readonly get => Volatile.Read(in _tail);
        set => Volatile.Write(ref _tail, value);
    }

    public readonly bool IsEmpty => Tail <= Begin;

    public readonly bool Holds(long address) => address >= Begin && address < Tail;

    /// <summary>Moves the begin up, never down, whoever else does.</summary>
    public void Drop(long before)
    {
        for (long begin = Begin; before > begin; begin = Begin)
        {
            if (Interlocked.CompareExchange(ref _begin, before, begin) == begin) return;
        }
    }
}
