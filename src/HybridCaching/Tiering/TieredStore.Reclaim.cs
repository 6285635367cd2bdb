using System.Diagnostics;
using System.Runtime.CompilerServices;
using HybridCaching.Store;

namespace HybridCaching.Tiering;

internal abstract partial class TieredStore<TSession, TReader>
{
    /// <summary>What was written last, one part in so many of the disk, is recent. Simulated for 5, 10 and 20 %: the same number of misses, and 1 to 3 % fewer objects written than without.</summary>
    private const int RecentPart = 20;

    private const ulong LossFactor = 0x9E37_79B9_7F4A_7C15;

    /// <summary>Moving records and taking a checkpoint exclude each other.</summary>
    private readonly Lock _moving = new();

    protected readonly SettledLog? _settled;
    private volatile Ghost? _ghost;
    private volatile HitCounts? _hitCounts;
    private readonly Mover? _mover;
    private readonly TReader? _reader;
    private readonly Housekeeper? _reclaimer;
    private readonly PageSieve? _sieve;
    private readonly Settler? _settler;

    /// <summary>The mover's session: those of the pool are held while there is a checkpoint.</summary>
    private readonly TSession? _viewer;
    private readonly Devices.WriteBudget? _writeBudget;
    private volatile bool _isReclaimAsked;
    private volatile bool _isMovingPaused;

    /// <summary>How often there was nothing to settle or to let go any more.</summary>
    private int _reclaimsEnded;

    /// <summary>Who has the right to move settles what somebody waits for: others have to wait for that.</summary>
    private volatile bool _mustSettle;

    /// <summary>How many who will not need it for long wait for the right to move.</summary>
    private int _movingWanted;
    private volatile bool _isClosing;
    private volatile bool _mustSweep;

    /// <summary>Called under the lock of a key's row when a record was appended for it.</summary>
    /// <param name="session">Whose record it is.</param>
    /// <param name="hash">The key's hash.</param>
    /// <param name="isNew">Whether the key had no record in memory.</param>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    protected void CountAppended(TSession session, ulong hash, bool isNew)
    {
        if (isNew || _settled is not null) session.Counters.Added++; // of what the log holds, a share as large as that of its bytes is taken for settled: the record that was replaced may be among it
        if (isNew) Unsettle(hash);
        else UnsettleOlder(hash);
    }

    /// <summary>A record was appended for a key that had none in memory: a settled one is outdated. A key that comes back counts as read once.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    private void Unsettle(ulong hash)
    {
        if (_settled is not null && (_settled.Index.Remove(hash) || _ghost!.Take(hash))) _hitCounts!.Count(hash);
    }

    /// <summary>As <see cref="Unsettle"/>, for a key that had one in memory: that, or a copy of it, may be settled already. The key has not come back; it was never gone.</summary>
    private void UnsettleOlder(ulong hash)
    {
        if (_sieve is not null) Unsettle(hash);
        else _settled?.Index.Remove(hash);
    }

    /// <summary>Called under the lock of a key's row when the log has nothing of it any more, but a copy has: settled records are outdated.</summary>
    /// <param name="session">Whoever removed it.</param>
    /// <param name="hash">The key's hash.</param>
    /// <param name="wasInMemory">Whether the log had it in memory.</param>
    protected void CountTakenOut(TSession session, ulong hash, bool wasInMemory)
    {
        bool wasSettled = RemoveSettled(hash);
        if (wasInMemory && !wasSettled) session.Counters.Added--;
        if ((!wasInMemory || _sieve is not null) && (wasSettled || _ghost?.Take(hash) == true)) _hitCounts?.Count(hash); // as in Unsettle and UnsettleOlder
    }

    /// <summary>Counts that what only a copy had is in the log: it was used often, which decides what reaches the disk if there is a budget for writes.</summary>
    protected void CountLogged(ulong hash)
    {
        if (_sieve is not null) _hitCounts!.Count(hash);
    }

    /// <summary>Counts a hit in the memory of the log, which decides what reaches the disk while the budget for writes is short.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    protected void CountMemoryHit(ulong hash)
    {
        if (IsChoosy) _hitCounts!.Count(hash);
    }

    /// <summary>Whether the budget for writes is short.</summary>
    protected bool IsChoosy => _writeBudget is { IsShort: true };

