using System.Runtime.InteropServices;

namespace HybridCaching.CrashTests.Child;

/// <summary>What is known beside the keys.</summary>
[StructLayout(LayoutKind.Sequential, Size = 4096)]
internal unsafe struct StateHeader
{
    public const int Threads = 8;

    public long Keys;

    /// <summary>Ticks by which the clock of the caches differs from the system's.</summary>
    public long ClockOffset;

    /// <summary>Ticks: when the last process was known to be gone.</summary>
    public long StoppedAt;

    /// <summary>A <see cref="SharedPhase"/>.</summary>
    public long Phase;

    /// <summary>The group that is being removed; -1 for all keys.</summary>
    public long Scope;

    /// <summary>Whether the cache may have dropped anything to hold its budgets since it was empty.</summary>
    public long HasEvicted;

    /// <summary>How many checkpoints were completed, by all processes together.</summary>
    public long Checkpoints;

    /// <summary>The budgets that hold now, if they were changed.</summary>
    public long MemoryBudget;

    public long DiskBudget;

    /// <summary>The round that may begin, of a race.</summary>
    public long Go;

    /// <summary>Of each thread the key whose life it is just prolonging, and one; 0 for none.</summary>
    public fixed long Renewing[Threads];
}
