namespace HybridCaching.Store;

/// <summary>What a look into the log found.</summary>
internal enum Lookup
{
    /// <summary>Nothing.</summary>
    NotFound,

    /// <summary>An entry, in memory.</summary>
    Found,

    /// <summary>An entry, but it is damaged.</summary>
    Damaged,

    /// <summary>Nothing in memory, but the disk may hold it, from <see cref="LogSession.Trail"/> on.</summary>
    OnDisk,
}
