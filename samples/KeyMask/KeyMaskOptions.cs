using HybridCaching;

namespace KeyMask;

/// <summary>What the user asked for, checked.</summary>
internal sealed record KeyMaskOptions
{
    public required int Count { get; init; }

    public required int Masks { get; init; }

    public required int Workers { get; init; }

    public required ByteSize MemoryBudget { get; init; }

    /// <summary>An absolute path; null for memory only.</summary>
    public required string? Directory { get; init; }
}
