namespace HybridCaching.CrashTests.Child;

/// <summary>What a process does with its cache.</summary>
public enum ChildTask
{
    /// <summary>Judges every key, then writes, until it is killed or the time is over; then it closes the cache.</summary>
    Work,

    /// <summary>Opens it and does nothing, until it is killed.</summary>
    Wait,

    /// <summary>Opens and closes it whenever it is told to, at the same moment as another process.</summary>
    Race,
}
