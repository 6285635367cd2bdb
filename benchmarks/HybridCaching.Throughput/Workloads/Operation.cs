namespace HybridCaching.Throughput.Workloads;

/// <summary>What a workload does to an entry.</summary>
internal enum Operation
{
    Read,
    Update,
    Insert,
    Scan,
    ReadModifyWrite,
}
