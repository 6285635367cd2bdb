namespace HybridCaching.Throughput.Scale;

/// <summary>What one client's gets cost, once.</summary>
internal sealed record GetFigures
{
    /// <summary>Nanoseconds for a TryGet, one of ten among all entries.</summary>
    public required double GetNanoseconds { get; init; }

    /// <summary>The same for those keys alone that are in memory.</summary>
    public required double HotGetNanoseconds { get; init; }

    /// <summary>Nanoseconds of one thread for a random block of the cache's files, past the page cache, right before and after the gets; null where that cannot be done.</summary>
    public required double? RawReadNanoseconds { get; init; }

    /// <summary>Of the gets, those that memory answered.</summary>
    public required double MemoryHitShare { get; init; }

    public required double MissShare { get; init; }
}
