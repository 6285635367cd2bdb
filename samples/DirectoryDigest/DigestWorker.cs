using HybridCaching;
using Microsoft.Win32.SafeHandles;

namespace DirectoryDigest;

/// <summary>
/// Digests pieces of files, a batch of chunks at a time: looks all of them up at once, so that the disk tier has many reads in flight, then reads and
/// hashes those that are missing. A file of which everything is known is not even opened.
/// </summary>
internal sealed class DigestWorker(DigestRun run, FasterCache<ChunkKey, ChunkDigest> cache, SeenDigests seen, int chunkBytes, int sampleSize)
{
    private const int MaxBatchChunks = 256;
    private const int MaxBatchBytes = 1 << 20;

    private readonly int _batchChunks = Math.Clamp(MaxBatchBytes / chunkBytes, 1, MaxBatchChunks);
    private readonly ChunkKey[] _keys = new ChunkKey[MaxBatchChunks];
    private readonly ValueTask<ChunkDigest?>[] _lookups = new ValueTask<ChunkDigest?>[MaxBatchChunks];
    private readonly ChunkDigest?[] _digests = new ChunkDigest?[MaxBatchChunks];
    private byte[] _buffer = [];

    public WarmSample Sample { get; } = new(sampleSize);

    public async Task WorkAsync(CancellationToken cancellationToken)
    {
        while (!cancellationToken.IsCancellationRequested && run.TryTakePiece(out var piece))
        {
            if (!piece.File.IsSkipped) await DigestAsync(piece, cancellationToken);
            run.AddPassed(piece.BytesBetween(piece.FirstChunk, piece.EndChunk));
        }
    }

    private async Task DigestAsync(FilePiece piece, CancellationToken cancellationToken)
    {
        SafeFileHandle? handle = null;
        try
        {
            var seed = ChunkKey.SeedOf(piece.File, chunkBytes);
            for (long first = piece.FirstChunk; first < piece.EndChunk && !cancellationToken.IsCancellationRequested; first += _batchChunks)
            {
                int count = (int)Math.Min(_batchChunks, piece.EndChunk - first);
                int warm = await LookUpAsync(piece.File, seed, first, count);
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

    /// <summary>Starts all lookups, then collects them; returns how many were found.</summary>
    private async ValueTask<int> LookUpAsync(DigestFile file, ChunkKey seed, long first, int count)
    {
        for (int i = 0; i < count; i++)
        {
            _keys[i] = seed.Chunk(first + i);
            _lookups[i] = cache.GetAsync(_keys[i]);
        }

        int warm = 0;
        for (int i = 0; i < count; i++)
        {
            _digests[i] = await _lookups[i];
            if (_digests[i] is not { } digest) continue;
            warm++;
            Sample.Offer(file, first + i, digest);
        }

        return warm;
    }

    /// <summary>Reads from the first to the last missing chunk in one go, hashes the missing ones and stores their digests.</summary>
    private void HashMissing(SafeFileHandle handle, FilePiece piece, long first, int count)
    {
        int start = Array.FindIndex(_digests, 0, count, digest => digest is null);
        int end = Array.FindLastIndex(_digests, count - 1, count, digest => digest is null) + 1;
        var bytes = Read(handle, (first + start) * chunkBytes, (int)piece.BytesBetween(first + start, first + end));
        for (int i = start; i < end; i++)
        {
            if (_digests[i] is not null) continue;
            int offset = (i - start) * chunkBytes;
            var digest = ChunkDigest.Of(bytes.Slice(offset, Math.Min(chunkBytes, bytes.Length - offset)));
            cache.Set(_keys[i], digest);
            _digests[i] = digest;
        }
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
            if (seen.SeenBefore(_digests[i]!.Value)) duplicates++;
        }

        return duplicates;
    }
}
