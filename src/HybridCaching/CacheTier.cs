namespace HybridCaching;

/// <summary>Where an entry is.</summary>
public enum CacheTier
{
    /// <summary>In memory.</summary>
    Memory,

    /// <summary>On the disk only.</summary>
    Disk,
}
