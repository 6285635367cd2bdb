namespace HybridCaching.Benchmarks.Workloads;

/// <summary>What is done to 1,000,000 entries in memory, and to how many of them.</summary>
public enum StoreWorkload
{
    Read1K,
    Read1M,
    Overwrite1K,
    Overwrite100K,
    Overwrite1M,
}
