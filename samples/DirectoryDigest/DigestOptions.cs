using HybridCaching;

namespace DirectoryDigest;

/// <summary>What the user asked for, checked. Paths are absolute.</summary>
internal sealed record DigestOptions
{
    public required string Directory { get; init; }

    public required string CacheDirectory { get; init; }

    public required int ChunkBytes { get; init; }

    public required ByteSize MemoryBudget { get; init; }

    public required ByteSize DiskBudget { get; init; }

    public required int Threads { get; init; }

    public required int VerifyCount { get; init; }

    public required bool StartCold { get; init; }
}
