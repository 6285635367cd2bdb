using FASTER.core;
using HybridCaching.Configuration;
using HybridCaching.Diagnostics;

namespace HybridCaching.Devices;

/// <summary>The disk under a FASTER log. It always reports success: what could not be written is lost, what could not be read is zeros, and both are misses.</summary>
/// <remarks>
/// FASTER never retries a failed page flush and then blocks its writers for ever, and it parses the buffer of a failed read as if it were whole.
/// So no error reaches it: a lost or damaged block reads as zeros, which no record check accepts, and the counters tell what happened.
/// A device without files (no directory yet, or none any more) loses every write: the log is then a memory-only one. <see cref="Attach"/> gives it files later.
/// Any exception counts as a fault of the disk: FASTER must get its callback, and the thread must go on. Submissions never block.
/// FASTER itself reads only while it recovers. Afterwards sessions read single records with <see cref="TryRead"/>.
/// </remarks>
internal sealed unsafe partial class LogDevice : StorageDeviceBase
{
    private const long Unlimited = -1;

    /// <summary>As many as there are readers; more wait for a thread.</summary>
    private const int MostKernelReads = 64;

    // Threads of their own, so that reads do not wait behind writes, nor writes behind reads.
    private readonly IoThreads _readers;
    private readonly IoThreads _writers;
    private readonly BlockChecksums _checksums;
    private readonly long _segmentBytes;

    /// <summary>Segments that wait for their removal, or are being removed, and whether that was asked for again meanwhile. Guards itself; never held while the disk is asked.</summary>
    private readonly Dictionary<int, bool> _removing = [];
    private readonly CacheInstruments? _instruments;

    /// <summary>Reads without a thread of ours; null where there is none, or files are buffered: the kernel would read those on the caller's thread.</summary>
    private readonly KernelReads? _kernelReads;
    private volatile SegmentFiles? _files;
    private long _readErrors;
    private long _writeErrors;
    private long _damagedBlocks;
    private long _reads;
    private long _readBytes;
    private long _writes;
    private long _writtenBytes;
    private long _writtenPieces;
    private long _losses;
    private volatile string? _lastError;
    private int _disposed;

    /// <param name="name">Names the threads.</param>
    /// <param name="segmentBytes">Bytes of a file; the log must use the same.</param>
    /// <param name="threads">How many reads may be on the disk at once.</param>
    /// <param name="checksums">What is already in the files; null for nothing.</param>
    /// <param name="instruments">Who is told how long it takes; null for nobody.</param>
    /// <param name="isDirect">Whether its files are used past the system's page cache.</param>
    public LogDevice(string name, long segmentBytes, int threads, BlockChecksums? checksums = null, CacheInstruments? instruments = null, bool isDirect = false)
        : base(name, MemoryPlan.BlockBytes, Unlimited)
    {
        _segmentBytes = segmentBytes;
        _instruments = instruments;
        _checksums = checksums ?? new BlockChecksums(segmentBytes);
        _readers = new IoThreads($"{name}-read", threads, Run);
        _writers = new IoThreads($"{name}-write", MemoryPlan.WriteThreads, Run);
        if (isDirect) _kernelReads = KernelReads.TryCreate($"{name}-reap", MostKernelReads, IoUring.IsWanted, EndKernelRead);
    }

    /// <summary>Decides, in tests, whether a request fails, and may wait before it says so. Called on an I/O thread.</summary>
    public Func<IoRequest, bool>? Fault { get; set; }

    public long ReadErrors => Interlocked.Read(ref _readErrors);

    public long WriteErrors => Interlocked.Read(ref _writeErrors);

    /// <summary>Blocks that were not what had been written.</summary>
    public long DamagedBlocks => Interlocked.Read(ref _damagedBlocks);

    /// <summary>Bytes of the files; zero without files.</summary>
    public long DiskBytes => _files?.TotalLength ?? 0;

    /// <summary>How many segments there are; zero without files.</summary>
    public int Segments => _files?.Count ?? 0;

    /// <summary>Reads and writes that files were asked for, and their bytes, those that failed included. What the system's page cache answered at once is not counted.</summary>
    public long Reads => Interlocked.Read(ref _reads);

    public long ReadBytes => Interlocked.Read(ref _readBytes);

    public long Writes => Interlocked.Read(ref _writes);

    public long WrittenBytes => Interlocked.Read(ref _writtenBytes);

    /// <summary>Changes whenever the disk has done something for us.</summary>
    public long Progress => ReadsEnded + WriteProgress;

    /// <summary>Changes whenever something was written, or removed: others may read without end.</summary>
    public long WriteProgress => _writers.Ended + Interlocked.Read(ref _writtenPieces) + (_files?.Flushed ?? 0);

