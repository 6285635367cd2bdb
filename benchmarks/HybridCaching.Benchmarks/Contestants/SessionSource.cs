namespace HybridCaching.Benchmarks.Contestants;

/// <summary>Where an operation gets its session from.</summary>
internal enum SessionSource
{
    /// <summary>The library's pool: rented before and returned after each operation.</summary>
    Pool,

    /// <summary>Made before and disposed after each operation.</summary>
    NewPerCall,

    /// <summary>Each worker keeps one.</summary>
    OnePerWorker,
}
