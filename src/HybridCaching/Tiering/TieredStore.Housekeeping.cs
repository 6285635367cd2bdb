using HybridCaching.Diagnostics;
using HybridCaching.Store;

namespace HybridCaching.Tiering;

internal abstract partial class TieredStore<TSession, TReader>
{
    /// <summary>What the log would have filled within so many ticks of housekeeping is not worth being given away.</summary>
    private const int TicksOfUse = 16;

    /// <summary>How much is stored is averaged over about so many ticks.</summary>
    private const int TicksRemembered = 8;

    private readonly Lock _dropping = new();
    private readonly Lock _compacting = new();
    private long _tailKept;

    /// <summary>Up to where of a log in memory only it is counted what has left. Guarded by <see cref="_dropping"/>.</summary>
    private long _countedBelow = BytesLog.FirstAddress;
    private long _countForgotten;
    private long _evicted;
    private long _cleared;
    private long _ticksUntilWriteOut;

    /// <summary>How many writes there had been, and where the log ended, when it was written out last.</summary>
    private (long Writes, long Tail) _writtenOut;
    private bool _mustWriteOutLogged;
    private bool _isEndSaid;

    /// <summary>About how many entries there are. Overwrites of entries that lie on the disk count twice until the older record is dropped.</summary>
    public long EstimatedCount
    {
        get
        {
            ThrowIfDisposed();
            return CountEverywhere;
        }
    }

    private long CountEverywhere => (_settler is null ? CountThere : Unsettled(CountThere, _settler.SettledBytesFrom(OldestOfLog), _log) + _settled!.Index.Count) + PinnedCount + _rows.UnloggedCopies;

    /// <summary>About how many of the entries of FASTER's log the index of settled records does not know of.</summary>
    private static long Unsettled(long count, long settledBytes, HybridLog log)
    {
        long bytes = log.TailAddress - Math.Max(log.BeginAddress, log.ClearedBelow);
        return bytes <= settledBytes ? 0 : (long)(count * (1 - (Math.Max(0, settledBytes) / (double)bytes)));
    }

    private long OldestOfLog => Math.Max(_log.BeginAddress, _log.ClearedBelow);

    /// <summary>How many entries there are that are not in the log.</summary>
    protected virtual int PinnedCount => 0;

    private long Evictions
    {
        get
        {
            CountDropped();
            return Interlocked.Read(ref _evicted) + (_settled?.Index.TurnedOut ?? 0);
        }
    }

    private long Count
    {
        get
        {
            CountDropped();
            long count = EverCounted - Interlocked.Read(ref _countForgotten);
            return Math.Clamp(count, 0, LogRecords);
        }
    }

    /// <summary>The same without those that were not written.</summary>
    private long CountThere => _sieve is null ? Count : Math.Max(0, Count - _sieve.EntriesMissing(OldestOfLog, _log.HeadAddress));

    private long EverCounted
    {
        get
        {
            var counters = _pool.SumCounters();
            return _recoveredInLog + counters.Added - counters.Removals + counters.SettledRemovals;
        }
    }

    /// <summary>An upper bound: what the log would hold if every record were alive.</summary>
    private long LogRecords => Math.Max(0, _log.TailAddress - OldestOfLog) / _plan.Record.Smallest;

    /// <summary>What has to be done though nobody calls: hold the memory plan while nobody writes, free what was cleared, look after the folder.</summary>
    private void KeepHouse()
    {
        lock (_keeping)
        {
            if (_disk is not null)
            {
                _watch.Look(_disk.Device.Counts((_pool.SumCounters() + _readers.SumCounters()).Corrupt));
                _disk.Device.GiveUpHungWrites();
                if (_disk.UnavailableReason is null)
                {
                    _disk.NoteTime();
                    _disk.LookForState();
                }
            }

            if (!IsResting) KeepLog();
        }
    }

    private bool IsResting
    {
        get
        {
            lock (_resting) return _isResting;
        }
    }

    private void KeepLog()
    {
        _log.HoldMemoryPlan();
        long tail = _log.TailAddress;
        if (!_isEndSaid && tail > _plan.MostAddress / 4 * 3)
        {
            _isEndSaid = true;
            Log.LogNearItsEnd(_logger, _settings.Name, tail, _plan.MostAddress);
        }

        long stored = tail - _tailKept;
        _isFilling = stored * TicksOfUse > _log.UnusedBytes;
        _isTight = HasOutgrownMemory;
        _isTurning = stored * Housekeeper.TicksPerMinute > _log.LogBytes;
        Interlocked.Exchange(ref _storedPerTick, ((_storedPerTick * (TicksRemembered - 1)) + stored) / TicksRemembered);
        _tailKept = tail;
        int moved = 0;
        while (BalanceTiers(mayDecide: moved == 0) && (++moved < _balance.WaysAtOnce || !HasOutgrownMemory))
        {
            // What was decided together is moved together, and what lies idle can be given away at once.
        }

        if (_log.ClearedBelow > _log.BeginAddress) DropBefore(_log.ClearedBelow);
        CompactIndex();
        SweepSettled();
        _disk?.Keep(_watch);
        if (_disk is { UnavailableReason: null })
        {
            WriteOut(_disk);
            return;
        }

        if (_disk is not null) HasLoggedCopies(isDue: false);
        DropBefore(_log.HeadAddress); // what left memory is gone; the index may forget it
        ForgetSettled();
    }

