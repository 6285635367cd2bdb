namespace HybridCaching.CrashTests.Child;

/// <summary>Which cache a process opens.</summary>
public enum CacheKind
{
    Bytes,
    Typed,
}
