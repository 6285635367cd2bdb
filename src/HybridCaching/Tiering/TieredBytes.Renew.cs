using HybridCaching.Records;
using HybridCaching.Store;

namespace HybridCaching.Tiering;

internal sealed partial class TieredBytes
{
    /// <summary>How often an entry is read again that keeps being changed.</summary>
    private const int RenewalAttempts = 3;

    /// <summary>A read waits no longer for room to store an entry again: without, it expires early.</summary>
    private static readonly TimeSpan RenewalPatience = TimeSpan.FromMilliseconds(20);

    /// <summary>Prolongs the life of an entry that was read, if enough of its window has passed. Waits for no session: if there is none, somebody who may has to read the entry again.</summary>
    private Renewal Renew(ReadOnlySpan<byte> key, ulong hash, in ValueHeader header, ReadOnlySpan<byte> stored, bool hasStored, ulong seen)
    {
        long now = Now; // before the lock: it is the user's code
        if (header.Lifetime.Renewed(now) == header.Deadline) return Renewal.Done;
        return _pool.TryRent() is { } session
            ? Renew(session, new Prolonged { Key = key, Hash = hash, Header = header, Stored = stored, HasStored = hasStored, Seen = seen, Now = now })
            : Renewal.Open;
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
            var renewal = Renewal.Done;
            long now = Now;
            if (read.IsHit && read.Found.Header.IsSliding && read.Found.Header.Lifetime.Renewed(now) != read.Found.Header.Deadline)
            {
                var session = isAsync ? await _pool.RentAsync(cancellationToken).ConfigureAwait(false) : _pool.Rent();
                renewal = Renew(session, key, in read, now);
            }

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

    private Renewal Renew(BytesSession session, string key, in BytesRead read, long now)
    {
        using var encoded = new KeyBuffer(key, stackalloc byte[KeyBuffer.StackBytes]);
        return Renew(session, new Prolonged { Key = encoded.Bytes, Hash = HashOf(key, encoded.Bytes), Header = read.Found.Header, Stored = read.Stored, HasStored = read.HasStored, Seen = read.Seen, Origin = read.Origin, Now = now });
    }

    /// <summary>Prolongs the life of an entry: in place, where the log may still be changed, which needs nothing but the lock; else by storing it again, for which there has to be room. Gives the session back.</summary>
    private Renewal Renew(BytesSession session, in Prolonged it)
    {
        try
        {
            int storedBytes;
            _rows.Lock(it.Hash);
            try
            {
                var current = new BytesRead(ValueBuffer.None);
                if (RenewHere(session, in it, ref current, out storedBytes, out _) is { } renewal) return renewal;
            }
            finally
            {
                _rows.UnlockFilled(it.Hash);
            }

            if (!HasRoomWithin(ref session, BytesRecord.BytesFor(it.Key.Length, ValueHeader.MaximumBytes + storedBytes), RenewalPatience)) return Renewal.Done;
            _rows.Lock(it.Hash);
            try
            {
                return StoreAgain(session, in it, storedBytes);
            }
            finally
            {
                _rows.UnlockFilled(it.Hash);
            }
        }
        finally
        {
            if (session is not null) _pool.Return(session);
        }
    }

    /// <summary>Does what needs no room. The row is locked.</summary>
    /// <param name="session">To look with.</param>
    /// <param name="it">The entry.</param>
    /// <param name="current">Takes what the log has in memory, if it has it.</param>
    /// <param name="storedBytes">Bytes of what has to be stored again.</param>
    /// <param name="isCurrent">Whether that is what the log has in memory; otherwise it is what was read before, and still what the key stands for.</param>
    /// <returns>What came of it; null if the entry has to be stored again, and can be.</returns>
    private Renewal? RenewHere(BytesSession session, in Prolonged it, ref BytesRead current, out int storedBytes, out bool isCurrent)
    {
        storedBytes = it.Stored.Length;
        ulong settledMark = it.Origin == 0 ? 0 : SettledMark(it.Hash);
        var lookup = session.Find(it.Key, it.Hash, isLatched: false, ref current.Found, ref current.Buffer);
        isCurrent = lookup == Lookup.Found;
        if (isCurrent)
        {
            storedBytes = current.Found.IsInChunks ? current.Stored.Length : current.Buffer.Length;
            if (current.Found.Header.Lifetime.IsOver(it.Now)) return Renewal.Done;
            long deadline = current.Found.Header.Lifetime.Renewed(it.Now);
            if (deadline != current.Found.Header.Deadline && !session.TryRenew(it.Key, it.Hash, deadline)) return null;
            _hot.Renew(it.Key, it.Hash, deadline); // also if somebody else has renewed the record: the copy may have been made of what was read before
            return Renewal.Done;
        }

        if (it.Header.Lifetime.IsOver(it.Now)) return Renewal.Done; // its pieces took so long: others have been told that there is none
        bool isWhatWasRead = _rows.IsVersion(it.Hash, it.Seen) || (lookup == Lookup.OnDisk && it.Origin != 0 && OriginOf(in session.Trail, settledMark) == it.Origin);
        if (!isWhatWasRead) return Renewal.Open;
        return it.HasStored ? null : Renewal.NeedsValue;
    }

    /// <summary>Stores an entry again with a later deadline: what the log has in memory, or what was read from the disk or the hot tier. The row is locked, and there is room for so many bytes.</summary>
    private Renewal StoreAgain(BytesSession session, in Prolonged it, int mostBytes)
    {
        var current = new BytesRead(ValueBuffer.Rented);
        try
        {
            // It may have been changed while there was no lock. One look says so and takes the value: its page may leave memory before a second.
            if (RenewHere(session, in it, ref current, out int storedBytes, out bool isCurrent) is { } renewal) return renewal;
            if (storedBytes > mostBytes) return Renewal.Done;
            if (isCurrent) Append(session, in it, current.Found.Header, current.Stored);
            else if (it.Header.IsIntact(it.Key, it.Stored)) Append(session, in it, it.Header, it.Stored); // else it lies in memory of the caller, who has changed it
            return Renewal.Done;
        }
        finally
        {
            current.Buffer.Return();
        }
    }

    private void Append(BytesSession session, in Prolonged it, ValueHeader header, ReadOnlySpan<byte> stored)
    {
        header.Deadline = header.Lifetime.Renewed(it.Now);
        bool isNew = session.Upsert(it.Key, it.Hash, ref header, stored, out bool isAppended);
        if (isAppended) CountAppended(session, it.Hash, isNew);
        _hot.Renew(it.Key, it.Hash, header.Deadline);
    }

    /// <summary>An entry whose life is to be prolonged, as it was read.</summary>
    private readonly ref struct Prolonged
    {
        public required ReadOnlySpan<byte> Key { get; init; }

        public required ulong Hash { get; init; }

        public required ValueHeader Header { get; init; }

        /// <summary>What is stored under the key, if <see cref="HasStored"/>.</summary>
        public required ReadOnlySpan<byte> Stored { get; init; }

        public required bool HasStored { get; init; }

        /// <summary>The row's word from before it was read.</summary>
        public required ulong Seen { get; init; }

        /// <summary>Stands for where the disk was asked; 0 if that is not known.</summary>
        public ulong Origin { get; init; }

        /// <summary>The time, in UTC ticks.</summary>
        public required long Now { get; init; }
    }
}
