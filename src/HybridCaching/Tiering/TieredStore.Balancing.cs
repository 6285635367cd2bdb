using System.Diagnostics;
using System.Runtime.CompilerServices;
using HybridCaching.Configuration;
using HybridCaching.Diagnostics;

namespace HybridCaching.Tiering;

/// <summary>Who has memory: the log, the hot tier, the index of what is settled.</summary>
internal abstract partial class TieredStore<TSession, TReader>
{
    /// <summary>A log that is full has room for less than so many pages: it gives up whole ones.</summary>
    private const int PagesNotFilled = 2;

    /// <summary>With room for so many ways of the hot tier the log has more than it needs soon.</summary>
    private const int IdleWays = 2;

    /// <summary>If the system has no memory, it is asked again after that.</summary>
    private static readonly TimeSpan RefusalLasts = TimeSpan.FromSeconds(1);

    private readonly Lock _balancing = new();
    private readonly TierBalance _balance = new();

    /// <summary>Whether the log, at the rate of the last moment, soon has filled its memory.</summary>
    private volatile bool _isFilling;

    /// <summary>Whether all that the log has in memory, at the rate of the last moment, leaves it within a minute.</summary>
    private volatile bool _isTurning;

    /// <summary>About how many bytes were stored in the log between two ticks of housekeeping lately.</summary>
    private long _storedPerTick;

    /// <summary>What the index of settled records is about to take, and its ghost: pages of the log may have to leave first.</summary>
    private long _settledAsked;
    private long _ghostAsked;

    /// <summary>Since when the index waits for that.</summary>
    private long _settledAskedAt;

    /// <summary>So many ways, if there are as many, live on what FASTER's index and reads of the disk do not need yet: the log gives up nothing for them.</summary>
    private int _waysOnReserve;

    /// <summary>How many of those who read the disk there are: each has a buffer, from its first read on.</summary>
    private int _readersMade;

    /// <summary>What is planned for the buffers of those there are not, as far as the hot tier has given up what the others take.</summary>
    private long _idleBufferBytes;

    /// <summary>What they take at the end of a change of budgets.</summary>
    private long _settledReserved;
    private volatile bool _hasGhost;

    /// <summary>When the system had no memory for the index of settled records; 0 if it always had.</summary>
    private long _growthRefusedAt;
    private long _growthKnown = long.MinValue;

