namespace HybridCaching;

/// <summary>What a cache does when its directory cannot be used: taken by another process, read-only, forbidden, or a file in its place.</summary>
public enum DirectoryUnavailable
{
    /// <summary>Serve from memory, log it once, and try again every few seconds; the disk tier then starts empty.</summary>
    MemoryOnly,

    /// <summary>Throw from the constructor.</summary>
    Throw,
}
