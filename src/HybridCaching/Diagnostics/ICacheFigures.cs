namespace HybridCaching.Diagnostics;

/// <summary>Whoever has the numbers of a cache.</summary>
internal interface ICacheFigures
{
    /// <summary>About how many entries there are.</summary>
    public long EstimatedCount { get; }

    public CacheStatistics GetStatistics();

    public MemoryUsage GetMemoryUsage();
}
