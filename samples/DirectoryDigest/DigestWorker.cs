using HybridCaching;
using Microsoft.Win32.SafeHandles;

namespace DirectoryDigest;

/// <summary>
/// Digests pieces of files, a batch of chunks at a time: looks all of them up, then reads and hashes those that are missing. A file of which everything
/// is known is not even opened. For one thread.
/// </summary>
internal sealed class DigestWorker(DigestRun run, FasterCache<ChunkKey, ChunkDigest> cache, SeenDigests seen, int chunkBytes, int sampleSize)
{
    private const int MaxBatchChunks = 256;
    private const int MaxBatchBytes = 1 << 20;

    private readonly int _batchChunks = Math.Clamp(MaxBatchBytes / chunkBytes, 1, MaxBatchChunks);
    private readonly ChunkKey[] _keys = new ChunkKey[MaxBatchChunks];
    private readonly ChunkDigest[] _digests = new ChunkDigest[MaxBatchChunks];
    private readonly bool[] _isWarm = new bool[MaxBatchChunks];
    private byte[] _buffer = [];

    public WarmSample Sample { get; } = new(sampleSize);

    public void Work(CancellationToken cancellationToken)
    {
        while (!cancellationToken.IsCancellationRequested && run.TryTakePiece(out var piece))
        {
            if (!piece.File.IsSkipped) Digest(piece, cancellationToken);
            run.AddPassed(piece.BytesBetween(piece.FirstChunk, piece.EndChunk));
        }
    }

    private void Digest(FilePiece piece, CancellationToken cancellationToken)
    {
        SafeFileHandle? handle = null;
        try
        {
            var seed = ChunkKey.SeedOf(piece.File, chunkBytes);
            for (long first = piece.FirstChunk; first < piece.EndChunk && !cancellationToken.IsCancellationRequested; first += _batchChunks)
            {
                int count = (int)Math.Min(_batchChunks, piece.EndChunk - first);
                int warm = LookUp(piece.File, seed, first, count);
                if (warm < count) HashMissing(handle ??= piece.File.Open(), piece, first, count);
                run.AddDigested(count, warm, CountDuplicates(count), piece.BytesBetween(first, first + count));
            }
        }
        catch (Exception e) when (e is IOException or UnauthorizedAccessException)
        {
            piece.File.Skip();
        }
        finally
        {
            handle?.Dispose();
        }
    }

    /// <summary>Looks the digests of some chunks up; returns how many were found.</summary>
    private int LookUp(DigestFile file, ChunkKey seed, long first, int count)
    {
        for (int i = 0; i < count; i++) _keys[i] = seed.Chunk(first + i);
        int warm = cache.GetMany(_keys.AsSpan(0, count), _digests, _isWarm);
        for (int i = 0; i < count; i++)
        {
            if (_isWarm[i]) Sample.Offer(file, first + i, _digests[i]);
        }

        return warm;
    }

    /// <summary>Reads from the first to the last missing chunk in one go, hashes the missing ones and stores the digests (those known in between once more).</summary>
    private void HashMissing(SafeFileHandle handle, FilePiece piece, long first, int count)
    {
        int start = _isWarm.AsSpan(0, count).IndexOf(false);
        int end = _isWarm.AsSpan(0, count).LastIndexOf(false) + 1;
        var bytes = Read(handle, (first + start) * chunkBytes, (int)piece.BytesBetween(first + start, first + end));
        for (int i = start; i < end; i++)
        {
            if (_isWarm[i]) continue;
            int offset = (i - start) * chunkBytes;
            _digests[i] = ChunkDigest.Of(bytes.Slice(offset, Math.Min(chunkBytes, bytes.Length - offset)));
        }

        cache.SetMany(_keys.AsSpan(start, end - start), _digests.AsSpan(start, end - start));
    }

    private ReadOnlySpan<byte> Read(SafeFileHandle handle, long offset, int length)
    {
        if (_buffer.Length < length) _buffer = new byte[_batchChunks * chunkBytes];
        for (int filled = 0; filled < length;)
        {
            int read = RandomAccess.Read(handle, _buffer.AsSpan(filled, length - filled), offset + filled);
            if (read == 0) throw new EndOfStreamException("The file became shorter.");
            filled += read;
        }

        return _buffer.AsSpan(0, length);
    }

    private int CountDuplicates(int count)
    {
        int duplicates = 0;
        for (int i = 0; i < count; i++)
        {
            if (seen.SeenBefore(_digests[i])) duplicates++;
        }

        return duplicates;
    }
}
