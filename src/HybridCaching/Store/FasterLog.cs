using System.Runtime.CompilerServices;
using FASTER.core;
using HybridCaching.Configuration;
using HybridCaching.Devices;

namespace HybridCaching.Store;

/// <summary>A <see cref="SessionLog{TSession, TReader}"/> over one FasterKV, whatever its records are. FASTER's read cache is not used.</summary>
internal abstract partial class FasterLog<TStoredKey, TStoredValue, TSession, TReader> : SessionLog<TSession, TReader>
    where TSession : LogSession
    where TReader : LogReader
{
    private const int MinimumPages = 4;

    /// <summary>Pages that threads are just taking from the spare ones, or giving to them: FASTER counts each of them twice for a moment.</summary>
    private const int PagesOnTheWay = 2;

    /// <summary>How often the whole index is compacted while the log is turned over once.</summary>
    private const int CompactionsPerTurnover = 4;

    /// <summary>The same while the index still grows, though it has taken <see cref="UrgentShare"/> of what was planned.</summary>
    private const int UrgentCompactionsPerTurnover = 16;

    private const double UrgentShare = 0.75;

    /// <summary>It is done in so many steps, or more for a large index: whoever drops records does it, and has a call to end.</summary>
    private const int CompactionStepsPerTurnover = 64;

    /// <summary>With fewer free buckets, chains that were left are seen to.</summary>
    private const int FewFreeBuckets = 64;

    private const int ChainsPerStep = 64 << 10;
    private const int MostChainsAtOnce = 4 * ChainsPerStep;

    /// <summary>FASTER takes so many overflow buckets before the first entry and uses none of them.</summary>
    private const int ReservedOverflowBuckets = 16;

    /// <summary>So many segments this log keeps of its share of the disk, whatever is lent.</summary>
    private const int LeastSegments = 4;

    /// <summary>The newest part of the memory, in which values are overwritten in place.</summary>
    private const double MutableFraction = 0.9;

    private volatile MemoryPlan _plan;
    private readonly int _ringPages;
    private readonly FasterKV<TStoredKey, TStoredValue> _store;
    private readonly LogAccessor<TStoredKey, TStoredValue> _log;
    private readonly LogDevice? _device;
    private readonly NullDevice? _nullDevice;
    private readonly SharedLogState _state = new();
    private readonly PromisedRoom _promised = new();
    private readonly LogPages _pages;
    private HashIndex _index;
    private BucketCompactor _compactor;
    private readonly bool _updateInPlace;
    private long _diskRoomBytes;

    /// <summary>What it is to be. When it gets smaller, the room follows only as segments are let go, or writers would have to wait until all that is too much was looked through.</summary>
    private long _diskRoomTarget;
    private long _indexLimitReachedAt;
    private long _overflowSeen;
    private long _compactedBelow;

    /// <summary>Chains that may still be too long, though there were buckets enough when their turn came.</summary>
    private long _chainsLeft;
    private long _droppedAtMost;
    private readonly Lock _holding = new();
    private long _roomBytes;

    /// <summary>The same for removals: when the room shrinks, as it does for the hot tier and for the index, this follows only as pages leave.</summary>
    private long _removalRoomBytes;
    private long _lentBytes;
    private int _lentSegments;

    protected FasterLog(MemoryPlan plan, IFasterEqualityComparer<TStoredKey> comparer, LogDevice? device, ICheckpointManager? checkpoints, LogConcurrency concurrency)
    {
        _plan = plan;
        _ringPages = plan.RingPages;
        _diskRoomBytes = _diskRoomTarget = plan.DiskLogBytes;
        _updateInPlace = concurrency == LogConcurrency.InPlaceLatched;
        _device = device;
        _nullDevice = device is null ? new NullDevice() : null;
        _store = new FasterKV<TStoredKey, TStoredValue>(new FasterKVSettings<TStoredKey, TStoredValue>
        {
            LogDevice = device ?? (IDevice)_nullDevice!,
            IndexSize = plan.IndexBytes,
            PageSize = plan.PageBytes,
            MemorySize = (long)plan.RingPages * plan.PageBytes,
            SegmentSize = plan.SegmentBytes,
            MutableFraction = MutableFraction,
            ReadCopyOptions = ReadCopyOptions.None,
            ReadCacheEnabled = false,
            ConcurrencyControlMode = _updateInPlace ? ConcurrencyControlMode.RecordIsolation : ConcurrencyControlMode.None,
            EqualityComparer = comparer,
            CheckpointManager = checkpoints ?? new NoCheckpoints(),
        });
        _log = _store.Log;
        _pages = new LogPages(_store, plan.PageBytes, plan.RingPages);
        _index = new HashIndex(_store);
        _index.DiscardFirstPages();
        _compactor = new BucketCompactor(_index);
        if (device is not null) device.DeclinesReads = true;
        if (device is not null && plan.SettledSegments > 0)
        {
            device.KeepsSegments = true;
            Settled = new SettledLog(plan, device, () => _log.BeginAddress, () => Math.Max(0, Volatile.Read(ref _diskRoomBytes) - Volatile.Read(ref _diskRoomTarget)) - (LentSegments * plan.SegmentBytes));
        }

        HoldMemoryPlan();
    }

    /// <summary>The device of the log; null for a log in memory only.</summary>
    public LogDevice? Device => _device;

    protected FasterKV<TStoredKey, TStoredValue> Store => _store;

    protected SharedLogState State => _state;

    protected bool UpdatesInPlace => _updateInPlace;

    protected MemoryPlan Plan => _plan;

    public int PageBytes => _plan.PageBytes;

    public override int PageBytesAt(long address) => Settled?.IsMain(address) == true ? _plan.MainPageBytes : _plan.PageBytes;

    protected long ReadOnlyAddress => _log.ReadOnlyAddress;

    public override long TailAddress => _log.TailAddress;

    public override long HeadAddress => _log.HeadAddress;

    public override long FlushedUntilAddress => _pages.FlushedUntilAddress;

    public override long BeginAddress => _log.BeginAddress;

    public override long IndexBytes => (_store.IndexSize * IndexSizing.BucketBytes) + OverflowBytes;

    public override long OverflowBytesAhead => IndexSizing.OverflowBytesAhead(_store.OverflowBucketCount);

    public override long IndexFileBytes => (_store.IndexSize + _store.OverflowBucketCount + 1) * IndexSizing.BucketBytes;

    public override long LogBytes => _log.MemorySizeBytes / _plan.PageBytes * _plan.PageCostBytes;

    public override long UnusedBytes => Math.Max(0, Volatile.Read(ref _roomBytes) - (_log.TailAddress - _log.HeadAddress));

    public override long SpareBytes => Math.Max(0, AffordablePages - _plan.MostLogPages) * _plan.PageCostBytes;

    public override long BytesToHold(long address) => _log.TailAddress - address - Volatile.Read(ref _roomBytes);

    public override long BytesToOverwrite(long address) => (long)((_log.TailAddress - address) / MutableFraction) - Volatile.Read(ref _roomBytes);

    public override long LentBytes
    {
        get => Interlocked.Read(ref _lentBytes);
        set => Interlocked.Exchange(ref _lentBytes, value);
    }

    public override long ClearedBelow
    {
        get => _state.ClearedBelow;
        set => _state.ClearedBelow = value;
    }

    /// <summary>What the log may take, beside the index and what others have borrowed, before the next record is stored. The few pages that any log needs it has in any case.</summary>
    private long MostLogBytes => Math.Max(
        _plan.LogBytesBeside(Math.Max(0, IndexGrowth) + LentBytes) - ((_plan.PromisedPages + PagesOnTheWay) * _plan.PageCostBytes),
        (MinimumPages + MemoryPlan.PagesForRemovals) * _plan.PageCostBytes);

    /// <summary>Records below are dropped or cleared.</summary>
    private long OldestOfUse => Math.Max(_log.BeginAddress, _state.ClearedBelow);

    /// <summary>Bytes of the index beyond the memory plan, or negative: what it does not take of that yet.</summary>
    private long IndexGrowth => OverflowBytesAhead - _plan.OverflowBytes;

    private long OverflowBytes => IndexSizing.FixedBytes + IndexSizing.OverflowBytesOf(_store.OverflowBucketCount);

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public override long NewestInChain(ulong hash) => _index.NewestInChain(hash);

    /// <inheritdoc cref="HashIndex.Moves"/>
    public long IndexMoves => _index.Moves;

    /// <summary>The record at an address that is in memory. Inside the epoch only, which keeps the page where it is.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    protected unsafe RecordInfo* RecordAt(long address) => _pages.RecordAt(address);

    /// <summary>Latches a record in memory so that it may be overwritten, as FASTER would after looking the key up once more. Inside the epoch only, which keeps the page from being written out meanwhile.</summary>
    /// <returns>False if it may not be overwritten.</returns>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    protected unsafe bool TryBeginOverwrite(long address)
    {
        if (!_updateInPlace || address < _log.ReadOnlyAddress || address < _state.ClearedBelow) return false;
        var record = _pages.RecordAt(address);
        return !record->Tombstone && record->TryLockExclusive();
    }

    /// <summary>Ends an overwrite.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    protected unsafe void EndOverwrite(long address)
    {
        Volatile.WriteBarrier(); // FASTER unlocks the record with a plain store
        _pages.RecordAt(address)->UnlockExclusive();
    }

    /// <summary>Whether the record at an address that is in memory stands for a removed or cleared key. Inside the epoch only.</summary>
    public unsafe bool IsRemoved(long address) => _pages.RecordAt(address)->Tombstone || address < _state.ClearedBelow;

    /// <summary>Whether an address of this log that is not in memory may be on the disk.</summary>
    public bool IsOnDisk(long address) => _device is not null && address >= _log.BeginAddress && address >= _state.ClearedBelow;

    /// <summary>Whether a trail leads to what may be on the disk. Chains are never followed into what was let go: what an old link leads to there may be outdated.</summary>
    public bool IsOnDisk(in DiskTrail trail) => trail.IsInChain ? IsOnDisk(trail.Address) : Settled!.Holds(trail.Address);

    /// <summary>Whether an address, of this log or beyond, that is not in memory may be on the disk.</summary>
    public bool IsAnywhereOnDisk(long address) => IsOnDisk(address) || Settled?.Holds(address) == true;

    /// <summary>Begins the look-up of a key on the disk.</summary>
    /// <param name="hash">Its hash.</param>
    /// <param name="address">Where its chain goes on.</param>
    /// <param name="trail">Where to look.</param>
    /// <returns>False if there is nowhere to look.</returns>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public bool TryBeginTrail(ulong hash, long address, out DiskTrail trail)
    {
        trail = new DiskTrail(hash, address);
        return IsOnDisk(address) || (Settled is { } settled && settled.TryNext(ref trail));
    }

    public override bool IsInUse(long address) => address >= OldestOfUse;

    public override bool IsReclaimDue(out long end)
    {
        long begin = _log.BeginAddress;
        end = ((begin / _plan.SegmentBytes) + 1) * _plan.SegmentBytes;
        return _log.TailAddress - begin > _diskRoomTarget - Math.Min(_diskRoomTarget / 4, 2 * _plan.SegmentBytes) && (end <= _log.HeadAddress || LentSegments > 0);
    }

    public override void Prefetch(ulong hash)
    {
        _index.Prefetch(hash);
        Settled?.Index.Prefetch(hash);
    }

    public override void PrefetchForMemory(ulong hash) => _index.Prefetch(hash);

    /// <summary>Asks the processor to fetch what tells whether there is a settled record of this hash, if the newest record in its chain is not in memory.</summary>
    /// <param name="hash">The hash.</param>
    /// <param name="newest">The address of the newest record.</param>
    public void PrefetchSettled(ulong hash, long newest)
    {
        if (newest < _log.HeadAddress) Settled?.Index.Prefetch(hash);
    }

    /// <inheritdoc cref="HashIndex.Guess"/>
    protected long IndexGuess(ulong hash) => _index.Guess(hash);

    public override bool HasRoomForRemoval => _log.TailAddress - _log.HeadAddress <= Volatile.Read(ref _removalRoomBytes) + (MemoryPlan.PagesForRemovals * _plan.PageBytes);

    public override int RoomFor(LogSession session, int needed)
    {
        session.Redeem();
        if (needed > MemoryPlan.PromisedBytes) return RoomForLong(session, needed);
        long free = FreeBytes(_promised.Bytes);
        if (free < 0) return 0;
        return (int)Math.Min(free / (2 * MemoryPlan.SessionsAtOnce), MemoryPlan.PromisedBytes) + Math.Max(needed, 1);
    }

    /// <summary>Room for one record, of which everybody else knows until it is stored.</summary>
    private int RoomForLong(LogSession session, int needed)
    {
        if (FreeBytes(session.Promise(_promised, needed)) >= 0) return needed;
        session.Redeem();
        return 0;
    }

    /// <summary>How much room there is beyond what is promised for long records; negative if that is too much. For one of them there is room held back: FASTER lets pages leave only when the tail comes to the next.</summary>
    private long FreeBytes(long promised)
    {
        if (LogBytes + PageCostOf(promised) > MostLogBytes) return -1; // pages that have left are not free before everybody who is inside the epoch has seen it
        long tail = _log.TailAddress;
        return Math.Min(_roomBytes - (tail - _log.HeadAddress), _diskRoomBytes - (tail - _log.BeginAddress)) - Math.Max(0, promised - _plan.LongPromiseBytes);
    }

    /// <summary>What the pages cost that so many bytes may need.</summary>
    private long PageCostOf(long bytes) => (bytes + _plan.PageBytes - 1) / _plan.PageBytes * _plan.PageCostBytes;

    public override void Resize(MemoryPlan plan)
    {
        lock (_holding)
        {
            _plan = plan;
            _indexLimitReachedAt = 0;
            SetDiskRoom();
        }

        HoldMemoryPlan();
    }

    public override void GiveUpExcessRoom()
    {
        lock (_holding) Volatile.Write(ref _diskRoomBytes, Math.Min(_diskRoomBytes, _diskRoomTarget));
    }

    private void SetDiskRoom()
    {
        long target = _plan.DiskLogBytes - (LentSegments * _plan.SegmentBytes);
        long length = Settled is null ? 0 : _log.TailAddress - _log.BeginAddress;
        Volatile.Write(ref _diskRoomBytes, Math.Max(target, length));
        Volatile.Write(ref _diskRoomTarget, target);
    }

    public override void HoldMemoryPlan()
    {
        using var scope = _holding.EnterScope();

        // Setting EmptyPageCount, even to the value it has, makes FASTER evict what it can without waiting. Its own ShiftHeadAddress waits for the disk.
        long affordable = AffordablePages;
        if (affordable < MinimumPages) HoldIndex();
        int pages = (int)Math.Max(MinimumPages, Math.Min(_plan.MostLogPages, affordable) - _plan.PromisedPages);
        if (LogBytes + PageCostOf(_promised.Bytes + _plan.LongPromiseBytes) > MostLogBytes) _pages.DropSpare();
        long room = (long)(pages - 1) * _plan.PageBytes;
        Volatile.Write(ref _roomBytes, room);
        Volatile.Write(ref _removalRoomBytes, Math.Max(room, Math.Min(_removalRoomBytes, _log.TailAddress - _log.HeadAddress)));
        _log.EmptyPageCount = Math.Min(_ringPages - 1, _ringPages + 1 - pages);
    }

    /// <summary>How many pages there is memory for beside what others have borrowed.</summary>
    private long AffordablePages => _plan.AffordableLogPages - ((Math.Max(0, IndexGrowth) + LentBytes + _plan.PageCostBytes - 1) / _plan.PageCostBytes);

    /// <summary>The index has taken all that log and hot tier could give up. It grows with the number of entries there are at once, so from now on there are fewer.</summary>
    private void HoldIndex()
    {
        if (_device is null || OverflowBytes <= _indexLimitReachedAt) return;
        _indexLimitReachedAt = OverflowBytes;
        _diskRoomBytes = Math.Max(_diskRoomBytes / 2, (_log.TailAddress - _log.BeginAddress) / 10 * 9);
        _diskRoomTarget = Math.Min(_diskRoomTarget, _diskRoomBytes);
    }

    public override long MakeRoom()
    {
        HoldMemoryPlan();
        long excess = _log.TailAddress - _log.BeginAddress - _diskRoomBytes;
        return excess <= 0 ? 0 : (_log.BeginAddress + excess + _plan.SegmentBytes - 1) / _plan.SegmentBytes * _plan.SegmentBytes;
    }

    public override void DropBefore(long address, bool evenInMemory = false)
    {
        long target = Math.Min(address, evenInMemory ? _log.TailAddress : _log.HeadAddress) / _plan.PageBytes * _plan.PageBytes;
        long begin = _log.BeginAddress;
        if (target <= begin) return;
        _log.ShiftBeginAddress(target, snapToPageStart: false, truncateLog: false);
        if (_diskRoomBytes <= _diskRoomTarget) return;
        lock (_holding) Volatile.Write(ref _diskRoomBytes, Math.Max(_diskRoomTarget, _diskRoomBytes - ((target - begin) / 2))); // the other half is for writers
    }

    public override bool IsIndexLoose =>
        OldestOfUse - _compactedBelow > Volatile.Read(ref _droppedAtMost) || (Volatile.Read(ref _chainsLeft) > 0 && _index.FreeBuckets < FewFreeBuckets);

    public override void CompactIndex(Func<ulong, ulong, bool> tryLock, Action<ulong, ulong> unlock)
    {
        long oldest = OldestOfUse;
        double turnover = (oldest - _compactedBelow) / (double)Math.Max(1, _log.TailAddress - _compactedBelow);
        long overflow = _store.OverflowBucketCount;
        bool isUrgent = overflow > _overflowSeen && overflow * IndexSizing.BucketBytes > ((IndexSizing.FixedBytes / 2) + _plan.OverflowBytes) * UrgentShare;
        _overflowSeen = overflow;
        double chains = _chainsLeft + (turnover * (isUrgent ? UrgentCompactionsPerTurnover : CompactionsPerTurnover) * _index.Buckets);
        long left = (long)Math.Min(_index.Buckets, chains);
        long now = Math.Min(MostChainsAtOnce, left);
        _chainsLeft = left - now + _compactor.Compact(now, overflow / IndexSizing.FreeBucketsOneIn, oldest, tryLock, unlock);
        _compactedBelow = oldest;
        long steps = Math.Max(CompactionStepsPerTurnover, _index.Buckets * CompactionsPerTurnover / ChainsPerStep);
        Volatile.Write(ref _droppedAtMost, (_log.TailAddress - oldest) / steps);
    }

    /// <summary>Whether a key may have a record that was not cleared. Inside the epoch only.</summary>
    public bool MayHold(ulong hash) => _index.NewestInChain(hash) >= _state.ClearedBelow;

    public override void Dispose()
    {
        _store.Dispose();
        _nullDevice?.Dispose();
    }
}
