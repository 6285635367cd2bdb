namespace HybridCaching.Throughput.Workloads;

/// <summary>The entries that there are: numbers from 0 on, more of them as inserts are done.</summary>
internal sealed class Population(int entries)
{
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
    public long At(int rank, bool isLatest) => isLatest ? Count - 1 - rank : KeyHash.Of(rank) % Entries;
}
