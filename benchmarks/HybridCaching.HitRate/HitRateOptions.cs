using HybridCaching.HitRate.Traces;

namespace HybridCaching.HitRate;

/// <summary>What the user asked for, checked.</summary>
internal sealed record HitRateOptions
{
    /// <summary>The folder of the pack; null for the one beside the repository.</summary>
    public required string? Pack { get; init; }

    /// <summary>Of the pack, only the traces of these names; empty for all.</summary>
    public required IReadOnlyList<string> Only { get; init; }

    /// <summary>Trace files, instead of the pack.</summary>
    public required IReadOnlyList<string> Files { get; init; }

    /// <summary>Generators, instead of the pack.</summary>
    public required IReadOnlyList<TraceGenerator> Generators { get; init; }

    public required GeneratorSettings Generated { get; init; }

    /// <summary>What the caches may hold, in percent of the distinct keys' weight.</summary>
    public required double TotalPercent { get; init; }

    /// <summary>How much of the total is memory, in percent.</summary>
    public required IReadOnlyList<double> MemoryPercents { get; init; }

    /// <summary>A replay ends when LRU would have stored so many times its capacity.</summary>
    public required int Turnovers { get; init; }

    /// <summary>What the cache of bytes is told of its entries' length.</summary>
    public required ByteSize TypicalEntry { get; init; }

    /// <summary>What the caches may write to the disk in a second; null for as much as they like.</summary>
    public required ByteSize? DiskWriteBudget { get; init; }

    /// <summary>How many replays go on at once.</summary>
    public required int Workers { get; init; }

    /// <summary>Where the files of the caches go; null for the system's temporary folder.</summary>
    public required string? Work { get; init; }

    /// <summary>No caches: the references only.</summary>
    public required bool ReferencesOnly { get; init; }

    /// <summary>Whether anything but folders, workers and the choice of generators differs from what is usual: its results are not those of the program as it is.</summary>
    public required bool IsUnusual { get; init; }
}
