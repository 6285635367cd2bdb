using System.Diagnostics;
using System.Runtime.CompilerServices;
using HybridCaching.Records;
using HybridCaching.Store;

namespace HybridCaching.Tiering;

internal sealed partial class TieredCache<TKey, TValue>
{
    /// <summary>How often a Remove looks again when its key's row keeps changing, before it removes without knowing what.</summary>
    private const int RemoveAttempts = 3;

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
    /// <param name="isWanted">Asked after the row's version is noted; null stands for always.</param>
    /// <returns>Whether it was stored.</returns>
    public bool TryAdd(in TKey key, in TValue value, TimeSpan? timeToLive, Func<bool>? isWanted = null)
    {
        Unsafe.SkipInit(out Entry<TValue> found);
        ulong hash = _log.Hash(in key);
        var session = _pool.Rent();
        try
        {
            while (true)
            {
                ulong version = _locks.ReadVersion(hash);
                if (isWanted?.Invoke() == false || Look(ref session, in key, ref found) == Presence.Present) return false;
                bool room = _log.HasRoom || MakeRoom();
                if (!_locks.TryLock(hash, version)) continue;
                try
                {
                    found.Value = value;
                    EntryHeader.Seal(in key, ref found, Deadline(timeToLive));
                    return Store(session, in key, ref found, room);
                }
                finally
                {
                    _locks.UnlockChanged(hash);
                }
            }
        }
        finally
        {
            _pool.Return(session);
        }
    }

    /// <summary>Gives a present entry another time to live.</summary>
    /// <returns>Whether the key was present.</returns>
    public bool Touch(in TKey key, TimeSpan timeToLive)
    {
        Unsafe.SkipInit(out Entry<TValue> entry);
        ulong hash = _log.Hash(in key);
        var session = _pool.Rent();
        try
        {
            while (true)
            {
                ulong version = _locks.ReadVersion(hash);
                if (Look(ref session, in key, ref entry) != Presence.Present) return false;
                bool room = _log.HasRoom || MakeRoom();
                if (!_locks.TryLock(hash, version)) continue;
                try
                {
                    EntryHeader.Seal(in key, ref entry, Deadline(timeToLive));
                    return Store(session, in key, ref entry, room);
                }
                finally
                {
                    _locks.UnlockChanged(hash);
                }
            }
        }
        finally
        {
            _pool.Return(session);
        }
    }

    /// <summary>Removes a key.</summary>
    /// <returns>Whether it was present.</returns>
    public bool Remove(in TKey key)
    {
        Unsafe.SkipInit(out Entry<TValue> entry);
        ulong hash = _log.Hash(in key);
        var session = _pool.Rent();
        try
        {
            for (int attempt = 1; ; attempt++)
            {
                ulong version = _locks.ReadVersion(hash);
                var presence = Look(ref session, in key, ref entry);
                if (presence == Presence.Absent) return false;
                if (!_log.HasRoom) MakeRoom(); // for a tombstone; without room FASTER finds some in its spare pages
                if (attempt >= RemoveAttempts) _locks.Lock(hash);
                else if (!_locks.TryLock(hash, version)) continue;
                try
                {
                    session.Delete(in key);
                    session.Counters.Removals += presence == Presence.Present ? 1 : 0;
                    return presence == Presence.Present;
                }
                finally
                {
                    _locks.UnlockChanged(hash);
                }
            }
        }
        finally
        {
            _pool.Return(session);
        }
    }

    /// <summary>Removes everything stored before the call. The space is freed in the background.</summary>
    public void Clear()
    {
        var session = _pool.Rent();
        try
        {
            // Who read an entry before the first line, to store it again, either still finds its row's version changed, or has stored before the second.
            _log.Clear();
            _locks.ChangeAll();
            _log.Clear();
            ForgetCount();
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
}
