using System.Diagnostics;
using HybridCaching.Configuration;
using HybridCaching.Diagnostics;

namespace HybridCaching.Tiering;

internal abstract partial class TieredStore<TSession, TReader>
{
    /// <summary>The budgets that hold now: while they are changed, the larger of either.</summary>
    private volatile MemoryPlan _held;

    /// <summary>Whether the files of a checkpoint that does not count any more are about to be deleted.</summary>
    private volatile bool _isDeletingVoid;

    /// <summary>Called when the budgets are others.</summary>
    protected virtual void OnResized(MemoryPlan plan)
    {
    }

    /// <summary>Changes both budgets while calls go on. When this returns, both hold; what does not fit any more has left, the oldest first. Whoever comes second waits.</summary>
    /// <exception cref="ArgumentOutOfRangeException">That does not work; nothing has changed.</exception>
    public void Resize(ByteSize memoryBudget, ByteSize diskBudget)
    {
        while (!_disposing.TryEnter(LookInterval)) EndRest(); // a checkpoint that is being written sees that somebody waits
        try
        {
            ThrowIfDisposed();
            var plan = _plan.Resize(memoryBudget, diskBudget, SizesNow(), _settings.MemoryBudget);
            EndRest();
            Resize(_plan, plan);
            Log.Resized(_logger, _settings.Name, memoryBudget, diskBudget);
        }
        finally
        {
            _disposing.Exit();
        }
    }

    private void Resize(MemoryPlan from, MemoryPlan to)
    {
        _held = to with
        {
            MemoryBudget = Math.Max(from.MemoryBudget, to.MemoryBudget),
            DiskBudget = Math.Max(from.DiskBudget, to.DiskBudget),
            BufferBytes = Math.Min(from.BufferBytes, to.BufferBytes),
        };
        var patience = new DiskPatience(() => _disk?.Device.WriteProgress ?? 0, _settings.DiskTimeout);
        LogCopies(static () => true); // the hot tier may have to give up more than can stay in other ways
        _disk?.Resize(to);
        if (_disk is { } disk && (_settled?.Index.Tables.SequenceEqual(to.SettledTables) == false || to.Segments > disk.Device.State!.Segments)) disk.Forgo("its budgets were changed while it was open");
        Fault.Point("resize.begin");
        ShrinkSettledIndex(to);
        DivideTiers(to);
        OnResized(to);
        WaitForLogToShrink(patience);
        Fault.Point("resize.pages-gone");
        LetSegmentsGo(mayWait: !patience.IsOver);
        Fault.Point("resize.segments-gone");
        DeleteVoidCheckpoint(patience);
        GrowSettledIndex(to);
        Fault.Point("resize.grown");
        while (BalanceTiers(mayDecide: false))
        {
        }

        _held = to;
    }

    /// <summary>Renting a session ends a rest.</summary>
    private void EndRest() => _pool.Return(_pool.Rent());

    private FixedSizes SizesNow() => _plan.SizesOfOpen() with
    {
        OverflowBytes = _log.OverflowBytesAhead,
        IndexFileBytes = _log.IndexFileBytes,
        ChecksumBytes = _disk?.Device.State!.ChecksumBytes ?? 0,
        NoteBytes = _disk?.Device.State!.NoteBytes ?? 0,
    };

    /// <summary>With all rows locked nobody puts a word in or leads one elsewhere while words are moved. What the mover lets go, or has found dead, may go.</summary>
    private void WithAllRowsLocked(Action change)
    {
        lock (_clearing)
        {
            _rows.LockAll();
            try
            {
                change();
            }
            finally
            {
                _rows.UnlockAll();
            }
        }
    }

    private void ShrinkSettledIndex(MemoryPlan plan)
    {
        if (_settled is null) return;
        _settled.Index.Limit(plan.SettledTables);
        while (_settled.Index.MustShrink(plan.SettledTables)) WithAllRowsLocked(() => _settled.Index.ShrinkPart(plan.SettledTables));
    }

    private void GrowSettledIndex(MemoryPlan plan)
    {
        if (_settled is null) return;
        WithAllRowsLocked(() => _settled.Index.Grow(plan.SettledTables));
        lock (_balancing)
        {
            UseTables(plan, isGrowing: true);
            _settledReserved = 0;
        }
    }

