namespace HybridCaching.Store;

/// <summary>How the log keeps a reader from seeing half of a value that is being overwritten. Chosen by measurement: benchmarks/results/ConcurrencyControlBenchmarks.md.</summary>
internal enum LogConcurrency
{
    /// <summary>Overwrite in place in the mutable region, under a latch in the record (FASTER's RecordIsolation).</summary>
    InPlaceLatched,

    /// <summary>Every overwrite appends; readers take no latch (FASTER's None).</summary>
    AppendOnly,
}
