namespace HybridCaching.Benchmarks.Disk;

/// <summary>What a run of reads came to.</summary>
/// <param name="PerSecond">Reads per second.</param>
/// <param name="P99">Microseconds that 99 of 100 reads took at most; 0 where batches were measured.</param>
/// <param name="CpuPerMillion">Seconds of processor time per million reads, user and system.</param>
/// <param name="ReadsPerGet">Reads of the disk per read.</param>
internal readonly record struct ColdResult(double PerSecond, double P99, double CpuPerMillion, double ReadsPerGet);
