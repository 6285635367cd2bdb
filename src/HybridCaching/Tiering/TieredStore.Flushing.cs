using HybridCaching.Diagnostics;

namespace HybridCaching.Tiering;

internal abstract partial class TieredStore<TSession, TReader>
{
    private readonly SemaphoreSlim _flushing = new(1);

    /// <summary>Hands everything to the disk that is in memory, and waits until it is there, whatever the budget for writes says.</summary>
    public void Flush()
    {
        ThrowIfDisposed();
        if (_disk is not { UnavailableReason: null }) return; // FASTER would let nothing be overwritten in its place that was stored before, and for nothing
        long end;
        _disk.Device.BeginWritingAll();
        try
        {
            LogCopiesPatiently(static () => true);
            end = FlushLog(_disk);
        }
        finally
        {
            _disk.Device.EndWritingAll();
        }

        TakeTurnAndSettleTo(end, makesRoom: true);
    }

    /// <returns>Up to where.</returns>
    private long FlushLog(DiskTier disk)
    {
        long end = _log.TailAddress;
        try
        {
            FlushPages();
            disk.Device.FlushToDisk(); // with no session in hand: it may take long
        }
        catch (IOException)
        {
            // The device has counted it; what is lost is a miss.
        }

        return end;
    }

    /// <summary>Has all pages written. A session keeps the log open meanwhile.</summary>
    private void FlushPages()
    {
        var session = _pool.Rent();
        try
        {
            _log.Flush();
        }
        finally
        {
            _pool.Return(session);
        }
    }

    /// <summary>As <see cref="Flush"/>, on another thread. One at a time: while the disk hangs, callers that have given up must not pile up behind it.</summary>
    public async ValueTask FlushAsync(CancellationToken cancellationToken)
    {
        await _flushing.WaitAsync(cancellationToken).ConfigureAwait(false);
        Task flush;
        try
        {
            flush = OwnThread.Run(FlushAndLetNext);
        }
        catch
        {
            _flushing.Release(); // the system has no thread
            throw;
        }

        await flush.ObserveFaults().WaitAsync(cancellationToken).ConfigureAwait(false);
    }

    private void FlushAndLetNext()
    {
        try
        {
            Flush();
        }
        finally
        {
            _flushing.Release();
        }
    }
}
