namespace HybridCaching.Store;

/// <summary>How the log keeps a reader from seeing half of a value that is being overwritten. ConcurrencyControlBenchmarks compares the choices.</summary>
internal enum LogConcurrency
{
    /// <summary>Overwrite in place in the mutable region, under a latch in the record (FASTER's RecordIsolation).</summary>
    InPlaceLatched,

    /// <summary>Every overwrite appends; readers take no latch (FASTER's None).</summary>
    AppendOnly,
}