    /// <summary>Has what was stored written to the disk when it is time to, so that it is found again after a sudden end of the process. Waits for nothing.</summary>
    private void WriteOut(DiskTier disk)
    {
        bool isDue = disk.IsWarm && --_ticksUntilWriteOut <= 0;
        if (isDue) _ticksUntilWriteOut = Housekeeper.TicksPer(_settings.CheckpointInterval);
        bool wasLogging = _isLogging;
        bool hasLogged = HasLoggedCopies(isDue);
        if (!isDue && !(_mustWriteOutLogged && wasLogging && hasLogged)) return;
        _mustWriteOutLogged = !hasLogged; // it takes some ticks, for which nothing else has to wait
        var written = (_pool.SumCounters().Writes, _log.TailAddress);
        if (written == _writtenOut) return;
        _writtenOut = written;
        _log.BeginFlush();
    }

    /// <summary>Gives back what the index does not need any more since records were dropped.</summary>
    private void CompactIndex()
    {
        if (!_compacting.TryEnter()) return;
        try
        {
            if (_log.IsIndexLoose) _log.CompactIndex(_rows.TryLockAll, _rows.UnlockAll);
        }
        finally
        {
            _compacting.Exit();
        }
    }

    /// <param name="address">Up to where.</param>
    /// <param name="evenInMemory">Whether also what has not left memory yet.</param>
    /// <param name="isLookedThrough">Whether it is known, and counted, what was lost by that.</param>
    private void DropBefore(long address, bool evenInMemory = false, bool isLookedThrough = false)
    {
        lock (_dropping)
        {
            if (_disk is null)
            {
                _log.DropBefore(address, evenInMemory);
                CountDropped();
                return;
            }

            long begin = _log.BeginAddress;
            if (address <= begin) return;
            long count = Count;
            long records = Math.Max(1, (_log.TailAddress - begin) / _plan.RecordBytes);
            _log.DropBefore(address, evenInMemory);
            Fault.Point("log.dropped");
            long dropped = _log.BeginAddress - begin;
            if (dropped <= 0) return;
            if (address > _log.ClearedBelow)
            {
                long evicted = (long)(count * Math.Min(1.0, dropped / _plan.RecordBytes / (double)records));
                Interlocked.Add(ref _countForgotten, evicted);
                if (!isLookedThrough) Interlocked.Add(ref _evicted, evicted);
            }

            if (_settled is null) _disk.Device.RemoveSegmentsBefore((int)(_log.BeginAddress / _plan.SegmentBytes));
            else if (!isLookedThrough) DropUnsettled();
            if (_settled?.ProbationBegin > begin) _settled.RemoveFiles(); // of what was cleared nothing goes on probation
        }
    }

    /// <summary>Counts what FASTER has dropped by itself: without a disk its log begins where its memory does, and nobody is told.</summary>
    private void CountDropped()
    {
        if (_disk is not null) return;
        lock (_dropping)
        {
            long begin = _log.BeginAddress;
            long from = Math.Max(_countedBelow, _log.ClearedBelow);
            _countedBelow = begin;
            if (begin <= from) return;
            long bytes = _log.TailAddress - from;
            long count = Math.Clamp(EverCounted - Interlocked.Read(ref _countForgotten), 0, bytes / _plan.Record.Smallest);
            long evicted = (long)(count * ((begin - from) / (double)bytes));
            Interlocked.Add(ref _countForgotten, evicted);
            Interlocked.Add(ref _evicted, evicted);
        }
    }

    /// <summary>What was dropped without being looked through takes the place of segments on probation until it is their turn to go.</summary>
    private void DropUnsettled()
    {
        if (_settled!.Index.Probation.IsEmpty) _settled.DropProbation(_log.BeginAddress);
        while (_settled.FreeSegments < 0 && _settled.TryDropOldest())
        {
        }

        _settled.RemoveFiles();
    }

    /// <summary>All is gone.</summary>
    /// <param name="cleared">How many entries there were.</param>
    private void ForgetCount(long cleared)
    {
        Interlocked.Add(ref _cleared, cleared);
        Interlocked.Exchange(ref _countForgotten, EverCounted);
    }
}
