using HybridCaching.Throughput.Contestants;

namespace HybridCaching.Throughput;

/// <summary>What the user asked for, checked.</summary>
internal sealed record ThroughputOptions
{
    public required IReadOnlyList<string> Parts { get; init; }

    /// <summary>Only these; null for those that belong to a part.</summary>
    public required IReadOnlyList<Contender>? Contenders { get; init; }

    /// <summary>Only these; null for those that belong to a part.</summary>
    public required IReadOnlyList<string>? Workloads { get; init; }

    /// <summary>Of the loops at a fixed rate; null for <see cref="Workloads"/> but for scans, or B.</summary>
    public required IReadOnlyList<string>? OpenWorkloads { get; init; }

    /// <summary>How many times as large as memory the data is where it is larger.</summary>
    public required IReadOnlyList<double> Ratios { get; init; }

    public required ByteSize Memory { get; init; }

    public required int ValueBytes { get; init; }

    /// <summary>Null for 2, four for each core where there are many, and 6 where half of the data is in memory.</summary>
    public required int? Threads { get; init; }

    public required double Seconds { get; init; }

    public required double WarmUpSeconds { get; init; }

    public required int Repeats { get; init; }

    /// <summary>Operations per second in open loops; null for half of the lower peak.</summary>
    public required double? Rate { get; init; }

    public required PageCacheUse PageCache { get; init; }

    /// <summary>Whether earlier measurements of the same do not count.</summary>
    public required bool Fresh { get; init; }

    /// <summary>Where the files of contestants go; null for the system's temporary folder.</summary>
    public required string? Work { get; init; }

    /// <summary>Whether it differs from what the page of results is made of.</summary>
    public required bool IsUnusual { get; init; }
}
