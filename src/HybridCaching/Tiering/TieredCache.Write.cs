using System.Diagnostics;
using System.Runtime.CompilerServices;
using System.Runtime.InteropServices;
using HybridCaching.Records;
using HybridCaching.Store;

namespace HybridCaching.Tiering;

internal sealed partial class TieredCache<TKey, TValue>
{
    /// <summary>How often somebody who decides looks again when the key's row keeps changing, before they lock first and look into memory only.</summary>
    private const int LookAttempts = 3;

    /// <summary>Stores a value. If the log has no room in time, the key is removed instead: an older value must not stay.</summary>
    public void Set(in TKey key, in TValue value, TimeSpan? timeToLive) => SetUntil(Deadline(timeToLive), in key, in value);

    private void SetUntil(ulong deadline, in TKey key, in TValue value)
    {
        Unsafe.SkipInit(out Entry<TValue> entry);
        ulong hash = _hasher.Hash(in key);
        _hot.Prefetch(hash);
        _log.PrefetchForMemory(hash); // memory answers while the rest is being prepared
        entry.Value = value;
        EntryHeader.Seal(in key, ref entry, deadline);
        var session = _pool.Rent();
        bool room = HasRoom(ref session, _recordBytes);
        _hot.Lock(hash);
        try
        {
            _changing(in key);
            Store(session, in key, hash, ref entry, room);
        }
        finally
        {
            Unlock(hash, session);
        }
    }

    /// <summary>Stores a value that a factory has made, unless somebody has changed the key meanwhile.</summary>
    /// <param name="key">The key.</param>
    /// <param name="value">The value.</param>
    /// <param name="timeToLive">How long it lives.</param>
    /// <param name="isChanged">Whether the key was changed since; asked under the row's lock. Every change is told to the listener under that lock, before it happens.</param>
    public void SetUnless(in TKey key, in TValue value, TimeSpan? timeToLive, Func<bool> isChanged) =>
        SetUnless(Deadline(timeToLive), _pool.Rent(), in key, in value, isChanged);

    /// <summary>As <see cref="SetUnless(in TKey, in TValue, TimeSpan?, Func{bool})"/>, but no thread waits for a session.</summary>
    public async ValueTask SetUnlessAsync(TKey key, TValue value, TimeSpan? timeToLive, Func<bool> isChanged)
    {
        ulong deadline = Deadline(timeToLive);
        SetUnless(deadline, await _pool.RentAsync(CancellationToken.None).ConfigureAwait(false), in key, in value, isChanged);
    }

    private void SetUnless(ulong deadline, EntrySession<TKey, TValue> session, in TKey key, in TValue value, Func<bool> isChanged)
    {
        Unsafe.SkipInit(out Entry<TValue> entry);
        entry.Value = value;
        EntryHeader.Seal(in key, ref entry, deadline);
        ulong hash = _hasher.Hash(in key);
        bool room = HasRoom(ref session, _recordBytes);
        _hot.Lock(hash);
        try
        {
            if (!isChanged()) Store(session, in key, hash, ref entry, room);
        }
        finally
        {
            Unlock(hash, session);
        }
    }

    /// <summary>Stores a value unless the key has one.</summary>
    /// <returns>Whether it was stored.</returns>
    public bool TryAdd(in TKey key, in TValue value, TimeSpan? timeToLive)
    {
        ulong deadline = Deadline(timeToLive);
        var presence = LookAndLock(in key, out var decision);
        try
        {
            if (presence == Presence.Present) return false;
            decision.Entry.Value = value;
            EntryHeader.Seal(in key, ref decision.Entry, deadline);
            _changing(in key);
            return Store(decision.Session, in key, decision.Hash, ref decision.Entry, decision.HasRoom);
        }
        finally
        {
            Unlock(decision.Hash, decision.Session);
        }
    }

