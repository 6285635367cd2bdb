namespace HybridCaching.CrashTests.History;

/// <summary>What was done.</summary>
internal enum OperationKind
{
    Set,
    Remove,

    /// <summary>Of all keys.</summary>
    Clear,

    /// <summary>A read that found something. One that found nothing is never judged: a cache may forget.</summary>
    Hit,
}
