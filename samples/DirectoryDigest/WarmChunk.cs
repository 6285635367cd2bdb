namespace DirectoryDigest;

/// <summary>A chunk whose digest came from the cache.</summary>
internal readonly record struct WarmChunk(DigestFile File, long Index, ChunkDigest Digest);
