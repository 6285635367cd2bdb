namespace HybridCaching.CrashTests.Child;

/// <summary>What a process does beside writing.</summary>
public enum StewardTask
{
    /// <summary>Clears, removes groups, resizes, flushes, takes checkpoints.</summary>
    All,

    Checkpoints,

    None,
}