    /// <summary>
    /// Divides memory anew between log and hot tier, one way of the hot tier at a time. It gets a way once the data has outgrown the log's memory and the log has given up as much: until then the
    /// log has all that it can fill, since what fits there costs no disk at all, and the hot tier what lies idle. It gives one up when the index has grown, or the log would save more with it.
    /// </summary>
    /// <param name="mayDecide">Whether to decide anew who is to have how much, if enough was counted for that.</param>
    /// <returns>Whether a way was moved: the next may follow.</returns>
    private bool BalanceTiers(bool mayDecide = true)
    {
        if (!_balancing.TryEnter()) return false;
        try
        {
            int most = GiveUpWays();
            int target = Math.Min(most, BalancedWays(mayDecide));
            if (TryTakeWayOfReserve(most)) return true;
            if (_rows.Ways > target)
            {
                GiveWayToLog();
                return true;
            }

            if (_rows.Ways >= target || (_rows.Ways >= _plan.InitialHotWays && !HasOutgrownMemory && (_isFilling || _log.UnusedBytes < IdleWays * _plan.HotWayBytes))) return false;
            _log.LentBytes = LentBytes(HasOutgrownMemory ? Math.Min(target, _rows.Ways + _balance.WaysAtOnce) : _rows.Ways + 1);
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

    /// <summary>Takes a way that lives on what others do not need yet. If there are as many ways as there may be, the log has that memory.</summary>
    /// <param name="most">How many ways there may be.</param>
    private bool TryTakeWayOfReserve(int most)
    {
        if (!HasOutgrownMemory || _waysOnReserve >= _plan.WaysOnReserve(_growthKnown)) return false;
        _waysOnReserve++;
        if (_rows.Ways >= most) return false;
        _balance.AllowOneMore(_rows.Ways);
        _rows.TakeWay();
        return true;
    }

    /// <summary>As long as the data fits memory, the hot tier has what the log could not fill yet: gives one way of that back, if the log may have more at all.</summary>
    private void GiveUpIdleWay()
    {
        if (_rows.Ways <= FewestWays || HasOutgrownMemory || !_balancing.TryEnter()) return;
        try
        {
            if (_rows.Ways > FewestWays && _log.SpareBytes == 0) GiveWayToLog();
        }
        finally
        {
            _balancing.Exit();
        }
    }

    /// <summary>Of fewer ways the log would get nothing, or more than it is to begin with.</summary>
    private int FewestWays => Math.Max(_plan.InitialHotWays, Volatile.Read(ref _waysOnReserve));

    /// <summary>Gives the memory of one way of the hot tier to the log. The caller has the lock.</summary>
    private void GiveWayToLog()
    {
        _rows.GiveUpWay();
        _log.LentBytes = LentBytes(_rows.Ways);
        _log.HoldMemoryPlan();
    }

    /// <summary>How many ways the hot tier may have by what was counted.</summary>
    private int BalancedWays(bool mayDecide)
    {
        if (mayDecide)
        {
            var need = NeedOfLog();
            if (_balance.IsDue) _balance.Decide(_rows.Ways, _hotHits.Sum(), need);
            else if (need == LogNeed.Less) _balance.AllowOneMore(_rows.Ways);
        }

        return HasOutgrownMemory ? Math.Max(FewestWays, _balance.MostWays) : MemoryPlan.MaximumHotWays;
    }

    /// <summary>Whether the log has filled its memory, but for what whole pages leave.</summary>
    private bool IsLogFull => _log.UnusedBytes < PagesNotFilled * _plan.PageBytes;

    /// <summary>What the log would do with other memory: what is stored within a minute, at the rate of the last moments, is what it could fill that with.</summary>
    private LogNeed NeedOfLog()
    {
        long spare = _log.SpareBytes;
        if (spare >= _plan.HotWayBytes) return LogNeed.Less;
        long soon = Interlocked.Read(ref _storedPerTick) * Housekeeper.TicksPerMinute;
        if (_log.UnusedBytes >= _plan.HotWayBytes) return soon < _log.UnusedBytes ? LogNeed.Less : LogNeed.Same;
        return spare == 0 && IsLogFull && soon >= _plan.HotWayBytes ? LogNeed.More : LogNeed.Same;
    }

    /// <summary>Counts a hit on the disk, for the balance of the tiers.</summary>
    /// <param name="address">Where the record is; 0 if that is not known.</param>
    private void CountForBalance(long address)
    {
        if (address <= 0 || _settled?.IsMain(address) == true) _balance.CountDiskHit();
        else _balance.CountDiskHit(_log.BytesToHold(address), _plan.HotWayBytes);
    }

    /// <summary>Counts what a session has just found in memory, for the balance of the tiers, if it is the turn of that: one hit in <see cref="HitsPerCount"/> stands for all.</summary>
    /// <returns>
    /// Whether the hot tier should have a copy, too. What will leave memory soon gets one when it was read some times there: the log's memory is its probation. What stays is answered from memory anyway, and gets one that pushes out nothing that is read.
    /// As long as nothing ever leaves, a hit that is counted gets a copy.
    /// </returns>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    protected bool IsCopyDue(TSession session, ulong hash) => session.Counters.MemoryHits % HitsPerNote == 0 && CountHit(session, hash);

    [MethodImpl(MethodImplOptions.NoInlining)]
    private bool CountHit(TSession session, ulong hash)
    {
        bool isCounted = session.Counters.MemoryHits % HitsPerCount == 0;
        if (isCounted && _disk is not null) _balance.CountLogHits(HitsPerCount, _log.BytesToHold(session.FoundAddress), _plan.HotWayBytes);
        if (!HasOutgrownMemory) return isCounted;
        if (!_rows.NoteRead(hash) || !(_isTurning || _rows.HasUnread(hash))) return false;
        _balance.CountLogFill();
        return true;
    }

    /// <summary>Counts what a session is about to have stored, if it is the turn of that. Before settled records of the key are removed.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    protected void CountSet(TSession session, ulong hash)
    {
        if (session.Counters.Writes % TierBalance.SetsPerRead == 0) CountSetForBalance(session.FoundAddress, hash);
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    private void CountSetForBalance(long address, ulong hash)
    {
        if (_disk is null) return;
        int place = 0;
        if (address < OldestOfLog && (_settled is null || !_settled.Index.TryNext(hash, ref place, out address) || _settled.IsMain(address))) return;
        _balance.CountSet(_log.BytesToOverwrite(address), _plan.HotWayBytes);
    }

    protected bool HasOutgrownMemory => _disk is { UnavailableReason: null } && _log.HeadAddress > _log.BeginAddress;

    /// <summary>Before index or buffers take more memory than anybody knew of: waits until the hot tier has given it up. The caller has no session.</summary>
    private void MakeRoomForGrowth()
    {
        lock (_balancing) GiveUpWays();
    }

    /// <summary>Has the hot tier give up what the index takes or is about to take. The caller has the lock.</summary>
    /// <returns>How many ways it may have.</returns>
    private int GiveUpWays()
    {
        long idle = IdleBufferBytes;
        long growth = IndexGrowth - idle;
        int target = _plan.HotWaysBeside(growth, SettledGrowth);
        int ofLog = WaysOfLog(_rows.Ways);
        _waysOnReserve = Math.Min(_waysOnReserve, _plan.WaysOnReserve(growth));
        while (_rows.Ways > target || WaysOfLog(_rows.Ways) > ofLog) _rows.GiveUpWay(); // the log could not give up more at once
        _log.LentBytes = LentBytes(_rows.Ways);
        Volatile.Write(ref _growthKnown, growth);
        Interlocked.Exchange(ref _idleBufferBytes, idle);
        return target;
    }

    /// <summary>What the log has given up if the hot tier has so many ways.</summary>
    private long LentBytes(int ways) => _plan.LentBytes(WaysOfLog(ways), SettledGrowth);

    /// <summary>How many of so many ways the log has given up memory for, or has got less for.</summary>
    private int WaysOfLog(int ways) => Math.Max(0, ways - _waysOnReserve);

    /// <summary>Whether pages of the log have still to leave that it has given up.</summary>
    private bool IsLogTooLarge => _log.LogBytes > _plan.LogBytesBeside(Math.Max(0, IndexGrowth) + _log.LentBytes);

    /// <summary>What index and ghost of settled records take more than planned for a full disk: less than zero until it is.</summary>
    private long SettledGrowth => _settled is null ? 0 : Math.Min(0, SettledBytes - _plan.SettledIndexBytes - _plan.GhostBytes);

    private long SettledBytes => _settled!.Index.Bytes + (_hasGhost ? _ghost!.Bytes : 0) + Interlocked.Read(ref _settledAsked) + Interlocked.Read(ref _ghostAsked) + Interlocked.Read(ref _settledReserved);

    /// <summary>Gives the index of settled records more places before it is full. For the mover, with no row locked.</summary>
    /// <returns>False if it is nearly full, and pages of the log have to leave first, which they do within the disk timeout: what is put in now would cost others their place.</returns>
    private bool GrowSettledIndex()
    {
        var index = _settled!.Index;
        if (!index.IsGrowthDue || Stopwatch.GetElapsedTime(_growthRefusedAt) < RefusalLasts)
        {
            Interlocked.Exchange(ref _settledAsked, 0);
            return true;
        }

        if (_settledAsked == 0) _settledAskedAt = Stopwatch.GetTimestamp();
        lock (_balancing)
        {
            long bytes = index.NextGrowthBytes;
            if (!TryTakeForSettled(ref _settledAsked, bytes)) return !index.IsNearlyFull || Stopwatch.GetElapsedTime(_settledAskedAt) > _settings.DiskTimeout;
            index.BeginGrowth(bytes);
            _settledAsked = 0;
        }

        if (!index.IsGrowthRefused) return true;
        if (_growthRefusedAt == 0) Log.IndexCannotGrow(_logger, _settings.Name, index.Count);
        _growthRefusedAt = Stopwatch.GetTimestamp();
        return true;
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

    /// <summary>Whether FASTER's index, or a buffer for reads, is about to take memory that the hot tier may still use.</summary>
    private bool IsGrowing => Growth > Volatile.Read(ref _growthKnown);

    /// <summary>What FASTER's index takes more than planned, or less: by the plan that ways are counted with, as the log has another for a moment while budgets are changed.</summary>
    private long IndexGrowth => _log.OverflowBytesAhead - _plan.OverflowBytes;

    /// <summary>What FASTER's index and the buffers for reads take more than planned; less than zero: less.</summary>
    private long Growth => IndexGrowth - IdleBufferBytes;

    /// <summary>What is planned for the buffers of those who have not read the disk yet.</summary>
    private long IdleBufferBytes => _plan.ReadBuffersBytes(Math.Max(0, _plan.Readers - Volatile.Read(ref _readersMade)));

    /// <summary>There is one more who may read the disk: before it does, the hot tier gives up what its buffer takes. The caller has no lock.</summary>
    private void MakeRoomForReader()
    {
        Interlocked.Increment(ref _readersMade);
        if (_plan.DiskBudget > 0) MakeRoomForGrowth();
    }
}
