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

    /// <summary>Reads an entry in order to prolong its life.</summary>
    /// <param name="key">The key.</param>
    /// <param name="isAsync">Whether no thread waits.</param>
    /// <param name="attempts">How often, while the key keeps being changed.</param>
    /// <param name="needsValue">Whether its value is read, too; else only if it has to be written again.</param>
    /// <param name="cancellationToken">Ends it.</param>
    private async ValueTask RenewAsync(string key, bool isAsync, int attempts, bool needsValue, CancellationToken cancellationToken)
    {
        while (attempts > 0)
        {
            var read = new BytesRead(needsValue ? ValueBuffer.Rented : ValueBuffer.None, isQuiet: true) { TracksOrigin = true };
            if (isAsync) read = await ReadAsync(key, read, cancellationToken).ConfigureAwait(false);
            else Read(key, ref read);
            var renewal = read.IsHit && read.Found.Header.IsSliding ? TryRenew(key, in read) : Renewal.Done;
            read.Buffer.Return();
            if (renewal == Renewal.Done) return;
            if (needsValue || renewal == Renewal.Open) attempts--;
            needsValue |= renewal == Renewal.NeedsValue;
        }
    }

    /// <summary>Prolongs the life of an entry that was read, and that has to be read once more for it. Waits no longer than the disk timeout, and never fails: what was read is there.</summary>
    private async ValueTask RenewOnceMoreAsync(string key, bool isAsync)
    {
        try
        {
            await RenewAsync(key, isAsync, attempts: 1, needsValue: true, CancellationToken.None).ConfigureAwait(false);
        }
        catch (Exception)
        {
            // It expires early.
        }
    }

    private async ValueTask<BytesRead> RenewAndReturnAsync(string key, BytesRead read, bool isAsync)
    {
        await RenewOnceMoreAsync(key, isAsync).ConfigureAwait(false);
        return read;
    }

    private Renewal TryRenew(string key, in BytesRead read)
    {
        long now = Now;
        if (read.Found.Header.Lifetime.Renewed(now) == read.Found.Header.Deadline) return Renewal.Done;
        using var encoded = new KeyBuffer(key, stackalloc byte[KeyBuffer.StackBytes]);
        return TryRenew(encoded.Bytes, HashOf(key, encoded.Bytes), in read.Found.Header, read.Stored, read.HasStored, read.Seen, read.Origin, now);
    }

    /// <summary>Prolongs the life of an entry: in place, where the log may still be changed, which needs nothing but the lock; else by storing it again, for which there has to be room.</summary>
    private Renewal TryRenew(ReadOnlySpan<byte> key, ulong hash, in ValueHeader header, ReadOnlySpan<byte> stored, bool hasStored, ulong seen, ulong origin, long now)
    {
        var session = _pool.Rent();
        try
        {
            int storedBytes = stored.Length;
            _rows.Lock(hash);
            try
            {
                if (RenewHere(session, key, hash, hasStored, seen, origin, now, ref storedBytes) is { } renewal) return renewal;
            }
            finally
            {
                _rows.UnlockFilled(hash);
            }

            long start = Stopwatch.GetTimestamp() - (long)(Math.Max(0, (_settings.DiskTimeout - RenewalPatience).TotalSeconds) * Stopwatch.Frequency);
            if (!HasRoom(ref session, BytesRecord.BytesFor(key.Length, ValueHeader.MaximumBytes + storedBytes), start)) return Renewal.Done;
            _rows.Lock(hash);
            try
            {
                return StoreAgain(session, key, hash, in header, stored, hasStored, seen, origin, now, storedBytes);
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

    /// <summary>Does what needs no room. The row is locked.</summary>
    /// <returns>What came of it; null if the entry has to be stored again, and can be.</returns>
    private Renewal? RenewHere(BytesSession session, ReadOnlySpan<byte> key, ulong hash, bool hasStored, ulong seen, ulong origin, long now, ref int storedBytes)
    {
        ulong settledMark = origin == 0 ? 0 : SettledMark(hash);
        var current = new BytesRead(ValueBuffer.None);
        var lookup = session.Find(key, hash, isLatched: false, ref current.Found, ref current.Buffer);
        if (lookup == Lookup.Found)
        {
            storedBytes = current.Found.IsInChunks ? current.Stored.Length : current.Buffer.Length;
            if (current.Found.Header.Lifetime.IsOver(now)) return Renewal.Done;
            long deadline = current.Found.Header.Lifetime.Renewed(now);
            if (deadline != current.Found.Header.Deadline && !session.TryRenew(key, hash, deadline)) return null;
            _hot.Renew(key, hash, deadline); // also if somebody else has renewed the record: the copy may have been made of what was read before
            return Renewal.Done;
        }

        bool isWhatWasRead = _rows.IsVersion(hash, seen) || (lookup == Lookup.OnDisk && origin != 0 && OriginOf(in session.Trail, settledMark) == origin);
        if (!isWhatWasRead) return Renewal.Open;
        return hasStored ? null : Renewal.NeedsValue;
    }

    /// <summary>Stores an entry again with a later deadline: what the log has in memory, or what was read from the disk or the hot tier. The row is locked, and there is room.</summary>
    private Renewal StoreAgain(BytesSession session, ReadOnlySpan<byte> key, ulong hash, in ValueHeader header, ReadOnlySpan<byte> stored, bool hasStored, ulong seen, ulong origin, long now, int mostBytes)
    {
        int storedBytes = stored.Length;
        if (RenewHere(session, key, hash, hasStored, seen, origin, now, ref storedBytes) is { } renewal) return renewal; // it may have been changed while there was no lock
        if (storedBytes > mostBytes) return Renewal.Done;
        var current = new BytesRead(ValueBuffer.Rented);
        try
        {
            if (session.Find(key, hash, isLatched: false, ref current.Found, ref current.Buffer) == Lookup.Found)
                Append(session, key, hash, in current.Found.Header, current.Stored, current.Found.Header.Lifetime.Renewed(now));
            else if (header.IsIntact(key, stored)) // else it lies in memory of the caller, who has changed it
                Append(session, key, hash, in header, stored, header.Lifetime.Renewed(now));
            return Renewal.Done;
        }
        finally
        {
            current.Buffer.Return();
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