    /// <summary>Called under the lock of a key's row when the key is removed.</summary>
    /// <returns>Whether there may have been a settled record.</returns>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    protected bool RemoveSettled(ulong hash) => _settled is not null && _settled.Index.Remove(hash);

    /// <summary>Counts a hit on a record on the disk, which decides what is kept there.</summary>
    protected void CountDiskHit(in DiskTrail trail)
    {
        CountForBalance(trail.Address);
        if (_settled is null) return;
        if (trail.IsInChain && !IsHitWorthy(trail.Address)) return;
        if (!_settled.Index.CountHit(trail.Hash, trail.Address)) _hitCounts!.Count(trail.Hash);
    }

    /// <summary>Whether a hit on a record of FASTER's log says that it will be read again: one soon after it was written does not, unless little may be written.</summary>
    private bool IsHitWorthy(long address) => _log.TailAddress - address >= _plan.DiskBudget / RecentPart || IsChoosy;

    /// <summary>The same for a value in pieces, whose list is under a key with this hash. The caller has a session.</summary>
    protected bool IsHitOnPiecesWorthy(ulong hash)
    {
        long address = _log.NewestInChain(hash);
        CountForBalance(address);
        return address < _log.BeginAddress || IsHitWorthy(address);
    }

    /// <summary>Counts a hit on a settled record; false if there is none.</summary>
    protected bool CountSettledHit(ulong hash) => _settled is not null && _settled.Index.CountHit(hash);

    /// <summary>Counts a hit on records of FASTER's log, all of one key, or all pieces of one value.</summary>
    protected void CountLogHit(ulong owner) => _hitCounts?.Count(owner);

    /// <summary>Whether a key that is being stored was there before: what is stored for it counts as read once.</summary>
    protected bool ComesBack(ulong hash) => _settled is not null && (_settled.Index.MarkOf(hash) != 0 || _ghost!.Contains(hash));

    /// <summary>Whether nobody has stored the key, or another of its row, since its row's word was seen: only then does it count that neither hot tier nor FASTER's log had it, nor what it has let go. Without a disk, too: a copy outlives its record.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    protected bool IsMissSure(ulong hash, ulong seen) => _rows.IsUnchanged(hash, seen);

    /// <summary>Stands for what was found to lead to a key's records on the disk, as long as nothing there is given up.</summary>
    protected ulong OriginOf(in DiskTrail trail, ulong settledMark) => ((ulong)trail.Address * 31) + settledMark + ((ulong)(Device?.Losses ?? 0) * LossFactor);

    /// <summary>Where the index of settled records leads for a key; to be asked before the look-up whose result it stands for.</summary>
    protected ulong SettledMark(ulong hash) => _settled?.Index.MarkOf(hash) ?? 0;

    /// <summary>Whether a record was stored after a walk of FASTER's log began, which comes no further than an address. Those of the main log are met later.</summary>
    protected bool IsBeyond(long address, long end) => address >= end && _settled?.IsMain(address) != true;

    /// <summary>Begins to look for the record that a key stands for.</summary>
    /// <param name="session">To look with.</param>
    /// <param name="record">A record of the key.</param>
    /// <param name="hash">The key's hash.</param>
    /// <returns>False if it is not on the disk.</returns>
    protected abstract bool TryBeginTrail(TSession session, ReadOnlySpan<byte> record, ulong hash);

    /// <summary>Follows a trail to the record that a key stands for, as far as no disk is needed.</summary>
    /// <param name="reader">To look with.</param>
    /// <param name="record">A record of the key.</param>
    /// <param name="trail">Where to go on.</param>
    /// <param name="found">Whether there is one, where the trail leads to.</param>
    /// <returns>False if the disk is needed.</returns>
    protected abstract bool TryFollow(TReader reader, ReadOnlySpan<byte> record, ref DiskTrail trail, out bool found);

    bool IRecordJudge.TryShow(ref long address, long end, INewestSink sink) => _viewer!.TryShowNewest(ref address, end, TimeOfJudgement, sink);

    bool? IRecordJudge.IsNewestInMemory(long address) => _viewer!.IsNewestInMemory(address);

    bool IRecordJudge.IsNewestOnDisk(ReadOnlySpan<byte> record, ulong hash, long address, out long chain)
    {
        chain = ((IRecordJudge)this).ChainOnDisk(record, hash);
        if (chain == 0) return false;
        var trail = _viewer!.Trail;
        bool found;
        while (!TryFollow(_reader!, record, ref trail, out found))
        {
            if (!_mover!.WaitForDisk(_reader!)) return false;
        }

        return found && trail.IsInChain && trail.Address == address;
    }

