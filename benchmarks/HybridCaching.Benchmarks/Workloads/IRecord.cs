namespace HybridCaching.Benchmarks.Workloads;

/// <summary>What the contestants store: made from its key, so that every read can be checked.</summary>
internal interface IRecord<TSelf>
    where TSelf : unmanaged, IRecord<TSelf>
{
    /// <summary>The first record of a key.</summary>
    public static abstract TSelf For(long key);

    /// <summary>Whether this is an untorn record of the key.</summary>
    public bool BelongsTo(long key);

    /// <summary>The record that a read-modify-write puts in the place of this one.</summary>
    public TSelf Next();
}
