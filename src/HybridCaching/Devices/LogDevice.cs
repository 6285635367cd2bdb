using FASTER.core;
using HybridCaching.Configuration;

namespace HybridCaching.Devices;

/// <summary>The disk under a FASTER log. It always reports success: what could not be written is lost, what could not be read is zeros, and both are misses.</summary>
/// <remarks>
/// FASTER never retries a failed page flush and then blocks its writers for ever, and it parses the buffer of a failed read as if it were whole.
/// So no error reaches it: a lost or damaged block reads as zeros, which no record check accepts, and the counters tell what happened.
/// A device without files (no directory yet) loses every write: the log is then a memory-only one. <see cref="Attach"/> gives it files later.
/// Any exception counts as a fault of the disk: FASTER must get its callback, and the thread must go on. Submissions never block; callbacks come from the device's own threads, or from a session's, outside the epoch.
/// </remarks>
internal sealed unsafe class LogDevice : StorageDeviceBase
{
    private const long Unlimited = -1;

    private readonly IoThreads _threads;
    private readonly BlockChecksums _checksums;
    private volatile SegmentFiles? _files;
    private long _readErrors;
    private long _writeErrors;
    private long _damagedBlocks;
    private int _disposed;

    /// <param name="name">Names the threads.</param>
    /// <param name="segmentBytes">Bytes of a file; the log must use the same.</param>
    /// <param name="threads">How many requests may be on the disk at once.</param>
    /// <param name="checksums">What is already in the files; null for nothing.</param>
    public LogDevice(string name, long segmentBytes, int threads, BlockChecksums? checksums = null)
        : base(name, MemoryPlan.BlockBytes, Unlimited)
    {
        _checksums = checksums ?? new BlockChecksums(segmentBytes);
        _threads = new IoThreads(name, threads, Run);
    }

    /// <summary>Decides, in tests, whether a request fails, and may wait before it says so. Called on an I/O thread.</summary>
    public Func<IoRequest, bool>? Fault { get; set; }

    public long ReadErrors => Interlocked.Read(ref _readErrors);

    public long WriteErrors => Interlocked.Read(ref _writeErrors);

    /// <summary>Blocks that were not what had been written.</summary>
    public long DamagedBlocks => Interlocked.Read(ref _damagedBlocks);

    /// <summary>Bytes of the files; zero without files.</summary>
    public long DiskBytes => _files?.TotalLength ?? 0;

    public BlockChecksums Checksums => _checksums;

    /// <summary>Whether writes go to files.</summary>
    public bool IsAttached => _files is not null;

    /// <summary>From now on writes go to these files. What was written before stays lost.</summary>
    public void Attach(SegmentFiles files) => _files = files;

    /// <summary>Brings everything written so far to the disk itself.</summary>
    /// <exception cref="IOException">The disk refused.</exception>
    public void FlushToDisk() => _files?.FlushToDisk();

    public override void WriteAsync(IntPtr sourceAddress, int segmentId, ulong destinationAddress, uint numBytesToWrite, DeviceIOCompletionCallback callback, object context)
    {
        var request = new IoRequest(IoKind.Write, segmentId, (long)destinationAddress, sourceAddress, (int)numBytesToWrite) { Completed = callback, Context = context };
        if (_files is null || !_threads.TryPost(request)) Complete(request);
    }

    public override void ReadAsync(int segmentId, ulong sourceAddress, IntPtr destinationAddress, uint readLength, DeviceIOCompletionCallback callback, object context)
    {
        var ticket = ReadTicket.Current;
        var request = new IoRequest(IoKind.Read, segmentId, (long)sourceAddress, destinationAddress, (int)readLength) { Completed = callback, Context = context, Ticket = ticket };
        if (ticket is not null) ReadTicket.Leave(request);
        else if (!_threads.TryPost(request)) CompleteEmpty(request);
    }

    /// <summary>Carries out the read that FASTER has left in a ticket: at once if that needs no disk, else on another thread, which then signals the ticket.</summary>
    /// <returns>Whether it was done at once, so that there is a result and nothing to wait for.</returns>
    /// <remarks>Called outside the epoch. FASTER's callback may leave the next read of a chain in the ticket, so this goes on until none is left.</remarks>
    public bool CarryOut(ReadTicket ticket)
    {
        bool done = false;
        while (ReadTicket.Take() is { } request)
        {
            done = true;
            uint sum = _checksums.Of(request.Segment, request.Offset);
            if (Fault is null && ticket.TryRepeat(request.Segment, request.Offset, sum, BytesOf(request))) Complete(request);
            else if (!_checksums.HasAny(request.Segment, request.Offset, request.Length)) CompleteEmpty(request);
            else if (TryReadCached(request, sum)) Complete(request);
            else if (_threads.TryPost(request)) return false;
            else CompleteEmpty(request);
        }

        return done;
    }

