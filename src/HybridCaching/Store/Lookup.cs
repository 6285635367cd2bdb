namespace HybridCaching.Store;

/// <summary>What a look into the log found.</summary>
internal enum Lookup
{
    /// <summary>Nothing.</summary>
    NotFound,

    /// <summary>An entry, in memory.</summary>
    Found,

    /// <summary>Nothing in memory, but the disk may hold it: <see cref="EntrySession{TKey, TValue}.TryReadDisk"/> looks there.</summary>
    OnDisk,
}
