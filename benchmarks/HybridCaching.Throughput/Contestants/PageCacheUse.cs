namespace HybridCaching.Throughput.Contestants;

/// <summary>What the system's page cache does for contestants.</summary>
internal enum PageCacheUse
{
    /// <summary>Who can reads and writes past it; for the others it is held down to what the memory of the contestant leaves.</summary>
    Budgeted,

    /// <summary>All use it, as much as the machine has room for.</summary>
    Free,
}
