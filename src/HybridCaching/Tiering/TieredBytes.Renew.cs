using HybridCaching.Records;
using HybridCaching.Store;

namespace HybridCaching.Tiering;

internal sealed partial class TieredBytes
{
    /// <summary>Prolongs the life of an entry that was read, if enough of its window has passed.</summary>
    private void Renew(ReadOnlySpan<byte> key, ulong hash, in ValueHeader header, ReadOnlySpan<byte> stored, bool hasStored, ulong seen)
    {
        long now = Now; // before the lock: it is the user's code
        if (header.Lifetime.Renewed(now) != header.Deadline) TryRenew(key, hash, in header, stored, hasStored, seen, now);
    }

    private bool TryRenew(string key, in BytesRead read)
    {
        long now = Now;
        if (read.Found.Header.Lifetime.Renewed(now) == read.Found.Header.Deadline) return true;
        using var encoded = new KeyBuffer(key, stackalloc byte[KeyBuffer.StackBytes]);
        return TryRenew(encoded.Bytes, HashOf(key, encoded.Bytes), in read.Found.Header, read.Stored, read.HasStored, read.Seen, now);
    }

    /// <summary>
    /// Prolongs the life of an entry: in place, where the log may still be changed, else by storing it again. What is in memory needs nothing but the lock. What is on the disk, or only in the hot
    /// tier, is stored as it was read, if no key of the row was changed since.
    /// </summary>
    /// <returns>False if the value is needed for it.</returns>
    private bool TryRenew(ReadOnlySpan<byte> key, ulong hash, in ValueHeader header, ReadOnlySpan<byte> stored, bool hasStored, ulong seen, long now)
    {
        var current = new BytesRead(ValueBuffer.None);
        var copy = ValueBuffer.Rented;
        var session = _pool.Rent();
        bool room = HasRoom(ref session, BytesRecord.BytesFor(key.Length, ValueHeader.MaximumBytes + (hasStored ? stored.Length : _wholeRecordBytes)));
        _rows.Lock(hash);
        try
        {
            if (session.Find(key, hash, isLatched: false, ref current.Found, ref current.Buffer) == Lookup.Found)
            {
                long deadline = current.Found.Header.Lifetime.Renewed(now);
                if (current.Found.Header.Lifetime.IsOver(now)) return true;
                if (deadline != current.Found.Header.Deadline && !session.TryRenew(key, hash, deadline))
                {
                    if (session.Find(key, hash, isLatched: false, ref current.Found, ref copy) != Lookup.Found) return true;
                    current.Buffer = copy;
                    StoreAgain(session, key, hash, ref current.Found.Header, current.Stored, deadline, room);
                }

                _hot.Renew(key, hash, deadline); // also if somebody else has renewed the record: the copy may have been made of what was read before
                return true;
            }

            if (!_rows.IsVersion(hash, seen)) return true; // changed: whoever did that has decided how long it lives
            if (!hasStored) return false;
            if (!header.IsIntact(key, stored)) return true; // it lies in memory of the caller, who has changed it
            var renewed = header;
            long next = header.Lifetime.Renewed(now);
            StoreAgain(session, key, hash, ref renewed, stored, next, room);
            _hot.Renew(key, hash, next);
            return true;
        }
        finally
        {
            _rows.UnlockFilled(hash);
            copy.Return();
            _pool.Return(session);
        }
    }

    private void StoreAgain(BytesSession session, ReadOnlySpan<byte> key, ulong hash, ref ValueHeader header, ReadOnlySpan<byte> stored, long deadline, bool room)
    {
        if (!room) return; // it expires early: better than not at all
        header.Deadline = deadline;
        if (session.Upsert(key, hash, ref header, stored, out bool isAppended))
        {
            session.Counters.Added++;
            Unsettle(hash);
        }
        else if (isAppended)
        {
            UnsettleOlder(hash);
        }
    }
}