    /// <summary>How often something was given up that could not be read, by <see cref="Lose"/>: what was read before does not count any more.</summary>
    public long Losses => Interlocked.Read(ref _losses);

    /// <summary>What a watch of the disk looks at.</summary>
    /// <param name="corruptRecords">Records that failed their own check.</param>
    public DiskCounts Counts(long corruptRecords) => new(
        Reads, Writes, ReadErrors, WriteErrors, DamagedBlocks + corruptRecords,
        _readers.IsBusy || _kernelReads?.IsBusy == true ? ReadsEnded : null, _writers.IsBusy ? _writers.Ended : null, _lastError);

    private long ReadsEnded => _readers.Ended + (_kernelReads?.Ended ?? 0);

    public BlockChecksums Checksums => _checksums;

    /// <summary>What leads to the records of the log; null if nothing outlives it.</summary>
    public LiveState? State => _checksums.State;

    /// <summary>Whether writes go to files.</summary>
    public bool IsAttached => _files is not null;

    /// <summary>After so many bytes of a long write they are brought to the disk itself, so that nobody waits long without a sign of life at its end; 0 if that is left to others.</summary>
    public int FlushedBytes { get; init; }

    /// <summary>Whether reads by FASTER are answered with zeros at once, which are no record.</summary>
    public bool DeclinesReads { get; set; }

    /// <summary>Whether a page that FASTER has asked for, and that holds something, was answered with zeros because a part of it is damaged or could not be read.</summary>
    public bool HasFailedPages { get; private set; }

    /// <summary>From now on writes go to these files. What was written before stays lost.</summary>
    public void Attach(SegmentFiles files)
    {
        _kernelReads?.Expect(BlockDevice.RequestsAtOnce(files.Folder), _readers.Count + _writers.Count);
        _files = files;
    }

    /// <summary>Says how many segments there may be from now on.</summary>
    public void AllowSegments(int segments)
    {
        if (_files is { } files) files.MaximumSegments = segments;
    }

    /// <summary>Takes the files away: what is in them is lost, and what is written from now on, too. The caller closes them.</summary>
    public SegmentFiles? Detach()
    {
        var files = _files;
        _files = null;
        _checksums.Clear(); // whoever writes just now looks whether its files are still there after it has recorded a checksum
        WriteOffered();
        return files;
    }

    /// <summary>Brings everything written so far to the disk itself.</summary>
    /// <exception cref="IOException">The disk refused.</exception>
    public void FlushToDisk() => _files?.FlushToDisk();

    public override void ReadAsync(int segmentId, ulong sourceAddress, IntPtr destinationAddress, uint readLength, DeviceIOCompletionCallback callback, object context)
    {
        var request = new IoRequest(IoKind.Read, segmentId, (long)sourceAddress, destinationAddress, (int)readLength) { Completed = callback, Context = context };
        if (DeclinesReads || !_readers.TryPost(request)) CompleteEmpty(request);
    }

    /// <summary>Whether segments that FASTER has done with are still in use: it asks for their removal with every checkpoint.</summary>
    public bool KeepsSegments { get; set; }

    public override void RemoveSegmentAsync(int segment, AsyncCallback callback, IAsyncResult result)
    {
        if (KeepsSegments) callback(result);
        else Remove(segment, () => callback(result));
    }

    /// <summary>Removes all segments before one, of the same log, in the background; also what is known of such whose files somebody else has deleted.</summary>
    public void RemoveSegmentsBefore(int segment)
    {
        if (_files is not { } files) return;
        foreach (int earlier in files.GiveUpBefore(segment).Union(_checksums.Segments.Where(s => SegmentFiles.IsBefore(s, segment))).Where(TryBeginRemoving)) Remove(earlier, static () => { });
    }

    /// <summary>Whether no removal of a segment is under way: while the disk hangs, this is asked again and again, and one thread at the most shall hang with it.</summary>
    private bool TryBeginRemoving(int segment)
    {
        lock (_removing)
        {
            if (_removing.TryAdd(segment, false)) return true;
            _removing[segment] = true;
            return false;
        }
    }

    /// <summary>Ends a removal, and does it once more if that was asked for: the first may have been over with what was asked for then.</summary>
    private void EndRemoving(int segment)
    {
        bool isAskedAgain;
        lock (_removing)
        {
            if (!_removing.Remove(segment, out isAskedAgain)) return;
            if (isAskedAgain) _removing.Add(segment, false);
        }

        if (isAskedAgain) Remove(segment, static () => { });
    }

    private void Remove(int segment, Action removed)
    {
        var request = new IoRequest(IoKind.Remove, segment) { Removed = removed };
        if (!_writers.TryPost(request)) Run(request);
    }

