namespace HybridCaching.Throughput.Workloads;

/// <summary>The entries that there are: numbers from 0 on, more of them as inserts are done.</summary>
internal sealed class Population(int entries)
{
    /// <summary>A prime larger than any number of entries: multiplied by it modulo that number, each rank comes to an entry of its own. (YCSB hashes ranks of ten thousand million; with as many ranks as entries, two of five entries would never be asked for.)</summary>
    private const ulong Scatter = 2_654_435_761;

    private long _begun = entries;
    private long _done = entries;

    /// <summary>The entries at first.</summary>
    public int Entries { get; } = entries;

    /// <summary>How many there are.</summary>
    public long Count => Volatile.Read(ref _done);

    /// <summary>The number of the next new entry.</summary>
    public long Begin() => Interlocked.Increment(ref _begun) - 1;

    /// <summary>A new entry has been stored.</summary>
    public void Done() => Interlocked.Increment(ref _done);

    /// <summary>The entry that is asked for when a rank was drawn.</summary>
    public long At(int rank, bool isLatest) => isLatest ? Count - 1 - rank : (long)((ulong)rank * Scatter % (ulong)Entries);
}
