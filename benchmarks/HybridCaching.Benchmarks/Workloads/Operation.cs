using HybridCaching.Benchmarks.Contestants;

namespace HybridCaching.Benchmarks.Workloads;

/// <summary>What a worker does with each key of a slice. Returns how many keys it was done for.</summary>
internal delegate int Operation(IContestant contestant, int worker, ReadOnlySpan<long> keys);
