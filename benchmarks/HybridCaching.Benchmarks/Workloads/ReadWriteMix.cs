namespace HybridCaching.Benchmarks.Workloads;

/// <summary>How reads and writes alternate.</summary>
public enum ReadWriteMix
{
    HalfAndHalf,
    ReadModifyWrite,
}
