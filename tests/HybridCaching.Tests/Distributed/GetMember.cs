namespace HybridCaching.Tests.Distributed;

/// <summary>The members that read the value of one key.</summary>
public enum GetMember
{
    Get,
    GetAsync,
    TryGetWriter,
    TryGetWriterAsync,
    TryGetSpan,
}
