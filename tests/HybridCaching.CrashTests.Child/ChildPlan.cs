using System.Text.Json;

namespace HybridCaching.CrashTests.Child;

/// <summary>What a process is told by the one that starts and kills it: its only argument.</summary>
public sealed record ChildPlan
{
    public ChildTask Task { get; init; }

    public CacheKind Kind { get; init; }

    /// <summary>The directory of the cache.</summary>
    public required string Directory { get; init; }

    /// <summary>The file with the expected state, which belongs to the parent.</summary>
    public required string StateFile { get; init; }

    public int Seed { get; init; }

    public long MemoryBudget { get; init; } = 12 << 20;

    public long DiskBudget { get; init; } = 16 << 20;

    public DiskIo DiskIo { get; init; }

    public long? DiskWriteBudget { get; init; }

    /// <summary>How long it writes before it closes the cache; 0 to judge only.</summary>
    public int WorkMilliseconds { get; init; }

    /// <summary>Whether beside the writers a thread clears, resizes, flushes, and takes checkpoints.</summary>
    public bool HasSteward { get; init; } = true;

    /// <summary>Whether it rests with a checkpoint when its work is over, instead of closing, until it is killed.</summary>
    public bool RestsAtEnd { get; init; }

    /// <summary>The named point at which it kills itself; null for none.</summary>
    public string? KillPoint { get; init; }

    /// <summary>The how-manieth time.</summary>
    public int KillOccurrence { get; init; } = 1;

    /// <summary>How long the thread that is there lets the others go on before that.</summary>
    public int KillDelayMicroseconds { get; init; }

    public string ToArgument() => JsonSerializer.Serialize(this);

    public static ChildPlan Parse(string argument) => JsonSerializer.Deserialize<ChildPlan>(argument)!;
}
