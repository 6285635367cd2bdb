using System.Runtime.CompilerServices;
using HybridCaching.Records;
using HybridCaching.Store;

namespace HybridCaching.Tiering;

/// <summary>Entries that only a copy in the hot tier has: those that are stored again and again. See docs/concurrency.md.</summary>
internal sealed partial class TieredCache<TKey, TValue>
{
    /// <summary>Stores an entry of which there is a copy: in the log if it is overwritten in its place there, or else, if the copy is used often, in the copy alone. The caller holds the row's lock, and there is room.</summary>
    /// <returns>Whether only the copy has it.</returns>
    private bool TryStoreUnlogged(EntrySession<TKey, TValue> session, in TKey key, ulong hash, int way, ref Entry<TValue> entry, out bool isNew, out bool isAppended)
    {
        isNew = false;
        if (!MayBeUnlogged || !_hot.MayBeUnlogged(hash, way))
        {
            isNew = session.Upsert(in key, hash, ref entry, out isAppended);
            return false;
        }

        if (!session.OverwriteOrRemove(in key, hash, ref entry, out isAppended, out bool wasInMemory)) return false;
        CountTakenOut(session, hash, wasInMemory);
        return true;
    }

    protected override bool TryLogCopy(int row, int way, bool isLast, TimeSpan patience)
    {
        Unsafe.SkipInit(out Entry<TValue> entry);
        var now = TimeOfJudgement; // before the lock: it is the user's code
        var session = _pool.Rent();
        try
        {
            if (!HasRoomWithin(ref session, _recordBytes, patience)) return false;
            if (_hot.TryLockCopy(row, way, isLogged: isLast, out var key, ref entry)) LogCopy(session, row, way, isLast, in key, ref entry, now);
            return true;
        }
        finally
        {
            if (session is not null) _pool.Return(session);
        }
    }

    protected override ulong HashOfCopy(int row, int way) => _hasher.Hash(_hot.KeyAt(row, way));

    /// <summary>Stores in the log what only a copy has, whose row is locked, and unlocks it.</summary>
    private void LogCopy(EntrySession<TKey, TValue> session, int row, int way, bool isLast, in TKey key, ref Entry<TValue> entry, DateTimeOffset now)
    {
        bool isWanted = !EntryHeader.IsExpired(entry.Header, now);
        bool isLogged = !isWanted && !isLast;
        try
        {
            if (!isWanted) return;
            ulong hash = _hasher.Hash(in key);
            if (isLast && IsLedTo(hash)) return; // another one by now
            bool isNew = session.Upsert(in key, hash, ref entry, out bool isAppended);
            if (isAppended) CountAppended(session, hash, isNew);
            CountLogged(hash);
            isLogged = !isLast;
        }
        finally
        {
            if (isLogged) _hot.UnlockLogged(row, way, isWanted);
            else _hot.UnlockUnlogged(row);
        }
    }
}
