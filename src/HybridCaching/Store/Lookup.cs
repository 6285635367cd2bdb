namespace HybridCaching.Store;

/// <summary>What a look into the log found.</summary>
internal enum Lookup
{
    /// <summary>Nothing.</summary>
    NotFound,

    /// <summary>An entry, in memory.</summary>
    Found,

    /// <summary>The disk has to be read: wait for the session's ticket, then call <see cref="EntrySession{TKey, TValue}.TryComplete"/>.</summary>
    Pending,
}
