using System.Numerics;
using HybridCaching.Records;
using HybridCaching.Store;

namespace HybridCaching.Tiering;

/// <summary>Entries that only a copy in the hot tier has: those that are stored again and again. See docs/concurrency.md.</summary>
internal sealed partial class TieredBytes
{
    /// <summary>Stores a value in a copy that is the only place where its entry is, or is to be from now on. The caller holds the row's lock.</summary>
    /// <returns>False if there is no such copy, or it cannot be changed: the log has to have the entry.</returns>
    private bool TryStoreUnlogged(BytesSession session, ReadOnlySpan<byte> key, ulong hash, in ValueHeader header, ReadOnlySpan<byte> value, bool room)
    {
        if (_hot.Find(key, hash) is not (>= 0 and var way)) return false;
        if (_hot.IsUnlogged(hash, way)) return _hot.TryStoreUnlogged(hash, way, in header, value);
        if (!room || !MayBeUnlogged || !_hot.TryBeginUnlogged(hash, way, value)) return false;
        bool isTakenOut = false;
        try
        {
            isTakenOut = session.TryRemoveUnchangeable(key, hash, out bool wasInMemory);
            if (isTakenOut) CountTakenOut(session, hash, wasInMemory);
        }
        finally
        {
            _hot.EndUnlogged(hash, way, in header, value, isTakenOut);
        }

        return isTakenOut;
    }

    protected override bool LogCopies(ref int row, Func<bool> mayGoOn, TimeSpan patience)
    {
        for (; row < _hot.Rows; row++)
        {
            uint ways;
            for (uint done = 0; (ways = _hot.UnloggedOf(row) & ~done) != 0; done |= ways & (~ways + 1)) // looked at again: they may move to another way
            {
                if (!mayGoOn() || !TryLogCopy(row, BitOperations.TrailingZeroCount(ways), patience)) return false;
            }
        }

        return true;
    }

    /// <summary>Stores in the log what only a copy has.</summary>
    /// <returns>False if there is no room.</returns>
    private bool TryLogCopy(int row, int way, TimeSpan patience)
    {
        long now = TimeOfJudgement.UtcTicks; // before the lock: it is the user's code
        int bytes = BytesToLog(row, way);
        if (bytes == 0) return true;
        var session = _pool.Rent();
        try
        {
            if (!HasRoomWithin(ref session, bytes, patience)) return false;
            LogCopy(session, row, way, bytes, now);
            return true;
        }
        finally
        {
            if (session is not null) _pool.Return(session);
        }
    }

    /// <summary>How long the record would be of what only a copy has; 0 if there is no such copy.</summary>
    private int BytesToLog(int row, int way)
    {
        if (!_hot.TryBeginLogging(row, way, out var key, out var header, out var value)) return 0;
        int bytes = BytesRecord.BytesFor(key.Length, header.Bytes + value.Length);
        _hot.EndLogging(row, way, isLogged: false, isWanted: true);
        return bytes;
    }

    /// <summary>Stores in the log what only a copy has, if it is no longer than there is room for.</summary>
    private void LogCopy(BytesSession session, int row, int way, int room, long now)
    {
        if (!_hot.TryBeginLogging(row, way, out var key, out var header, out var value)) return;
        bool isWanted = !header.Lifetime.IsOver(now) || header.Deadline == 0;
        bool isLogged = false;
        try
        {
            if (BytesRecord.BytesFor(key.Length, header.Bytes + value.Length) > room) return; // another one by now
            if (isWanted)
            {
                ulong hash = _hasher.Hash(key);
                bool isNew = session.Upsert(key, hash, ref header, value, out bool isAppended);
                if (isAppended) CountAppended(session, hash, isNew);
                CountLogged(hash);
            }

            isLogged = true;
        }
        finally
        {
            _hot.EndLogging(row, way, isLogged, isWanted);
        }
    }
}