    /// <summary>What is remembered of hits and of keys that were dropped is only of use for what to keep: in a table of another size it begins anew.</summary>
    /// <param name="plan">Says how large they are to be.</param>
    /// <param name="isGrowing">Whether others take the place of those that are too small, or else of those too large.</param>
    private void UseTables(MemoryPlan plan, bool isGrowing)
    {
        var (ghost, hitCounts) = (_ghost!, _hitCounts!);
        bool isNewGhost = _hasGhost && IsToReplace(ghost.Bytes, plan.GhostBytes);
        bool isNewHitCounts = IsToReplace(hitCounts.Bytes, plan.HitCountBytes);
        DiscardFormer(); // before there are others
        if (isNewGhost) _ghost = new Ghost(plan.GhostBytes);
        if (isNewHitCounts) _hitCounts = new HitCounts(plan.HitCountBytes);
        _settled!.Resize(plan);
        _mover!.Resize(_ghost!, _hitCounts!, plan.Segments);
        DiscardFormer(); // who came to them meanwhile

        void DiscardFormer()
        {
            if (isNewGhost) ghost.Discard();
            if (isNewHitCounts) hitCounts.Discard();
        }

        bool IsToReplace(long bytes, long planned) => isGrowing ? planned - bytes >= MemoryPlan.BlockBytes : bytes > planned;
    }

    /// <summary>Divides memory between log and hot tier as another plan says: the hot tier gives up at once what it has to, and the log takes in no more than it may.</summary>
    private void DivideTiers(MemoryPlan plan)
    {
        lock (_balancing)
        {
            if (_settled is not null) UseTables(plan, isGrowing: false);
            _plan = plan;
            (_settledAsked, _ghostAsked, _waysOnReserve) = (0, 0, 0);
            if (_settled is not null) _settledReserved = (_hasGhost ? Math.Max(0, plan.GhostBytes - _ghost!.Bytes) : 0) + _settled.Index.FirstBytesOfMissing(plan.SettledTables);
            GiveUpWays();
            _log.Resize(plan);
        }
    }

    /// <summary>Waits until the pages that are too many have left memory. What still waits for the disk when patience with it is over is lost.</summary>
    private void WaitForLogToShrink(DiskPatience patience)
    {
        while (true)
        {
            _log.HoldMemoryPlan();
            if (!IsLogTooLarge) return;
            if (patience.IsOver) _disk?.Device.GiveUpWrites();
            if (patience.IsLongOver) return;
            patience.Wait();
        }
    }

    /// <summary>Lets go what is too much on the disk, and waits until its files are gone, as long as they become fewer. What is worth it is moved first, as long as that gets on and the disk timeout is not over; the rest goes as it is.</summary>
    private void LetSegmentsGo(bool mayWait = true)
    {
        if (_disk is null) return;
        long start = Stopwatch.GetTimestamp();
        (long, long) mover = default;
        var spin = new SpinWait();
        int ended = Volatile.Read(ref _reclaimsEnded);
        while (_settled is { FreeSegments: < 0 } && !HasNothingToReclaim() && IsMoverGettingOn(ref mover) && Stopwatch.GetElapsedTime(start) < _settings.DiskTimeout)
        {
            WakeUpReclaimer();
            spin.SpinOnce();
        }

        int fewest = int.MaxValue;
        var patience = new DiskPatience(() => fewest = Math.Min(fewest, _disk.Device.Segments), _settings.DiskTimeout); // what others write meanwhile is no sign that files go
        bool mustCut = _settled is null;
        while (true)
        {
            DropExcess(ref mustCut);
            bool isTooMuch = CutLog(mustCut);
            if ((!isTooMuch && _disk.Device.Segments <= _plan.Segments) || !mayWait || patience.IsOver) break;
            patience.Wait();
        }

        _disk.Device.AllowSegments(_plan.Segments);

        // The first time it may have looked before that was too much.
        bool HasNothingToReclaim() => Volatile.Read(ref _reclaimsEnded) - ended > 1 && Interlocked.Read(ref _settledAsked) == 0;
    }

    /// <summary>Drops settled segments as they are, those first that would have been looked through next.</summary>
    /// <param name="mustCut">Set if that is not enough: FASTER's log, which is newer, has to get shorter as well.</param>
    private void DropExcess(ref bool mustCut)
    {
        lock (_dropping)
        {
            if (_settled is not { FreeSegments: < 0 }) return;
            DropSettled(free: 0);
            if (_settled.FreeSegments >= 0) return;
            _log.GiveUpExcessRoom();
            mustCut = true;
        }
    }

    /// <summary>Drops the oldest segments of FASTER's log as they are, as far as they have left memory.</summary>
    /// <returns>Whether it was too long.</returns>
    private bool CutLog(bool mustCut)
    {
        if (!mustCut) return false;
        long dropBefore = _log.MakeRoom();
        DropBefore(dropBefore);
        return dropBefore > 0;
    }

    /// <summary>The files of a checkpoint that does not count any more may be larger than the new budget leaves room for. If that takes longer than the disk timeout, they are deleted later, and the next checkpoint waits for that.</summary>
    private void DeleteVoidCheckpoint(DiskPatience patience)
    {
        if (_isDeletingVoid || _disk is not { UnavailableReason: null } disk) return; // nobody piles up threads while the disk hangs
        _isDeletingVoid = true;
        HasEndedInTime(
            () =>
            {
                disk.Checkpoints.TryDeleteRecovered();
                _isDeletingVoid = false;
            },
            patience.IsOver ? TimeSpan.Zero : _settings.DiskTimeout);
    }
}
