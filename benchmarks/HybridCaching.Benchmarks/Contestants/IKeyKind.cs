namespace HybridCaching.Benchmarks.Contestants;

/// <summary>Makes keys of a type from the numbers that workloads draw.</summary>
internal interface IKeyKind<TKey>
    where TKey : unmanaged
{
    /// <summary>A key of its own for each number.</summary>
    public static abstract TKey Of(long number);
}
