namespace HybridCaching.Tests.Distributed;

public enum BytesModelCall
{
    Set,
    SetSequence,
    SetAsync,
    Get,
    GetAsync,
    TryGetWriter,
    TryGetWriterAsync,
    TryGetSpan,
    Refresh,
    RefreshAsync,
    Remove,
    RemoveAsync,
    RemoveByPrefix,
    Clear,
    Advance,
    Push,
    Restart,
}
