using System.Diagnostics;
using System.Runtime.CompilerServices;
using HybridCaching.Diagnostics;

namespace HybridCaching.Tiering;

internal abstract partial class TieredStore<TSession, TReader>
{
    private readonly Lock _clearing = new();

    /// <summary>A removal could not be recorded: what it removed must not be seen again.</summary>
    private volatile bool _mustClear;

    /// <summary>Called under the locks of all rows when all keys were removed.</summary>
    protected virtual void OnCleared()
    {
    }

    /// <summary>Whether there is room for the mark of a removal. A removal is never dropped: if the disk has been hanging for so long that there is none, everything goes as soon as the row is unlocked.</summary>
    protected bool HasRoomForRemoval()
    {
        if (_log.HasRoomForRemoval) return true;
        _mustClear = true;
        return false;
    }

    /// <summary>Removes everything stored before the call. The space is freed in the background.</summary>
    public void Clear()
    {
        var session = _pool.Rent();
        try
        {
            // With all rows locked nobody is storing, and whoever has read an entry in order to store it again finds its row changed.
            lock (_clearing)
            {
                long count = CountEverywhere - PinnedCount;
                _rows.LockAll();
                try
                {
                    _log.ClearedBelow = _log.TailAddress;
                    Fault.Point("clear.log-cleared");
                    _settled?.Index.Clear();
                    _mustClear = false; // not before: who removed what could not be recorded returns once it is gone
                    _mustSweep = true;
                    OnCleared();
                }
                finally
                {
                    _rows.ClearAndUnlockAll(); // also if the thread is interrupted there
                }

                Fault.Point("clear.unlocked");
                _settled?.RemoveFiles(); // before what is stored next wants their place
                ForgetCount(count);
                Fault.Point("clear.end");
            }
        }
        finally
        {
            _pool.Return(session);
        }

        _housekeeper.WakeUp();
    }

    /// <summary>Ends a write: unlocks the row and gives the session back. If a removal could not be recorded, clears the cache before the caller returns.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    protected void Unlock(ulong hash, TSession session)
    {
        _rows.UnlockWritten(hash);
        _pool.Return(session);
        if (_mustClear) Clear();
    }

    /// <summary>Whether a record can be stored; makes room if need be. Another session may be in hand afterwards.</summary>
    /// <param name="session">The session.</param>
    /// <param name="bytes">How long the record is.</param>
    /// <param name="start">When the call began, from where the disk timeout counts; 0 for now.</param>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    protected bool HasRoom(ref TSession session, int bytes, long start = 0) => (session.RoomCredit -= bytes) >= 0 || TakeRoom(ref session, bytes, start, _settings.DiskTimeout);

    /// <summary>The same for those who have less patience than the disk timeout.</summary>
    protected bool HasRoomWithin(ref TSession session, int bytes, TimeSpan patience) =>
        (session.RoomCredit -= bytes) >= 0 || TakeRoom(ref session, bytes, start: 0, patience < _settings.DiskTimeout ? patience : _settings.DiskTimeout);

    /// <summary>The same for those who may not wait: inside an epoch.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    protected bool HasRoomNow(TSession session, int bytes) =>
        (session.RoomCredit -= bytes) >= 0 || (!IsGrowing && (session.RoomCredit = _log.RoomFor(session, bytes) - bytes) >= 0);

    /// <summary>Looks for room, in which a thread may be interrupted: then the session is in the pool again, and the caller has none.</summary>
    [MethodImpl(MethodImplOptions.NoInlining)]
    private bool TakeRoom(ref TSession session, int bytes, long start, TimeSpan patience)
    {
        try
        {
            return LookForRoom(ref session, bytes, start, patience);
        }
        catch
        {
            if (session is not null) _pool.Return(session);
            session = null!;
            throw;
        }
    }

    private bool LookForRoom(ref TSession session, int bytes, long start, TimeSpan patience)
    {
        if (_log.IsIndexLoose) CompactIndex();
        AskForReclaim();
        if (IsLogFull) GiveUpIdleWay(); // before FASTER lets the first page leave
        if (IsGrowing)
        {
            _pool.Return(session);
            session = null!; // not ours any more, should renting another throw
            MakeRoomForGrowth();
            session = _pool.Rent();
        }

        return TryTakeRoom(session, bytes) || MakeRoom(ref session, bytes, start == 0 ? Stopwatch.GetTimestamp() : start, patience);
    }

    private bool TryTakeRoom(TSession session, int bytes) => (session.RoomCredit = _log.RoomFor(session, bytes) - bytes) >= 0;

    /// <summary>Makes the oldest pages and segments leave, and waits for it, and for what is worth it to be moved away, no longer than so long from the start; false if there is no room even then. While it waits, the session is in the pool.</summary>
    [MethodImpl(MethodImplOptions.NoInlining)]
    private bool MakeRoom(ref TSession session, int bytes, long start, TimeSpan patience)
    {
        var spin = new SpinWait();
        (long, long) mover = default;
        while (true)
        {
            GiveUpIdleWay();
            long dropBefore = _log.MakeRoom();
            if (dropBefore > 0 && !IsMoverGettingOn(ref mover)) DropOldest(dropBefore);
            if (TryTakeRoom(session, bytes))
            {
                if (HasOutgrownMemory) BalanceTiers();
                return true;
            }

            if (Stopwatch.GetElapsedTime(start) > patience) return false;
            _pool.Return(session);
            session = null!; // not ours any more, should renting another throw
            spin.SpinOnce();
            session = _pool.Rent();
        }
    }
}
