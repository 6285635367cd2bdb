namespace DirectoryDigest;

/// <summary>A run of chunks of one file: what a worker takes at a time, so that big files are shared.</summary>
internal readonly record struct FilePiece(DigestFile File, int ChunkBytes, long FirstChunk, long EndChunk)
{
    private const int PieceBytes = 4 << 20;

    /// <summary>Cuts files into pieces. Empty files have none, which also keeps pipes and devices from being opened.</summary>
    public static IEnumerable<FilePiece> Cut(IEnumerable<DigestFile> files, int chunkBytes)
    {
        int chunksPerPiece = Math.Max(1, PieceBytes / chunkBytes);
        foreach (var file in files)
        {
            long chunks = file.ChunkCount(chunkBytes);
            for (long first = 0; first < chunks; first += chunksPerPiece) yield return new FilePiece(file, chunkBytes, first, Math.Min(chunks, first + chunksPerPiece));
        }
    }

    /// <summary>The bytes of some chunks; the last chunk of the file may be shorter than the others.</summary>
    public long BytesBetween(long firstChunk, long endChunk) => Math.Min(endChunk * ChunkBytes, File.Length) - firstChunk * ChunkBytes;
}
