namespace HybridCaching.Benchmarks.Contestants;

/// <summary>A store under test. Each operation goes through a whole slice of keys, so that the loop around it costs all contestants the same.</summary>
/// <remarks>Caller: a worker number is used by one thread at a time. Implementer: count what was carried out; throw on a value of another key.</remarks>
internal interface IContestant : IDisposable
{
    public string Name { get; }

    /// <summary>Bytes in use by the contestant's own account; null when it keeps none and the managed heap tells.</summary>
    public long? MemoryInUse { get; }

    /// <summary>Where reads were answered until now; null when there is only one place.</summary>
    public TierHits? Hits => null;

    /// <summary>Stores entries under keys that are new. Returns how many were stored.</summary>
    public int Add(int worker, ReadOnlySpan<long> keys);

    /// <summary>Reads entries and checks them. Returns how many were found.</summary>
    public int Read(int worker, ReadOnlySpan<long> keys);

    /// <summary>Stores entries under keys that exist. Returns how many were stored.</summary>
    public int Overwrite(int worker, ReadOnlySpan<long> keys);

    /// <summary>Reads and overwrites by turns that were drawn: a negative number stands for a write of the key that is its complement. Returns how many were found or stored.</summary>
    public int Mix(int worker, ReadOnlySpan<long> draws);

    /// <summary>Replaces entries by what follows from them, adds those that are missing. Returns how many were stored.</summary>
    public int ReadModifyWrite(int worker, ReadOnlySpan<long> keys);
}
