using FASTER.core;

namespace HybridCaching.Store;

/// <summary>What lasts beyond the process: pages written out, checkpoints, and how a log begins where another one has ended.</summary>
internal abstract partial class FasterLog<TStoredKey, TStoredValue, TSession, TReader>
{
    public override void BeginFlush() => _log.Flush(wait: false);

    public override void Flush() => _log.Flush(wait: true);

    public override bool TakeCheckpoint()
    {
        // FASTER's awaits come back to the caller's context, which may be waiting for us right here.
        var context = SynchronizationContext.Current;
        SynchronizationContext.SetSynchronizationContext(null);
        try
        {
            if (!_store.TryInitiateFullCheckpoint(out _, CheckpointType.FoldOver)) return false;
            _store.CompleteCheckpointAsync().AsTask().GetAwaiter().GetResult();
            return true;
        }
        finally
        {
            SynchronizationContext.SetSynchronizationContext(context);
        }
    }

    public override void Recover(Guid token)
    {
        _device!.DeclinesReads = false;
        _store.Recover(token, token, numPagesToPreload: Math.Max(1, _plan.LogPages - 4), undoNextVersion: false);
        _device.DeclinesReads = true;

        // Read record by record, of a page with a damaged block only that is lost. And what is missing in memory must not be found on the disk after the next restart, or what was removed meanwhile comes back.
        if (_device.HasFailedPages) _log.FlushAndEvict(wait: true);
        _store.DisposeRecoverableSessions();
        _index = new HashIndex(_store);
        _compactor = new BucketCompactor(_index);
        _compactor.FreeUnused(ReservedOverflowBuckets, _store.OverflowBucketCount);
        _compactedBelow = OldestOfUse;
        SetDiskRoom(); // one that was resized may have had more
        HoldMemoryPlan();
    }

    public override void BeginAt(long address)
    {
        _pages.BeginAt(address);
        _compactedBelow = address;
    }

    public override int LentSegments => Volatile.Read(ref _lentSegments);

    public override void Lend(int segments)
    {
        long left = _plan.DiskLogBytes - (LeastSegments * _plan.SegmentBytes);
        lock (_holding)
        {
            Volatile.Write(ref _lentSegments, (int)Math.Clamp(left / _plan.SegmentBytes, 0, segments));
            SetDiskRoom();
        }
    }
}
