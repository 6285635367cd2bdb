namespace HybridCaching.Store;

/// <summary>What the callbacks of all sessions of a log look at.</summary>
internal sealed class SharedLogState
{
    private long _clearedBelow;

    /// <summary>Records below this address were cleared: readers do not see them, writers do not update them in place.</summary>
    public long ClearedBelow
    {
        get => Volatile.Read(ref _clearedBelow);
        set => Volatile.Write(ref _clearedBelow, value);
    }
}