    long IRecordJudge.ChainOnDisk(ReadOnlySpan<byte> record, ulong hash) => TryBeginTrail(_viewer!, record, hash) && _viewer!.Trail.IsInChain ? _viewer.Trail.Address : 0;

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    private void AskForReclaim()
    {
        if (_isReclaimAsked || _settled is null || !_log.IsReclaimDue(out _)) return;
        WakeUpReclaimer();
    }

    private void WakeUpReclaimer()
    {
        _isReclaimAsked = true;
        _reclaimer!.WakeUp();
    }

    /// <summary>Whether the mover is at work and gets on, so that who wants room in the log should wait for it.</summary>
    /// <param name="seen">The progress seen last, and when.</param>
    private bool IsMoverGettingOn(ref (long Progress, long At) seen)
    {
        if (_mover is null || !HasDisk) return false;
        var patience = _settings.DiskTimeout / 2;
        if (_mover.TimeWaited > patience) return false;
        long progress = MovingProgress;
        if (seen.At == 0 || seen.Progress != progress) seen = (progress, Stopwatch.GetTimestamp());
        AskForReclaim();
        return Stopwatch.GetElapsedTime(seen.At) < patience;
    }

    /// <summary>Changes with whatever is moved or settled; and, while the index waits for pages to leave memory, with what is written.</summary>
    public long MovingProgress => (_mover?.Progress ?? 0) + (_settler?.Progress ?? 0) + (Interlocked.Read(ref _settledAsked) > 0 ? Device?.WriteProgress ?? 0 : 0);

    /// <summary>Settles what was written, and makes room for it; lets the oldest segments of FASTER's log go as long as that is due.</summary>
    private void Reclaim()
    {
        do
        {
            for (SpinWait wait = default; IsMovingWanted;) wait.SpinOnce(); // writers may keep us at work for ever
            lock (_moving) ReclaimUntilWanted();
        }
        while (IsMovingWanted || (_isReclaimAsked && !MustPauseMoving()));
    }

    private void ReclaimUntilWanted()
    {
        _isReclaimAsked = false;
        Sift();
        while (!MustPauseMoving())
        {
            if (TryReclaim() || TrySettle()) continue;
            Interlocked.Increment(ref _reclaimsEnded);
            return;
        }
    }

    /// <summary>Takes what is worth it out of pages that the budget for writes has no room for. Not beside a checkpoint that was given up: then they are written.</summary>
    private void Sift()
    {
        if (_sieve is null) return;
        if (IsCheckpointLeft) _disk!.Device.WriteOffered();
        else _sieve.Sift();
    }

    private bool TrySettle()
    {
        if (_settler!.SettledTo >= _log.FlushedUntilAddress) return false;
        if (!GrowSettledIndex()) return false; // at the next tick again
        return (_mover!.IsCrowded && MakeRoomOnDisk()) || _settler.TrySettle(TimeOfJudgement);
    }

    /// <summary>While the mover waits for the disk, or is busy with what comes from there: pages that are about to leave memory do not wait for it. What left unsettled would have to be read again, and keep the mover still longer.</summary>
    private void TendMemory()
    {
        Sift();
        long end = _log.FlushedUntilAddress;
        while (GrowSettledIndex() && !MustPauseMoving() && _settler!.LookedTo < end && !_mover!.IsCrowded && _settler.TrySettlePage())
        {
        }
    }

    private bool TryReclaim()
    {
        bool isDue = _log.IsReclaimDue(out long end);
        if (!isDue && _settled!.FreeSegments >= 0) return false;
        if (_mover!.IsFull && MakeRoomOnDisk()) return true;
        if (isDue && _log.LentSegments > 0) return TryTakeBack();
        end = Math.Min(end, _settler!.SettledTo);
        long begin = _log.BeginAddress;
        if (!isDue || end <= begin) return false;
        DropBefore(end, isLookedThrough: true);
        _settled!.DropUnwritten();
        return _log.BeginAddress > begin; // which goes by whole pages
    }

    /// <summary>FASTER's log needs a segment that it has lent.</summary>
    private bool TryTakeBack()
    {
        if (_mover!.IsFull) return false; // and nothing is left that could make room
        _log.Lend(_log.LentSegments - 1);
        return true;
    }

