namespace HybridCaching.Benchmarks.Workloads;

/// <summary>A member of the cache whose cost is measured.</summary>
public enum CacheCall
{
    Get,
    TryGet,
    Set,
}
