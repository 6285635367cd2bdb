using HybridCaching.Records;
using HybridCaching.Store;

namespace HybridCaching.Tiering;

/// <summary>Entries that only a copy in the hot tier has: those that are stored again and again. See docs/concurrency.md.</summary>
internal sealed partial class TieredBytes
{
    /// <summary>Stores a value in the log if it is overwritten in its place there, or else, if there is a copy that is used often, in the copy alone. The caller holds the row's lock, and there is room.</summary>
    /// <param name="session">To store with.</param>
    /// <param name="key">The key, encoded.</param>
    /// <param name="hash">Its hash.</param>
    /// <param name="way">Where its copy is; less than zero if there is none.</param>
    /// <param name="header">The header of the value.</param>
    /// <param name="value">The value.</param>
    /// <param name="isNew">Whether the key had no record in memory.</param>
    /// <param name="isAppended">Whether a record was appended.</param>
    /// <returns>Whether only the copy has it.</returns>
    private bool TryStoreUnlogged(BytesSession session, ReadOnlySpan<byte> key, ulong hash, int way, ref ValueHeader header, ReadOnlySpan<byte> value, out bool isNew, out bool isAppended)
    {
        isNew = false;
        if (way < 0 || !MayBeUnlogged || !_hot.TryBeginUnlogged(hash, way, value))
        {
            isNew = session.Upsert(key, hash, ref header, value, out isAppended);
            return false;
        }

        bool isTakenOut = false;
        try
        {
            isTakenOut = session.OverwriteOrRemove(key, hash, ref header, value, out isAppended, out bool wasInMemory);
            if (isTakenOut) CountTakenOut(session, hash, wasInMemory);
        }
        finally
        {
            _hot.EndUnlogged(hash, way, in header, value, isTakenOut);
        }

        return isTakenOut;
    }

    protected override bool TryLogCopy(int row, int way, bool isLast, TimeSpan patience)
    {
        int bytes = BytesToLog(row, way, isLast);
        if (bytes == 0) return true;
        long now = TimeOfJudgement.UtcTicks; // before the lock: it is the user's code
        var session = _pool.Rent();
        try
        {
            if (!HasRoomWithin(ref session, bytes, patience)) return false;
            LogCopy(session, row, way, isLast, bytes, now);
            return true;
        }
        finally
        {
            if (session is not null) _pool.Return(session);
        }
    }

    /// <summary>How long the record would be of what only a copy has; 0 if there is no such copy.</summary>
    private int BytesToLog(int row, int way, bool isLast)
    {
        if (!_hot.TryBeginLogging(row, way, isLogged: isLast, out var key, out var header, out var value)) return 0;
        int bytes = !isLast || header.Kind == ValueKind.Whole ? BytesRecord.BytesFor(key.Length, header.Bytes + value.Length) : 0; // pieces are worth nothing one by one
        _hot.EndLogging(row, way, isLogged: false, isWanted: true);
        return bytes;
    }

    protected override ulong HashOfCopy(int row, int way) => _hot.HashAt(row, way);

    /// <summary>Stores in the log what only a copy has, if it is no longer than there is room for.</summary>
    private void LogCopy(BytesSession session, int row, int way, bool isLast, int room, long now)
    {
        if (!_hot.TryBeginLogging(row, way, isLogged: isLast, out var key, out var header, out var value)) return;
        bool isWanted = !header.Lifetime.IsOver(now) || header.Deadline == 0;
        bool isLogged = false;
        try
        {
            ulong hash = _hasher.Hash(key);
            if ((isLast && (header.Kind != ValueKind.Whole || IsLedTo(hash))) || BytesRecord.BytesFor(key.Length, header.Bytes + value.Length) > room) return; // another one by now
            if (isWanted)
            {
                bool isNew = session.Upsert(key, hash, ref header, value, out bool isAppended);
                if (isAppended) CountAppended(session, hash, isNew);
                CountLogged(hash);
            }

            isLogged = !isLast;
        }
        finally
        {
            _hot.EndLogging(row, way, isLogged, isWanted);
        }
    }
}
