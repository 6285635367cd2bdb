namespace HybridCaching.Tests.Concurrency;

public enum ModelCall
{
    Set,
    TryAdd,
    TryGet,
    TryGetFromMemory,
    ContainsKey,
    Remove,
    Touch,
    GetOrAdd,
    Clear,
    Advance,
    Restart,
    PushOut,
}
