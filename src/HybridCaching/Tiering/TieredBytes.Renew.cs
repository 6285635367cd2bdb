using System.Diagnostics;
using HybridCaching.Records;
using HybridCaching.Store;

namespace HybridCaching.Tiering;

internal sealed partial class TieredBytes
{
    /// <summary>How often an entry is read again that keeps being changed.</summary>
    private const int RenewalAttempts = 3;

    /// <summary>A read waits no longer for room to store an entry again: without, it expires early.</summary>
    private static readonly TimeSpan RenewalPatience = TimeSpan.FromMilliseconds(20);

    /// <summary>Prolongs the life of an entry that was read, if enough of its window has passed.</summary>
    private Renewal Renew(ReadOnlySpan<byte> key, ulong hash, in ValueHeader header, ReadOnlySpan<byte> stored, bool hasStored, ulong seen)
    {
        long now = Now; // before the lock: it is the user's code
        return header.Lifetime.Renewed(now) == header.Deadline ? Renewal.Done : TryRenew(key, hash, in header, stored, hasStored, seen, origin: 0, now);
    }

    /// <summary>Reads an entry in order to prolong its life, its value only if it has to be written again.</summary>
    private async ValueTask RenewAsync(string key, bool isAsync, CancellationToken cancellationToken)
    {
        bool needsValue = false;
        for (int attempt = 0; attempt < RenewalAttempts; attempt++)
        {
            var read = new BytesRead(needsValue ? ValueBuffer.Rented : ValueBuffer.None, isQuiet: true) { TracksOrigin = true };
            if (isAsync) read = await ReadAsync(key, read, cancellationToken).ConfigureAwait(false);
            else Read(key, ref read);
            var renewal = read.IsHit && read.Found.Header.IsSliding ? TryRenew(key, in read) : Renewal.Done;
            read.Buffer.Return();
            if (renewal == Renewal.Done) return;
            needsValue |= renewal == Renewal.NeedsValue;
        }
    }

    /// <summary>Prolongs the life of an entry that was read already. Who does not want to wait for it any more still has what was read.</summary>
    private async ValueTask<BytesRead> RenewAndReturnAsync(string key, BytesRead read, bool isAsync, CancellationToken cancellationToken)
    {
        try
        {
            await RenewAsync(key, isAsync, cancellationToken).ConfigureAwait(false);
        }
        catch (OperationCanceledException)
        {
            // It expires early.
        }

        return read;
    }

    private Renewal TryRenew(string key, in BytesRead read)
    {
        long now = Now;
        if (read.Found.Header.Lifetime.Renewed(now) == read.Found.Header.Deadline) return Renewal.Done;
        using var encoded = new KeyBuffer(key, stackalloc byte[KeyBuffer.StackBytes]);
        return TryRenew(encoded.Bytes, HashOf(key, encoded.Bytes), in read.Found.Header, read.Stored, read.HasStored, read.Seen, read.Origin, now);
    }

    /// <summary>
    /// Prolongs the life of an entry: in place, where the log may still be changed, which needs nothing but the lock; else by storing it again, for which there has to be room.
    /// </summary>
    private Renewal TryRenew(ReadOnlySpan<byte> key, ulong hash, in ValueHeader header, ReadOnlySpan<byte> stored, bool hasStored, ulong seen, ulong origin, long now)
    {
        var session = _pool.Rent();
        try
        {
            _rows.Lock(hash);
            try
            {
                if (TryRenewInPlace(session, key, hash, now)) return Renewal.Done;
            }
            finally
            {
                _rows.UnlockFilled(hash);
            }

            int payloadBytes = ValueHeader.MaximumBytes + (hasStored ? stored.Length : _wholeRecordBytes);
            long start = Stopwatch.GetTimestamp() - (long)(Math.Max(0, (_settings.DiskTimeout - RenewalPatience).TotalSeconds) * Stopwatch.Frequency);
            if (!HasRoom(ref session, BytesRecord.BytesFor(key.Length, payloadBytes), start)) return Renewal.Done;
            _rows.Lock(hash);
            try
            {
                return StoreAgain(session, key, hash, in header, stored, hasStored, seen, origin, now, payloadBytes - ValueHeader.MaximumBytes);
            }
            finally
            {
                _rows.UnlockFilled(hash);
            }
        }
        finally
        {
            if (session is not null) _pool.Return(session);
        }
    }

    /// <summary>Prolongs a life if the log may still be changed where the entry is, or if that was done already. The row is locked.</summary>
    private bool TryRenewInPlace(BytesSession session, ReadOnlySpan<byte> key, ulong hash, long now)
    {
        var current = new BytesRead(ValueBuffer.None);
        if (session.Find(key, hash, isLatched: false, ref current.Found, ref current.Buffer) != Lookup.Found) return false;
        if (current.Found.Header.Lifetime.IsOver(now)) return true;
        long deadline = current.Found.Header.Lifetime.Renewed(now);
        if (deadline != current.Found.Header.Deadline && !session.TryRenew(key, hash, deadline)) return false;
        _hot.Renew(key, hash, deadline); // also if somebody else has renewed the record: the copy may have been made of what was read before
        return true;
    }

    /// <summary>Stores an entry again with a later deadline: what the log has in memory, or what was read from the disk or the hot tier, if the key was not changed since. The row is locked, and there is room.</summary>
    private Renewal StoreAgain(BytesSession session, ReadOnlySpan<byte> key, ulong hash, in ValueHeader header, ReadOnlySpan<byte> stored, bool hasStored, ulong seen, ulong origin, long now, int mostBytes)
    {
        if (TryRenewInPlace(session, key, hash, now)) return Renewal.Done; // it may have been stored again meanwhile
        ulong settledMark = origin == 0 ? 0 : SettledMark(hash);
        var copy = ValueBuffer.Rented;
        FoundValue found = default;
        try
        {
            var lookup = session.Find(key, hash, isLatched: false, ref found, ref copy);
            if (lookup == Lookup.Found)
            {
                var current = new BytesRead(copy) { Found = found };
                if (current.Stored.Length <= mostBytes) Append(session, key, hash, in found.Header, current.Stored, found.Header.Lifetime.Renewed(now));
                return Renewal.Done;
            }

            bool isWhatWasRead = _rows.IsVersion(hash, seen) || (lookup == Lookup.OnDisk && origin != 0 && OriginOf(in session.Trail, settledMark) == origin);
            if (!isWhatWasRead) return Renewal.Open;
            if (!hasStored) return Renewal.NeedsValue;
            if (header.IsIntact(key, stored)) Append(session, key, hash, in header, stored, header.Lifetime.Renewed(now)); // else it lies in memory of the caller, who has changed it
            return Renewal.Done;
        }
        finally
        {
            copy.Return();
        }
    }

    private void Append(BytesSession session, ReadOnlySpan<byte> key, ulong hash, in ValueHeader header, ReadOnlySpan<byte> stored, long deadline)
    {
        var renewed = header;
        renewed.Deadline = deadline;
        bool isNew = session.Upsert(key, hash, ref renewed, stored, out bool isAppended);
        if (isAppended) CountAppended(session, hash, isNew);
        _hot.Renew(key, hash, deadline);
    }
}
