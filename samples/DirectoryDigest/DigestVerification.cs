namespace DirectoryDigest;

/// <summary>Warm digests compared with what the files hold now.</summary>
internal sealed class DigestVerification
{
    private readonly List<(WarmChunk Chunk, ChunkDigest Recomputed)> _differing = [];

    public int Compared { get; private set; }

    public IReadOnlyList<(WarmChunk Chunk, ChunkDigest Recomputed)> Differing => _differing;

    public static DigestVerification Of(IEnumerable<WarmChunk> sample, int chunkBytes)
    {
        var verification = new DigestVerification();
        byte[] buffer = new byte[chunkBytes];
        foreach (var chunk in sample)
        {
            if (Recompute(chunk, buffer) is { } recomputed) verification.Add(chunk, recomputed);
        }

        return verification;
    }

    private void Add(WarmChunk chunk, ChunkDigest recomputed)
    {
        Compared++;
        if (recomputed != chunk.Digest) _differing.Add((chunk, recomputed));
    }

    /// <summary>The digest of the chunk as it is now; null when the file has visibly changed, so that there is nothing to compare with.</summary>
    private static ChunkDigest? Recompute(WarmChunk chunk, byte[] buffer)
    {
        try
        {
            using var handle = chunk.File.Open();
            long offset = chunk.Index * buffer.Length;
            int length = (int)Math.Min(buffer.Length, chunk.File.Length - offset);
            int filled = 0;
            for (int read; filled < length; filled += read)
            {
                read = RandomAccess.Read(handle, buffer.AsSpan(filled, length - filled), offset + filled);
                if (read == 0) break;
            }

            return chunk.File.IsUnchanged() ? ChunkDigest.Of(buffer.AsSpan(0, filled)) : null;
        }
        catch (Exception e) when (e is IOException or UnauthorizedAccessException)
        {
            return null;
        }
    }
}
