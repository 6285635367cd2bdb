using System.Diagnostics;
using HybridCaching.Diagnostics;
using HybridCaching.Store;

namespace HybridCaching.Tiering;

internal abstract partial class TieredStore<TSession, TReader>
{
    /// <summary>A log that is full has room for less than so many pages: it gives up whole ones.</summary>
    private const int PagesNotFilled = 2;

    /// <summary>With room for so many ways of the hot tier the log has more than it needs soon.</summary>
    private const int IdleWays = 2;

    /// <summary>What the log would have filled within so many ticks of housekeeping is not worth being given away.</summary>
    private const int TicksOfUse = 16;

    /// <summary>If the system has no memory, it is asked again after that.</summary>
    private static readonly TimeSpan RefusalLasts = TimeSpan.FromSeconds(1);

    private readonly Lock _dropping = new();
    private readonly Lock _balancing = new();
    private readonly TierBalance _balance = new();
    private long _tailSeen;
    private long _tailKept;

    /// <summary>Whether the log, at the rate of the last moment, soon has filled its memory.</summary>
    private volatile bool _isFilling;
    private readonly Lock _compacting = new();

    /// <summary>What the index of settled records is about to take, and its ghost: pages of the log may have to leave first.</summary>
    private long _settledAsked;
    private long _ghostAsked;

    /// <summary>What they take at the end of a change of budgets.</summary>
    private long _settledReserved;
    private volatile bool _hasGhost;

    /// <summary>When the system had no memory for the index of settled records; 0 if it always had.</summary>
    private long _growthRefusedAt;
    private long _countForgotten;
    private long _evicted;
    private long _cleared;
    private long _growthKnown = long.MinValue;
    private long _ticksUntilWriteOut;
    private long _writesWrittenOut;

    /// <summary>About how many entries there are. Overwrites of entries that lie on the disk count twice until the older record is dropped.</summary>
    public long EstimatedCount
    {
        get
        {
            ThrowIfDisposed();
            return (_settler is null ? CountThere : Unsettled(CountThere, _settler.SettledBytesFrom(OldestOfLog), _log) + _settled!.Index.Count) + PinnedCount;
        }
    }

    /// <summary>About how many of the entries of FASTER's log the index of settled records does not know of.</summary>
    private static long Unsettled(long count, long settledBytes, HybridLog log)
    {
        long bytes = log.TailAddress - Math.Max(log.BeginAddress, log.ClearedBelow);
        return bytes <= settledBytes ? 0 : (long)(count * (1 - (Math.Max(0, settledBytes) / (double)bytes)));
    }

    private long OldestOfLog => Math.Max(_log.BeginAddress, _log.ClearedBelow);

    /// <summary>How many entries there are that are not in the log.</summary>
    protected virtual int PinnedCount => 0;