    /// <summary>Looks whether a key has a value, and stores what a delegate makes of that; starts over if the key was changed meanwhile, and at first if another one of its row was.</summary>
    /// <returns>The value stored.</returns>
    public TValue AddOrUpdate(in TKey key, Func<TKey, TValue> add, Func<TKey, TValue, TValue> update, TimeSpan? timeToLive)
    {
        Unsafe.SkipInit(out Entry<TValue> entry);
        Unsafe.SkipInit(out Entry<TValue> former);
        ulong hash = _hasher.Hash(in key);
        for (int attempt = 1; ; attempt++)
        {
            ulong seen = _hot.ReadUnlocked(hash);
            var session = _pool.Rent();
            var presence = Look(ref session, in key, hash, ref former, Stopwatch.GetTimestamp(), out ulong origin);
            _pool.Return(session);
            var value = presence == Presence.Present ? update(key, former.Value) : add(key);
            entry.Value = value;
            EntryHeader.Seal(in key, ref entry, Deadline(timeToLive));
            var basis = new Basis { Seen = seen, Presence = presence, Origin = origin, IsOfKeyAlone = attempt >= LookAttempts };
            if (TryReplace(in key, hash, ref entry, in former, in basis)) return value;
        }
    }

    /// <summary>Stores an entry unless what it was made of has changed.</summary>
    private bool TryReplace(in TKey key, ulong hash, ref Entry<TValue> entry, in Entry<TValue> former, in Basis basis)
    {
        var now = TimeOfJudgement;
        var session = _pool.Rent();
        bool room = HasRoom(ref session, _recordBytes);
        bool isRowUnchanged = _hot.TryLock(hash, basis.Seen);
        if (!isRowUnchanged && !basis.IsOfKeyAlone)
        {
            _pool.Return(session);
            return false;
        }

        if (!isRowUnchanged) _hot.Lock(hash);
        if (!IsBasisStillSo(session, in key, hash, in former, in basis, now, isRowUnchanged))
        {
            _hot.UnlockUnchanged(hash);
            _pool.Return(session);
            return false;
        }

        try
        {
            _changing(in key);
            Store(session, in key, hash, ref entry, room);
            return true;
        }
        finally
        {
            Unlock(hash, session);
        }
    }

    /// <summary>Whether a key has what a delegate was given. Its row is locked.</summary>
    private bool IsBasisStillSo(EntrySession<TKey, TValue> session, in TKey key, ulong hash, in Entry<TValue> former, in Basis basis, DateTimeOffset now, bool isRowUnchanged)
    {
        Unsafe.SkipInit(out Entry<TValue> current);
        bool wasPresent = basis.Presence == Presence.Present;
        if (isRowUnchanged) return wasPresent || JudgeCopy(in key, hash, ref current, now, basis.Presence) != Presence.Present;
        if (wasPresent) Entry<TValue>.Copy(in former, ref current);
        var presence = basis.Presence;
        if (!IsStillSo(session, in key, hash, ref current, now, basis.Origin, ref presence) || presence == Presence.Present != wasPresent) return false;
        return !wasPresent || (current.Header == former.Header && MemoryMarshal.AsBytes(new ReadOnlySpan<TValue>(in current.Value)).SequenceEqual(MemoryMarshal.AsBytes(new ReadOnlySpan<TValue>(in former.Value))));
    }

    /// <summary>Gives a present entry another time to live.</summary>
    /// <returns>Whether the key was present.</returns>
    public bool Touch(in TKey key, TimeSpan timeToLive)
    {
        ulong deadline = Deadline(timeToLive);
        var presence = LookAndLock(in key, out var decision);
        try
        {
            if (presence != Presence.Present) return false;
            EntryHeader.Seal(in key, ref decision.Entry, deadline);
            _changing(in key);
            return Store(decision.Session, in key, decision.Hash, ref decision.Entry, decision.HasRoom);
        }
        finally
        {
            Unlock(decision.Hash, decision.Session);
        }
    }

    /// <summary>Removes a key.</summary>
    /// <returns>Whether it was present.</returns>
    public bool Remove(in TKey key)
    {
        var presence = LookAndLock(in key, out var decision);
        try
        {
            _changing(in key);
            if (_hot.Forget(in key, decision.Hash)) decision.Session.Counters.SettledRemovals++; // it was counted where it was
            if (presence == Presence.Absent)
            {
                // A settled record may have been moved away under the look: nobody can move it now.
                if (RemoveSettled(decision.Hash)) decision.Session.Counters.SettledRemovals++;
                return false;
            }

            Delete(decision.Session, in key, decision.Hash);
            if (presence != Presence.Present) return false;
            decision.Session.Counters.Removals++;
            return true;
        }
        finally
        {
            Unlock(decision.Hash, decision.Session);
        }
    }

