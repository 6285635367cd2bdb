using System.Diagnostics;
using System.Runtime.CompilerServices;
using HybridCaching.Records;
using HybridCaching.Store;

namespace HybridCaching.Tiering;

internal sealed partial class TieredCache<TKey, TValue>
{
    /// <summary>How often somebody who decides looks again when the key's row keeps changing, before he locks first and looks into memory only.</summary>
    private const int LookAttempts = 3;

    private readonly Lock _clearing = new();

    /// <summary>Stores a value. If the log has no room in time, the key is removed instead: an older value must not stay.</summary>
    public void Set(in TKey key, in TValue value, TimeSpan? timeToLive)
    {
        Unsafe.SkipInit(out Entry<TValue> entry);
        entry.Value = value;
        EntryHeader.Seal(in key, ref entry, Deadline(timeToLive));
        ulong hash = _log.Hash(in key);
        var session = _pool.Rent();
        bool room = _log.HasRoom || MakeRoom();
        _locks.Lock(hash);
        try
        {
            Store(session, in key, ref entry, room);
        }
        finally
        {
            _locks.UnlockChanged(hash);
            _pool.Return(session);
        }
    }

    /// <summary>Stores a value unless the key has one.</summary>
    /// <param name="key">The key.</param>
    /// <param name="value">The value.</param>
    /// <param name="timeToLive">How long it lives.</param>
    /// <param name="isWanted">Asked after the row's version is noted, or under its lock; null stands for always.</param>
    /// <returns>Whether it was stored.</returns>
    public bool TryAdd(in TKey key, in TValue value, TimeSpan? timeToLive, Func<bool>? isWanted = null)
    {
        var presence = LookAndLock(in key, isWanted, out var decision);
        try
        {
            if (presence == Presence.Present || isWanted?.Invoke() == false) return false;
            decision.Entry.Value = value;
            EntryHeader.Seal(in key, ref decision.Entry, Deadline(timeToLive));
            return Store(decision.Session, in key, ref decision.Entry, decision.HasRoom);
        }
        finally
        {
            Unlock(in decision);
        }
    }

    /// <summary>Gives a present entry another time to live.</summary>
    /// <returns>Whether the key was present.</returns>
    public bool Touch(in TKey key, TimeSpan timeToLive)
    {
        var presence = LookAndLock(in key, null, out var decision);
        try
        {
            if (presence != Presence.Present) return false;
            EntryHeader.Seal(in key, ref decision.Entry, Deadline(timeToLive));
            return Store(decision.Session, in key, ref decision.Entry, decision.HasRoom);
        }
        finally
        {
            Unlock(in decision);
        }
    }

    /// <summary>Removes a key.</summary>
    /// <returns>Whether it was present.</returns>
    public bool Remove(in TKey key)
    {
        var presence = LookAndLock(in key, null, out var decision);
        try
        {
            // Even where there is nothing to remove the row's version changes: a factory that is about to store its value has to notice.
            if (presence == Presence.Absent) return false;
            decision.Session.Delete(in key);
            if (presence != Presence.Present) return false;
            decision.Session.Counters.Removals++;
            return true;
        }
        finally
        {
            Unlock(in decision);
        }
    }

    /// <summary>Looks a key up, without holding anything while the disk is asked, and locks its row with the result still true.</summary>
    private Presence LookAndLock(in TKey key, Func<bool>? isWanted, out Decision decision)
    {
        decision = new Decision { Hash = _log.Hash(in key), Session = _pool.Rent() };
        try
        {
            for (int attempt = 1; ; attempt++)
            {
                long clearedBelow = _log.ClearedBelow;
                ulong version = _locks.ReadVersion(decision.Hash);
                var presence = isWanted?.Invoke() == false ? Presence.Doubtful : Look(ref decision.Session, in key, ref decision.Entry);
                decision.HasRoom = _log.HasRoom || MakeRoom();
                if (_locks.TryLock(decision.Hash, version)) return presence;
                if (attempt < LookAttempts) continue;
                _locks.Lock(decision.Hash);
                return LookAgain(decision.Session, in key, ref decision.Entry, presence, clearedBelow);
            }
        }
        catch
        {
            if (decision.Session is { } session) _pool.Return(session);
            throw;
        }
    }

    private void Unlock(in Decision decision)
    {
        _locks.UnlockChanged(decision.Hash);
        _pool.Return(decision.Session);
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
                _locks.LockAll();
                _log.ClearedBelow = _log.TailAddress;
                _locks.UnlockAllChanged();
                ForgetCount();
            }
        }
        finally
        {
            _pool.Return(session);
        }

        _housekeeper.WakeUp();
    }

    /// <summary>Appends or overwrites; without room, removes. The caller holds the row's lock.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    private static bool Store(EntrySession<TKey, TValue> session, in TKey key, ref Entry<TValue> entry, bool room)
    {
        if (!room) return Drop(session, in key);
        if (session.Upsert(in key, ref entry)) session.Counters.Added++;
        session.Counters.Writes++;
        return true;
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    private static bool Drop(EntrySession<TKey, TValue> session, in TKey key)
    {
        session.Delete(in key);
        session.Counters.Dropped++;
        return false;
    }

    /// <summary>Makes the oldest pages and segments leave, and waits for it no longer than the disk timeout; false if there is no room even then.</summary>
    [MethodImpl(MethodImplOptions.NoInlining)]
    private bool MakeRoom()
    {
        long start = Stopwatch.GetTimestamp();
        var spin = new SpinWait();
        while (true)
        {
            bool hasRoom = _log.MakeRoom(out long dropBefore);
            if (dropBefore > 0)
            {
                DropBefore(dropBefore);
                hasRoom = _log.HasRoom;
            }

            if (hasRoom) return true;
            if (Stopwatch.GetElapsedTime(start) > _settings.DiskTimeout) return false;
            spin.SpinOnce();
        }
    }

    /// <summary>What a decision rests on, while the row is locked.</summary>
    private struct Decision
    {
        public ulong Hash;
        public EntrySession<TKey, TValue> Session;
        public Entry<TValue> Entry;
        public bool HasRoom;
    }
}
