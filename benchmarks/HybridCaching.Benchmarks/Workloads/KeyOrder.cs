namespace HybridCaching.Benchmarks.Workloads;

/// <summary>The order in which the keys 0 to n - 1 come.</summary>
public enum KeyOrder
{
    Sequential,
    Random,
}