    /// <summary>Answers the reads left in a ticket with zeros: their session only wants what is in memory.</summary>
    public static void Decline()
    {
        while (ReadTicket.Take() is { } request) CompleteEmpty(request);
    }

    public override void RemoveSegmentAsync(int segment, AsyncCallback callback, IAsyncResult result)
    {
        var request = new IoRequest(IoKind.Remove, segment) { Removed = () => callback(result) };
        if (!_threads.TryPost(request)) Run(request);
    }

    /// <summary>Removes all segments before one, in the background.</summary>
    public void RemoveSegmentsBefore(int segment)
    {
        for (int i = _files?.FirstSegment ?? segment; i < segment; i++) RemoveSegmentAsync(i, static _ => { }, null!);
    }

    public override long GetFileSize(int segment) => _files?.LengthOf(segment) ?? 0;

    /// <summary>Finishes every request, then closes the files.</summary>
    public override void Dispose()
    {
        if (Interlocked.Exchange(ref _disposed, 1) != 0) return;
        _threads.Dispose();
        _files?.Dispose();
    }

    private void Run(IoRequest request)
    {
        switch (request.Kind)
        {
            case IoKind.Write:
                Write(request);
                Complete(request);
                break;
            case IoKind.Read:
                RunReads(request);
                break;
            default:
                Remove(request);
                break;
        }
    }

    /// <summary>Carries out a read and those that FASTER starts from its callback, then wakes the session.</summary>
    private void RunReads(IoRequest request)
    {
        try
        {
            for (IoRequest? next = request; next is not null; next = ReadTicket.Take())
            {
                Read(next);
                Complete(next);
            }
        }
        catch (Exception)
        {
            // FASTER could not take the result. The thread must go on; whoever waits for this read gives it up in time.
            Interlocked.Increment(ref _readErrors);
        }

        request.Ticket?.Signal();
    }

    private bool TryReadCached(IoRequest request, uint sum)
    {
        if (Fault is not null || _files is not { } files || !files.TryReadCached(request.Segment, request.Offset, BytesOf(request))) return false;
        if (Verify(request)) request.Ticket?.Keep(request.Segment, request.Offset, sum, BytesOf(request));
        return true;
    }

    private void Write(IoRequest request)
    {
        try
        {
            ThrowInjectedFault(request);
            var bytes = BytesOf(request);
            _files?.Write(request.Segment, request.Offset, bytes);
            _checksums.Record(request.Segment, request.Offset, bytes);
        }
        catch (Exception)
        {
            Interlocked.Increment(ref _writeErrors);
            _checksums.Forget(request.Segment, request.Offset, request.Length);
        }
    }

    private void Read(IoRequest request)
    {
        var bytes = BytesOf(request);
        try
        {
            ThrowInjectedFault(request);
            if (_files is { } files) files.Read(request.Segment, request.Offset, bytes);
            else bytes.Clear();
            Verify(request);
        }
        catch (Exception)
        {
            Interlocked.Increment(ref _readErrors);
            bytes.Clear();
        }
    }

    private bool Verify(IoRequest request)
    {
        bool complete = _checksums.Verify(request.Segment, request.Offset, BytesOf(request), out int damaged);
        if (damaged > 0) Interlocked.Add(ref _damagedBlocks, damaged);

        // A page read by a recovery stays in memory: what is missing there must not be found on the disk after the next restart, or what was removed meanwhile comes back.
        if (request.Ticket is null && BytesOf(request).IndexOfAnyExcept((byte)0) < 0) _checksums.Forget(request.Segment, request.Offset, request.Length);
        return complete;
    }

    private void Remove(IoRequest request)
    {
        _checksums.Remove(request.Segment);
        try
        {
            _files?.Remove(request.Segment);
        }
        catch (Exception)
        {
            Interlocked.Increment(ref _writeErrors);
        }

        request.Removed?.Invoke();
    }

    private static void CompleteEmpty(IoRequest request)
    {
        BytesOf(request).Clear();
        Complete(request);
    }

    /// <summary>Hands the result to FASTER, on whichever thread this is; reads that FASTER starts from there go into the same ticket.</summary>
    private static void Complete(IoRequest request)
    {
        var before = ReadTicket.Current;
        ReadTicket.Current = request.Ticket;
        try
        {
            request.Completed?.Invoke(0, (uint)request.Length, request.Context!);
        }
        finally
        {
            ReadTicket.Current = before;
        }
    }

    private void ThrowInjectedFault(IoRequest request)
    {
        if (Fault?.Invoke(request) == true) throw new IOException("injected fault");
    }

    private static Span<byte> BytesOf(IoRequest request) => new((void*)request.Memory, request.Length);
}