    /// <summary>The mover does not get on: the oldest segments of FASTER's log go as they are, as far as they have left memory. If none has, the log takes back a segment that it has lent, and what is there goes.</summary>
    private void DropOldest(long before)
    {
        long begin = _log.BeginAddress;
        DropBefore(before);
        if (_log.BeginAddress > begin || _log.LentSegments == 0) return;
        lock (_dropping)
        {
            DropSettled(free: 1);
            _log.Lend(_log.LentSegments - 1);
        }
    }

    /// <summary>Drops settled segments as they are, those first that would have been looked through next, until so many are free. The caller has the right to drop.</summary>
    private void DropSettled(int free)
    {
        long count = _settled!.Index.Count;
        while (_settled.FreeSegments < free && _mover!.TryDropNext())
        {
        }

        _settled.Sweep();
        Interlocked.Add(ref _evicted, Math.Max(0, count - _settled.Index.Count));
    }

    private bool MakeRoomOnDisk()
    {
        TakeGhost();
        bool isMade = _mover!.TryMakeRoom(TimeOfJudgement);
        Interlocked.Add(ref _evicted, _mover.TakeDropped());
        return isMade;
    }

    /// <summary>Settles what was written before an address, though others want to move, or nothing shall be moved. The caller has the right to move.</summary>
    /// <param name="address">The address.</param>
    /// <param name="isLast">Whether the cache may be closing: else it is left to who closes it.</param>
    private void SettleTo(long address, bool isLast = true)
    {
        _mustSettle = true;
        try
        {
            while (_settler is not null && _settler.SettledTo < address && (isLast || !_isClosing) && _settler.TrySettle(TimeOfJudgement)) GrowSettledIndex();
        }
        finally
        {
            _mustSettle = false;
        }
    }

    /// <summary>As <see cref="SettleTo"/>; who has the right to move gives it away at once.</summary>
    /// <param name="address">The address.</param>
    /// <param name="makesRoom">Whether room is made meanwhile for those who store: nobody else may.</param>
    private void TakeTurnAndSettleTo(long address, bool makesRoom = false)
    {
        if (_settler is null) return;
        Interlocked.Increment(ref _movingWanted);
        try
        {
            _moving.Enter();
        }
        finally
        {
            Interlocked.Decrement(ref _movingWanted);
        }

        try
        {
            if (IsCheckpointLeft) return;
            while (makesRoom && !MustPauseMoving() && _settler.SettledTo + (_plan.SegmentBytes / 2) is var next && next < address)
            {
                Sift();
                TryReclaim(); // looks through a segment, or lets one go: both for each that is settled
                long settled = _settler.SettledTo;
                SettleTo(next, isLast: false);
                if (_settler.SettledTo == settled) break;
            }

            SettleTo(address, isLast: false);
        }
        finally
        {
            _moving.Exit();
        }
    }

    /// <summary>There is no disk, or none any more: what was on it is lost.</summary>
    private void ForgetSettled()
    {
        if (_settled is null || _settled.Index.IsEmpty) return;
        _settled.DropProbation(_settled.Index.Probation.Tail);
        _settled.DropMain(_settled.MainTail);
        _settled.Index.Sweep();
    }

    private bool IsMovingWanted => Volatile.Read(ref _movingWanted) > 0;

    private bool MustPauseMoving() => (!_mustSettle && (IsMovingWanted || _isMovingPaused)) || _isClosing || IsResting || !HasDisk || IsCheckpointLeft;

    /// <summary>Whether a checkpoint that was given up is still at work: it may be just settling something, and nobody else may, until it has ended.</summary>
    private bool IsCheckpointLeft => _givenUp is { IsAlive: true };

    private bool HasDisk => _disk is { UnavailableReason: null };

    /// <summary>Frees what was cleared.</summary>
    private void SweepSettled()
    {
        if (_settled is not null && _log.ClearedBelow > _settled.ProbationBegin && _log.BeginAddress > _settled.ProbationBegin) _settled.DropProbation(Math.Min(_log.ClearedBelow, _log.BeginAddress));
        if (_settled?.Index.MustSweep == true) _settled.Index.Sweep();
        if (!_mustSweep) return;
        _mustSweep = false;
        _settled?.Sweep();
    }
}
