using FASTER.core;
using HybridCaching.Configuration;

namespace HybridCaching.Devices;

internal sealed unsafe partial class LogDevice
{
    /// <summary>How long the system may take over one piece of a write before it is given up: as long as it takes to call a disk hung.</summary>
    private static readonly TimeSpan WritePatience = TimeSpan.FromSeconds(2);

    [ThreadStatic]
    private static NativeBlock? _staging;

    /// <summary>Called, on a thread of the device, when something of the log was written.</summary>
    public Action? Written { get; set; }

    public override void WriteAsync(IntPtr sourceAddress, int segmentId, ulong destinationAddress, uint numBytesToWrite, DeviceIOCompletionCallback callback, object context)
    {
        var request = new IoRequest(IoKind.Write, segmentId, (long)destinationAddress, sourceAddress, (int)numBytesToWrite) { Completed = callback, Context = context };
        if (_files is null) Complete(request);
        else if (_writers.HaveAllHungFor(WritePatience)) GiveUp(request); // what is to be written is lost at once
        else if (!_writers.TryPost(request)) Complete(request);
    }

    /// <summary>
    /// Gives up writes that hang, so that the log goes on in memory: FASTER keeps a page until its write has ended, and without a page nothing can be stored. Called at regular times; nothing is waited for.
    /// </summary>
    /// <remarks>The thread that hangs may come back at any time. It then finds its request over, and leaves its memory and the checksums alone: what it has written nevertheless does not fit the checksums.</remarks>
    public void GiveUpHungWrites()
    {
        if (!_writers.IsBusy) return;
        var (running, waiting) = _writers.Unfinished();
        var hung = running.Where(static request => request.HangsFor(WritePatience));
        foreach (var request in _writers.HaveAllHungFor(WritePatience) ? hung.Concat(waiting) : hung)
        {
            if (request.Kind == IoKind.Write) GiveUp(request);
        }
    }

    /// <summary>Gives up all writes that have not ended, whatever they wait for: what they hold is lost, and their memory is free.</summary>
    public void GiveUpWrites()
    {
        var (running, waiting) = _writers.Unfinished();
        foreach (var request in running.Concat(waiting))
        {
            if (request.Kind == IoKind.Write) GiveUp(request);
        }
    }

    /// <summary>Writes from a copy: a page may change while it is written (records behind those to be flushed, the latch of one being read), and its checksums have to be those of what was written.</summary>
    private void Write(IoRequest request)
    {
        long start = _instruments?.StartDiskOperation() ?? 0;
        string? error = null;
        try
        {
            ThrowInjectedFault(request);
            _staging ??= new NativeBlock(MemoryPlan.StagingBytes, isCleared: false, MemoryPlan.BlockBytes);
            for (int at = 0; at < request.Length; at += MemoryPlan.StagingBytes)
            {
                var copy = new Span<byte>(_staging.Start, Math.Min(MemoryPlan.StagingBytes, request.Length - at));
                if (!TryCopy(request, at, copy)) break;
                var files = _files;
                files?.Write(request.Segment, request.Offset + at, copy);
                Interlocked.Increment(ref _writtenPieces);
                if (FlushedBytes > 0 && (at + copy.Length) % FlushedBytes == 0) files?.FlushToDisk();
                if (!TryRecord(request, at, copy, files)) break;
            }
        }
        catch (Exception e)
        {
            error = e.Message;
            if (_files?.Has(request.Segment) != true) request.MayBeOnDisk = false;
        }

        _instruments?.EndDiskOperation(start, "write");
        End(request, error);
    }

    /// <summary>Copies a piece of what is to be written; false if the request was given up: its memory may be another page's, or nobody's.</summary>
    private static bool TryCopy(IoRequest request, int at, Span<byte> copy)
    {
        lock (request)
        {
            if (request.IsOver) return false;
            request.TouchedAt = Environment.TickCount64;
            request.MayBeOnDisk = true;
            BytesOf(request).Slice(at, copy.Length).CopyTo(copy);
            return true;
        }
    }

    /// <summary>Remembers a piece that was written to some files; false if the request was given up.</summary>
    private bool TryRecord(IoRequest request, int at, ReadOnlySpan<byte> copy, SegmentFiles? files)
    {
        lock (request)
        {
            if (request.IsOver) return false;
            if (files is null) return true;
            _checksums.Record(request.Segment, request.Offset + at, copy);
            if (_files != files) _checksums.Forget(request.Segment, request.Offset + at, copy.Length); // taken away meanwhile
            return true;
        }
    }

    private void GiveUp(IoRequest request) => End(request, "the disk does not answer");

    /// <summary>Ends a write, the first time it is called for it.</summary>
    /// <param name="request">Which.</param>
    /// <param name="error">Why what it held is lost; null if it is not.</param>
    private void End(IoRequest request, string? error)
    {
        lock (request)
        {
            if (request.IsOver) return;
            request.IsOver = true;
            Count(ref _writes, ref _writtenBytes, request.Length);
            if (error is not null)
            {
                CountError(ref _writeErrors, error);
                _checksums.Forget(request.Segment, request.Offset, request.Length, request.MayBeOnDisk);
            }
        }

        Complete(request);
        if (request.Segment < SegmentFiles.FirstOfMain) Written?.Invoke();
    }
}
