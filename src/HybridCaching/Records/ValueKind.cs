namespace HybridCaching.Records;

/// <summary>What the bytes behind a <see cref="ValueHeader"/> are.</summary>
internal enum ValueKind
{
    /// <summary>The value.</summary>
    Whole,

    /// <summary>Where the pieces of a large value are: a <see cref="ChunkList"/>.</summary>
    ChunkList,

    /// <summary>A piece of a large value.</summary>
    Chunk,
}
