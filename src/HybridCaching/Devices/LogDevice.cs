using FASTER.core;
using HybridCaching.Configuration;

namespace HybridCaching.Devices;

/// <summary>The disk under a FASTER log. It always reports success: what could not be written is lost, what could not be read is zeros, and both are misses.</summary>
/// <remarks>
/// FASTER never retries a failed page flush and then blocks its writers for ever, and it parses the buffer of a failed read as if it were whole.
/// So no error reaches it: a lost or damaged block reads as zeros, which no record check accepts, and the counters tell what happened.
/// A device without files (no directory yet) loses every write: the log is then a memory-only one. <see cref="Attach"/> gives it files later.
/// Submissions never block; callbacks come from the device's own threads.
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
        var request = new IoRequest(IoKind.Write, segmentId, (long)destinationAddress, sourceAddress, (int)numBytesToWrite, callback, context);
        if (_files is null || !_threads.TryPost(request)) Complete(request);
    }

    public override void ReadAsync(int segmentId, ulong sourceAddress, IntPtr destinationAddress, uint readLength, DeviceIOCompletionCallback callback, object context)
    {
        var ticket = ReadTicket.Current;
        var request = new IoRequest(IoKind.Read, segmentId, (long)sourceAddress, destinationAddress, (int)readLength, callback, context, ticket);
        bool worthIt = ticket is not { MemoryOnly: true } && _checksums.HasAny(segmentId, request.Offset, request.Length);
        if (worthIt && _threads.TryPost(request)) return;
        BytesOf(request).Clear();
        Complete(request);
    }

    public override void RemoveSegmentAsync(int segment, AsyncCallback callback, IAsyncResult result)
    {
        var request = new IoRequest(IoKind.Remove, segment, 0, 0, 0, null, null, null, () => callback(result));
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
            case IoKind.Read: Read(request); break;
            case IoKind.Write: Write(request); break;
            default: Remove(request); break;
        }

        Complete(request);
    }

    private void Write(in IoRequest request)
    {
        try
        {
            ThrowInjectedFault(request);
            var bytes = BytesOf(request);
            _files?.Write(request.Segment, request.Offset, bytes);
            _checksums.Record(request.Segment, request.Offset, bytes);
        }
        catch (Exception e) when (IsDiskFault(e))
        {
            Interlocked.Increment(ref _writeErrors);
            _checksums.Forget(request.Segment, request.Offset, request.Length);
        }
    }

    private void Read(in IoRequest request)
    {
        var bytes = BytesOf(request);
        try
        {
            ThrowInjectedFault(request);
            if (_files is { } files) files.Read(request.Segment, request.Offset, bytes);
            else bytes.Clear();
            int damaged = _checksums.Verify(request.Segment, request.Offset, bytes);
            if (damaged > 0) Interlocked.Add(ref _damagedBlocks, damaged);
        }
        catch (Exception e) when (IsDiskFault(e))
        {
            Interlocked.Increment(ref _readErrors);
            bytes.Clear();
        }
    }

    private void Remove(in IoRequest request)
    {
        _checksums.Remove(request.Segment);
        try
        {
            _files?.Remove(request.Segment);
        }
        catch (Exception e) when (IsDiskFault(e))
        {
            Interlocked.Increment(ref _writeErrors);
        }
    }

    /// <summary>Hands the result to FASTER, on whichever thread this is, and then wakes the session that waits for it.</summary>
    private static void Complete(in IoRequest request)
    {
        var before = ReadTicket.Current;
        ReadTicket.Current = request.Ticket;
        request.Callback?.Invoke(0, (uint)request.Length, request.Context!);
        ReadTicket.Current = before;
        request.Ticket?.Signal();
        request.Removed?.Invoke();
    }

    private void ThrowInjectedFault(in IoRequest request)
    {
        if (Fault?.Invoke(request) == true) throw new IOException("injected fault");
    }

    private static Span<byte> BytesOf(in IoRequest request) => new((void*)request.Memory, request.Length);

    private static bool IsDiskFault(Exception e) => e is IOException or UnauthorizedAccessException or ObjectDisposedException or NotSupportedException;
}
