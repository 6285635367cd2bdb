namespace HybridCaching.Throughput.Scale;

/// <summary>What a cache with so many entries costs.</summary>
internal sealed record ScaleFigures
{
    public required long Entries { get; init; }

    public required long Memory { get; init; }

    /// <summary>Nanoseconds of one client for a Set while it is filled.</summary>
    public required double SetNanoseconds { get; init; }

    /// <summary>Nanoseconds of one client for a TryGet.</summary>
    public required double GetNanoseconds { get; init; }

    /// <summary>The same for those keys alone that are in memory.</summary>
    public required double HotGetNanoseconds { get; init; }

    /// <summary>Nanoseconds of one thread for a random block of the cache's files, past the page cache, between the gets; null where that cannot be done.</summary>
    public double? RawReadNanoseconds { get; init; }

    /// <summary>Of the gets, those that memory answered.</summary>
    public required double MemoryHitShare { get; init; }

    public required double MissShare { get; init; }

    /// <summary>Index and buffers.</summary>
    public required long LeadingBytes { get; init; }

    public required long ResidentGrowth { get; init; }

    public required long DiskBytes { get; init; }

    public required double CloseSeconds { get; init; }

    /// <summary>From the call of the constructor until the first hit.</summary>
    public required double FirstHitSeconds { get; init; }

    /// <summary>Of random keys after the restart.</summary>
    public required double FoundShare { get; init; }

    /// <summary>With more and more clients.</summary>
    public required IReadOnlyList<ClientFigures> Clients { get; init; }
}