    /// <summary>Looks a key up, without holding anything while the disk is asked, and locks its row with the result still true.</summary>
    private Presence LookAndLock(in TKey key, out Decision decision)
    {
        long start = Stopwatch.GetTimestamp();
        var now = TimeOfJudgement; // before the lock: it is the user's code
        decision = new Decision { Hash = _hasher.Hash(in key), Session = _pool.Rent() };
        try
        {
            for (int attempt = 1; ; attempt++)
            {
                ulong seen = _hot.ReadUnlocked(decision.Hash);
                var presence = Look(ref decision.Session, in key, decision.Hash, ref decision.Entry, start, out ulong origin);
                decision.HasRoom = HasRoom(ref decision.Session, _recordBytes, start);
                if (_hot.TryLock(decision.Hash, seen)) return presence == Presence.Present ? presence : JudgeCopy(in key, decision.Hash, ref decision.Entry, now, presence);
                if (attempt < LookAttempts) continue;

                // Other keys of the row keep changing. Under the lock, memory alone can tell whether this one has.
                _hot.Lock(decision.Hash);
                if (IsStillSo(decision.Session, in key, decision.Hash, ref decision.Entry, now, origin, ref presence)) return presence;
                _hot.UnlockUnchanged(decision.Hash);
            }
        }
        catch
        {
            if (decision.Session is { } session) _pool.Return(session);
            throw;
        }
    }

    /// <summary>What the copy of a key says, whose row is locked: the look without the lock may have missed it, and the log may have dropped the entry.</summary>
    private Presence JudgeCopy(in TKey key, ulong hash, ref Entry<TValue> entry, DateTimeOffset now, Presence otherwise) =>
        !_hot.TryReadLocked(in key, hash, ref entry) ? otherwise : !EntryHeader.IsExpired(entry.Header, now) ? Presence.Present : Presence.Doubtful;

    /// <summary>Stores in a copy alone, or in the log: appends or overwrites; without room, removes. The caller holds the row's lock.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    private bool Store(EntrySession<TKey, TValue> session, in TKey key, ulong hash, ref Entry<TValue> entry, bool room)
    {
        bool isSought = _isTight || _hot.HasUnlogged(hash); // else memory is asked for it while it answers what the log wants
        int way = isSought ? _hot.Find(in key, hash) : -1;
        bool isUnlogged = way >= 0 && _hot.IsUnlogged(hash, way);
        if (!room && !isUnlogged) return Drop(session, in key, hash);
        bool isNew = false;
        bool isAppended = false;
        if (way < 0) isNew = session.Upsert(in key, hash, ref entry, out isAppended);
        else if (!isUnlogged) isUnlogged = TryStoreUnlogged(session, in key, hash, way, ref entry, out isNew, out isAppended);
        if (isUnlogged)
        {
            _hot.StoreUnlogged(hash, way, in entry);
        }
        else
        {
            CountSet(session, hash);
            if (isAppended) CountAppended(session, hash, isNew);
            if (!isSought) way = _hot.Find(in key, hash);
            if (way >= 0) _hot.Update(hash, way, in entry);
        }

        session.Counters.Writes++;
        return true;
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    private bool Drop(EntrySession<TKey, TValue> session, in TKey key, ulong hash)
    {
        _hot.Forget(in key, hash);
        Delete(session, in key, hash);
        session.Counters.Dropped++;
        return false;
    }

    private void Delete(EntrySession<TKey, TValue> session, in TKey key, ulong hash)
    {
        if (RemoveSettled(hash)) session.Counters.SettledRemovals++;
        if (HasRoomForRemoval()) session.Delete(in key, hash);
    }

    /// <summary>What a delegate's value was made of.</summary>
    private readonly struct Basis
    {
        /// <summary>The row's word from before the key was looked up.</summary>
        public ulong Seen { get; init; }

        public Presence Presence { get; init; }

        /// <summary>Where the disk was asked; 0 if it was not.</summary>
        public ulong Origin { get; init; }

        /// <summary>Whether changes of other keys of the row are none: they keep coming.</summary>
        public bool IsOfKeyAlone { get; init; }
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