    private long Count
    {
        get
        {
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
                if (_disk.UnavailableReason is null) _disk.NoteTime();
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
        _isFilling = (tail - _tailKept) * TicksOfUse > _log.UnusedBytes;
        _tailKept = tail;
        while (BalanceTiers() && !HasOutgrownMemory)
        {
            // What lies idle can be given away at once.
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

        DropBefore(_log.HeadAddress); // what left memory is gone; the index may forget it
        ForgetSettled();
    }

    /// <summary>
    /// Divides memory anew between log and hot tier, one way of the hot tier at a time. It gets a way once the data has outgrown the log's memory and the log has given up as much: until then the
    /// log has all that it can fill, since what fits there costs no disk at all, and the hot tier what lies idle. It gives one up when the index has grown, or the log would save more reads with it.
    /// </summary>
    /// <returns>Whether the hot tier got a way.</returns>
    private bool BalanceTiers()
    {
        if (!_balancing.TryEnter()) return false;
        try
        {
            int target = Math.Min(GiveUpWays(), BalancedWays());
            if (_rows.Ways > target)
            {
                GiveWayToLog();
                return false;
            }

            if (_rows.Ways >= target || (_rows.Ways >= _plan.InitialHotWays && !HasOutgrownMemory && (_isFilling || _log.UnusedBytes < IdleWays * _plan.HotWayBytes))) return false;
            _log.LentBytes = LentBytes(_rows.Ways + 1);
            _log.HoldMemoryPlan();
            if (IsLogTooLarge) return false;
            _rows.TakeWay();
            return true;
        }
        finally
        {
            _balancing.Exit();
        }
    }

    /// <summary>As long as the data fits memory, the hot tier has what the log could not fill yet: gives one way of that back.</summary>
    private void GiveUpIdleWay()
    {
        if (_rows.Ways <= _plan.InitialHotWays || HasOutgrownMemory || !_balancing.TryEnter()) return;
        try
        {
            if (_rows.Ways > _plan.InitialHotWays) GiveWayToLog();
        }
        finally
        {
            _balancing.Exit();
        }
    }

    /// <summary>Gives the memory of one way of the hot tier to the log. The caller has the lock.</summary>
    private void GiveWayToLog()
    {
        _rows.GiveUpWay();
        _log.LentBytes = LentBytes(_rows.Ways);
        _log.HoldMemoryPlan();
    }

    /// <summary>How many ways the hot tier may have by what was counted.</summary>
    private int BalancedWays()
    {
        if (_balance.IsDue) _balance.Decide(_rows.Ways, _log.LogBytes / (double)Math.Max(1, _plan.HotWayBytes), _hotHits.Sum(), _pool.SumCounters().MemoryHits, NeedOfLog());
        return Math.Max(_plan.InitialHotWays, _balance.MostWays);
    }

    /// <summary>What the log would do with other memory, by what was stored since this was asked last.</summary>
    private LogNeed NeedOfLog()
    {
        long tail = _log.TailAddress;
        bool isGrowing = tail - _tailSeen >= _plan.PageBytes;
        _tailSeen = tail;
        if (isGrowing) return _log.UnusedBytes < PagesNotFilled * _plan.PageBytes ? LogNeed.More : LogNeed.Same;
        return _log.UnusedBytes >= _plan.HotWayBytes ? LogNeed.Less : LogNeed.Same;
    }

    /// <summary>Counts a hit on the disk, for the balance of the tiers.</summary>
    /// <param name="address">Where in FASTER's log the record is; less than its begin if it is not there.</param>
    private void CountForBalance(long address)
    {
        if (address < _log.BeginAddress) _balance.CountHit();
        else _balance.CountHit(_log.HeadAddress - address, _plan.HotWayBytes);
    }

    /// <summary>Has what was stored written to the disk when it is time to, so that it is found again after a sudden end of the process. Waits for nothing.</summary>
    private void WriteOut(DiskTier disk)
    {
        if (!disk.IsWarm || --_ticksUntilWriteOut > 0) return;
        _ticksUntilWriteOut = Housekeeper.TicksPer(_settings.CheckpointInterval);
        long writes = _pool.SumCounters().Writes;
        if (writes == _writesWrittenOut) return;
        _writesWrittenOut = writes;
        _log.BeginFlush();
    }

    private bool HasOutgrownMemory => _disk is { UnavailableReason: null } && _log.HeadAddress > _log.BeginAddress;

    /// <summary>Before the index takes more memory than anybody knew of: waits until the hot tier has given it up. The caller has no session.</summary>
    private void MakeRoomForIndex()
    {
        lock (_balancing) GiveUpWays();
    }

    /// <summary>Has the hot tier give up what the index takes or is about to take. The caller has the lock.</summary>
    /// <returns>How many ways it may have.</returns>
    private int GiveUpWays()
    {
        long growth = _log.IndexGrowth;
        int target = _plan.HotWaysBeside(growth, SettledGrowth);
        while (_rows.Ways > target) _rows.GiveUpWay();
        _log.LentBytes = LentBytes(_rows.Ways);
        Volatile.Write(ref _growthKnown, growth);
        return target;
    }

    /// <summary>What the log has given up if the hot tier has so many ways.</summary>
    private long LentBytes(int ways) => _plan.LentBytes(ways, SettledGrowth);

    /// <summary>Whether pages of the log have still to leave that it has given up.</summary>
    private bool IsLogTooLarge => _log.LogBytes > _plan.LogBytesBeside(Math.Max(0, _log.IndexGrowth) + _log.LentBytes);

    /// <summary>What index and ghost of settled records take more than planned for a full disk: less than zero until it is.</summary>
    private long SettledGrowth => _settled is null ? 0 : Math.Min(0, SettledBytes - _plan.SettledIndexBytes - _plan.GhostBytes);

    private long SettledBytes => _settled!.Index.Bytes + (_hasGhost ? _ghost!.Bytes : 0) + Interlocked.Read(ref _settledAsked) + Interlocked.Read(ref _ghostAsked) + Interlocked.Read(ref _settledReserved);

    /// <summary>Gives the index of settled records more places before it is full. For the mover, with no row locked.</summary>
    private void GrowSettledIndex()
    {
        var index = _settled!.Index;
        if (!index.IsGrowthDue || Stopwatch.GetElapsedTime(_growthRefusedAt) < RefusalLasts)
        {
            Interlocked.Exchange(ref _settledAsked, 0);
            return;
        }

        lock (_balancing)
        {
            long bytes = index.NextGrowthBytes;
            if (!TryTakeForSettled(ref _settledAsked, bytes)) return;
            index.BeginGrowth(bytes);
            _settledAsked = 0;
        }

        if (!index.IsGrowthRefused) return;
        if (_growthRefusedAt == 0) Log.IndexCannotGrow(_logger, _settings.Name, index.Count);
        _growthRefusedAt = Stopwatch.GetTimestamp();
    }

    /// <summary>Before the first record goes from the disk: makes a ghost that remembers more than a few keys.</summary>
    private void TakeGhost()
    {
        if (_hasGhost) return;
        lock (_balancing)
        {
            if (!TryTakeForSettled(ref _ghostAsked, _plan.GhostBytes)) return;
            _hasGhost = true;
            UseTables(_plan, isGrowing: true);
            _ghostAsked = 0;
        }
    }

    /// <summary>Takes memory from log and hot tier for index or ghost of settled records. The caller has the lock.</summary>
    /// <returns>False if pages of the log have to leave first: to be asked again.</returns>
    private bool TryTakeForSettled(ref long asked, long bytes)
    {
        Interlocked.Exchange(ref asked, bytes);
        GiveUpWays();
        _log.HoldMemoryPlan();
        return !IsLogTooLarge;
    }

    /// <summary>Whether the index is about to take memory that the hot tier may still use.</summary>
    private bool IsIndexGrowing => _log.IndexGrowth > Volatile.Read(ref _growthKnown);

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

            if (_settled is null) _disk?.Device.RemoveSegmentsBefore((int)(_log.BeginAddress / _plan.SegmentBytes));
            else if (!isLookedThrough) DropUnsettled();
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
