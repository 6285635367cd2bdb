namespace HybridCaching.Throughput.Scale;

/// <summary>What a cache with so many entries costs.</summary>
internal sealed record ScaleFigures
{
    public required long Entries { get; init; }

    public required long Memory { get; init; }

    /// <summary>Nanoseconds of one client for a Set while it is filled.</summary>
    public required double SetNanoseconds { get; init; }

    /// <summary>Those of one client, once for each repeat.</summary>
    public required IReadOnlyList<GetFigures> Gets { get; init; }

    /// <summary>Index and buffers.</summary>
    public required long LeadingBytes { get; init; }

    public required long ResidentGrowth { get; init; }

    public required long DiskBytes { get; init; }

    /// <summary>Once for each repeat.</summary>
    public required IReadOnlyList<RestartFigures> Restarts { get; init; }

    /// <summary>With more and more clients.</summary>
    public required IReadOnlyList<ClientFigures> Clients { get; init; }
}