    /// <summary>Writes whole blocks of memory that stays as it is until <paramref name="ended"/> is called, on a thread of the device.</summary>
    public void Write(long address, nint memory, int length, Action ended) =>
        WriteAsync(memory, (int)(address / _segmentBytes), (ulong)(address % _segmentBytes), (uint)length, (_, _, _) => ended(), this);

    /// <summary>Whether all blocks from an address on were written, and are not known to be lost.</summary>
    public bool IsWritten(long address, int length) =>
        BlockChecksums.Present(_checksums.Of((int)(address / _segmentBytes), address % _segmentBytes, length)).Length * MemoryPlan.BlockBytes == length;

    /// <summary>Whether all blocks of some records were written, and are not known to be lost.</summary>
    /// <param name="begin">Where the first one lies.</param>
    /// <param name="end">Where the last one ends, in the same page.</param>
    public bool AreWritten(long begin, long end)
    {
        long first = begin / MemoryPlan.BlockBytes * MemoryPlan.BlockBytes;
        return IsWritten(first, (int)((end - first + MemoryPlan.BlockBytes - 1) / MemoryPlan.BlockBytes * MemoryPlan.BlockBytes));
    }

    public override long GetFileSize(int segment) => _files?.LengthOf(segment) ?? 0;

    /// <summary>Finishes every request, then closes the files.</summary>
    public override void Dispose()
    {
        if (Interlocked.Exchange(ref _disposed, 1) != 0) return;
        BeginWritingAll();
        _readers.Dispose();
        _kernelReads?.Dispose();
        _writers.Dispose();
        _files?.Dispose();
    }

    private void Run(IoRequest request)
    {
        switch (request.Kind)
        {
            case IoKind.Write:
                if (!TryOffer(request)) Write(request);
                break;
            case IoKind.Read when request.Record is { } record:
                Read(request, record);
                record.Signal();
                break;
            case IoKind.Read:
                Read(request);
                Complete(request);
                break;
            default:
                Remove(request);
                break;
        }
    }

    private void Read(IoRequest request, RecordRead record)
    {
        Count(ref _reads, ref _readBytes, record.Length);
        try
        {
            ThrowInjectedFault(request);
            if (_files is not { } files) return; // taken away meanwhile
            files.Read(request.Segment, request.Offset, record.Bytes);
            record.End(Verify(request.Segment, request.Offset, record.Bytes));
        }
        catch (Exception e)
        {
            CountError(ref _readErrors, e.Message);
        }

        _instruments?.EndDiskOperation(record.PostedAt, "read");
    }

    /// <summary>Reads a page for a recovery of FASTER.</summary>
    private void Read(IoRequest request)
    {
        var bytes = BytesOf(request);
        Count(ref _reads, ref _readBytes, bytes.Length);
        try
        {
            ThrowInjectedFault(request);
            if (_files is { } files) files.Read(request.Segment, request.Offset, bytes);
            else bytes.Clear();
            Verify(request.Segment, request.Offset, bytes);
        }
        catch (Exception e)
        {
            CountError(ref _readErrors, e.Message);
            bytes.Clear();
        }

        if (bytes.IndexOfAnyExcept((byte)0) < 0 && !BlockChecksums.IsNothing(_checksums.Of(request.Segment, request.Offset, request.Length))) HasFailedPages = true;
    }

    private bool Verify(int segment, long offset, Span<byte> bytes)
    {
        bool complete = _checksums.Verify(segment, offset, bytes, out int damaged);
        if (damaged > 0) Interlocked.Add(ref _damagedBlocks, damaged);
        return complete;
    }

    private void Remove(IoRequest request)
    {
        _checksums.Remove(request.Segment);
        try
        {
            ThrowInjectedFault(request);
            _files?.Remove(request.Segment);
        }
        catch (Exception e)
        {
            CountError(ref _writeErrors, e.Message);
        }

        EndRemoving(request.Segment);
        request.Removed?.Invoke();
    }

    private static void Count(ref long operations, ref long bytes, int length)
    {
        Interlocked.Increment(ref operations);
        Interlocked.Add(ref bytes, length);
    }

    private void CountError(ref long errors, string error)
    {
        _lastError = error.TrimEnd('.');
        Interlocked.Increment(ref errors);
    }

    private static void CompleteEmpty(IoRequest request)
    {
        BytesOf(request).Clear();
        Complete(request);
    }

    private static void Complete(IoRequest request) => request.Completed?.Invoke(0, (uint)request.Length, request.Context!);

    /// <summary>Fails, in tests, when writes do: a probe of the disk goes past the device.</summary>
    public void ThrowIfProbeFails() => ThrowInjectedFault(new IoRequest(IoKind.Write, Segment: 0));

    private void ThrowInjectedFault(IoRequest request)
    {
        if (Fault?.Invoke(request) == true) throw new IOException("injected fault");
    }

    private static Span<byte> BytesOf(IoRequest request) => new((void*)request.Memory, request.Length);
}
