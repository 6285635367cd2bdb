using HybridCaching;

namespace DirectoryDigest;

/// <summary>One pass over the files: workers take pieces of files from a common list until there are none.</summary>
internal sealed class DigestRun
{
    private readonly FasterCache<ChunkKey, ChunkDigest> _cache;
    private readonly IReadOnlyList<DigestFile> _files;
    private readonly DigestOptions _options;
    private readonly SeenDigests _seen;
    private readonly IEnumerator<FilePiece> _pieces;
    private readonly Lock _piecesLock = new();
    private DigestWorker[] _workers = [];
    private long _chunks;
    private long _warmChunks;
    private long _bytes;
    private long _bytesPassed;
    private long _duplicates;

    public DigestRun(FasterCache<ChunkKey, ChunkDigest> cache, IReadOnlyList<DigestFile> files, DigestOptions options)
    {
        _cache = cache;
        _files = files;
        _options = options;
        TotalBytes = files.Sum(file => file.Length);
        _seen = new SeenDigests(files.Sum(file => file.ChunkCount(options.ChunkBytes)));
        _pieces = FilePiece.Cut(files, options.ChunkBytes).GetEnumerator();
    }

    public long TotalBytes { get; }

    /// <summary>Bytes digested or given up so far.</summary>
    public long BytesPassed => Interlocked.Read(ref _bytesPassed);

    public int Files => _files.Count - SkippedFiles;

    public int SkippedFiles => _files.Count(file => file.IsSkipped);

    public long Chunks => Interlocked.Read(ref _chunks);

    public long WarmChunks => Interlocked.Read(ref _warmChunks);

    public long Bytes => Interlocked.Read(ref _bytes);

    public long Duplicates => Interlocked.Read(ref _duplicates);

    public bool IsCold => Chunks > 0 && WarmChunks == 0;

    /// <summary>Digests everything on threads of its own: a look-up that needs the disk blocks its thread.</summary>
    public Task DigestAsync(CancellationToken cancellationToken)
    {
        _workers = [.. Enumerable.Range(0, _options.Threads).Select(_ => new DigestWorker(this, _cache, _seen, _options.ChunkBytes, _options.VerifyCount))];
        return Task.WhenAll(_workers.Select(worker =>
            Task.Factory.StartNew(() => worker.Work(cancellationToken), CancellationToken.None, TaskCreationOptions.LongRunning, TaskScheduler.Default)));
    }

    /// <summary>Warm chunks of all workers at random, as many as are to be verified.</summary>
    public IEnumerable<WarmChunk> WarmSample()
    {
        WarmChunk[] chunks = [.. _workers.SelectMany(worker => worker.Sample.Chunks)];
        Random.Shared.Shuffle(chunks);
        return chunks.Take(_options.VerifyCount);
    }

    public bool TryTakePiece(out FilePiece piece)
    {
        lock (_piecesLock)
        {
            bool taken = _pieces.MoveNext();
            piece = taken ? _pieces.Current : default;
            return taken;
        }
    }

    public void AddDigested(int chunks, int warmChunks, int duplicates, long bytes)
    {
        Interlocked.Add(ref _chunks, chunks);
        Interlocked.Add(ref _warmChunks, warmChunks);
        Interlocked.Add(ref _duplicates, duplicates);
        Interlocked.Add(ref _bytes, bytes);
    }

    public void AddPassed(long bytes) => Interlocked.Add(ref _bytesPassed, bytes);
}
