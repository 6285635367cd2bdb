using System.Diagnostics;
using System.Runtime.CompilerServices;
using HybridCaching.Records;
using HybridCaching.Store;

namespace HybridCaching.Tiering;

internal sealed partial class TieredCache<TKey, TValue>
{
    /// <summary>What the log says of a key, for those who decide on it.</summary>
    private enum Presence
    {
        /// <summary>Surely nothing, and no disk was asked.</summary>
        Absent,

        /// <summary>No hit, but something may lie on the disk: expired, damaged, not read in time.</summary>
        Doubtful,

        /// <summary>An entry that a read would return.</summary>
        Present,
    }

    /// <summary>Looks a key up in memory, then on the disk, where it waits no longer than the disk timeout.</summary>
    public bool TryGet(in TKey key, out TValue value)
    {
        Unsafe.SkipInit(out value);
        ulong hash = _hasher.Hash(in key);
        if (!_hot.TryRead(in key, hash, ref value, out ulong header, out ulong seen)) return TryGetFromLog(in key, hash, seen, out value);
        if (CountHotRead(header)) return true;
        value = default;
        return false;
    }

    /// <summary>Looks a key up in memory only.</summary>
    public bool TryGetFromMemory(in TKey key, out TValue value)
    {
        Unsafe.SkipInit(out Entry<TValue> entry);
        ulong hash = _hasher.Hash(in key);
        bool hit;
        if (_hot.TryRead(in key, hash, ref entry.Value, out ulong header, out ulong seen))
        {
            hit = CountHotRead(header);
        }
        else
        {
            var session = _pool.Rent();
            hit = FinishInMemory(session, Find(session, in key, hash, seen, ref entry), in key, hash, seen, in entry);
        }

        value = hit ? entry.Value : default;
        return hit;
    }

    /// <summary>As <see cref="TryGet"/>, but no thread waits; completes at once when the disk is not needed.</summary>
    public ValueTask<TValue?> GetAsync(TKey key, CancellationToken cancellationToken)
    {
        if (cancellationToken.IsCancellationRequested) return ValueTask.FromCanceled<TValue?>(cancellationToken);
        Unsafe.SkipInit(out TValue value);
        ulong hash = _hasher.Hash(in key);
        if (_hot.TryRead(in key, hash, ref value, out ulong header, out ulong seen)) return new ValueTask<TValue?>(CountHotRead(header) ? value : null);
        return _pool.TryRent() is { } session ? Get(session, key, hash, seen, cancellationToken) : RentAndGetAsync(key, hash, seen, cancellationToken);
    }

    /// <summary>As <see cref="TryGetFromMemory"/>, but not counted as a read, and only once no writer is at work on the key's row.</summary>
    public bool TryPeek(in TKey key, out TValue value) => TryPeek(_pool.Rent(), in key, out value);

    /// <summary>As <see cref="TryPeek(in TKey, out TValue)"/>, but no thread waits for a session.</summary>
    public async ValueTask<TValue?> PeekAsync(TKey key) =>
        TryPeek(await _pool.RentAsync(CancellationToken.None).ConfigureAwait(false), in key, out var value) ? value : null;

    private bool TryPeek(EntrySession<TKey, TValue> session, in TKey key, out TValue value)
    {
        Unsafe.SkipInit(out Entry<TValue> entry);
        ulong hash = _hasher.Hash(in key);
        _hot.ReadUnlocked(hash);
        bool hit = _hot.TryRead(in key, hash, ref entry.Value, out entry.Header, out ulong seen)
            ? IsAlive(entry.Header)
            : Find(session, in key, hash, seen, ref entry) == Lookup.Found && IsHit(in key, in entry);
        _pool.Return(session);
        value = hit ? entry.Value : default;
        return hit;
    }

    /// <summary>Whether a read would hit. Not counted as one.</summary>
    public bool Contains(in TKey key)
    {
        Unsafe.SkipInit(out Entry<TValue> entry);
        var session = _pool.Rent();
        bool present = Look(ref session, in key, _hasher.Hash(in key), ref entry, Stopwatch.GetTimestamp(), out _) == Presence.Present;
        _pool.Return(session);
        return present;
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    private bool TryGetFromLog(in TKey key, ulong hash, ulong seen, out TValue value)
    {
        Unsafe.SkipInit(out Entry<TValue> entry);
        _log.Prefetch(hash);
        var session = _pool.Rent();
        var lookup = Find(session, in key, hash, seen, ref entry);
        bool hit = lookup == Lookup.OnDisk
            ? FinishOnDisk(session, in key, hash, seen, ref entry)
            : FinishInMemory(session, lookup, in key, hash, seen, in entry);
        value = hit ? entry.Value : default;
        return hit;
    }

    /// <summary>Asks the log, and what it has let go, after the hot tier had nothing. May wait for the key's row.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    private Lookup Find(EntrySession<TKey, TValue> session, in TKey key, ulong hash, ulong seen, ref Entry<TValue> entry) =>
        TryFind(session, in key, hash, seen, ref entry, out var lookup) ? lookup : FindAgain(session, in key, hash, ref entry);

    /// <summary>Asks the log. A record is copied without its latch; only if a key of its row was changed since the row's word was seen, it is read again with it.</summary>
    /// <returns>Whether that is sure; else <see cref="FindAgain"/>.</returns>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    private bool TryFind(EntrySession<TKey, TValue> session, in TKey key, ulong hash, ulong seen, ref Entry<TValue> entry, out Lookup lookup)
    {
        lookup = session.FindUnlatched(in key, hash, ref entry);
        if (lookup != Lookup.Found) return IsMissSure(hash, seen);
        if (_hot.IsUnchanged(hash, seen)) return true;
        lookup = session.Find(in key, hash, ref entry);
        return lookup == Lookup.Found;
    }

    /// <summary>
    /// Looks again for a key that neither hot tier nor log had, nor what the log has let go: it may have been stored in the log after it was looked for there, and before it was looked for where it was until then;
    /// or its copy, of which the log has nothing, was just being changed. Waits for the key's row, so not inside the epoch.
    /// </summary>
    [MethodImpl(MethodImplOptions.NoInlining)]
    private Lookup FindAgain(EntrySession<TKey, TValue> session, in TKey key, ulong hash, ref Entry<TValue> entry)
    {
        var lookup = Lookup.NotFound;
        for (int attempt = 0; attempt < LookAttempts && lookup != Lookup.Found; attempt++)
        {
            ulong seen = _hot.ReadUnlocked(hash);
            if (_hot.TryReadLocking(in key, hash, ref entry)) return Lookup.Found;
            lookup = session.Find(in key, hash, ref entry);
            if (IsMissSure(hash, seen)) break;
        }

        return lookup;
    }

    private ValueTask<TValue?> Get(EntrySession<TKey, TValue> session, TKey key, ulong hash, ulong seen, CancellationToken cancellationToken)
    {
        Unsafe.SkipInit(out Entry<TValue> entry);
        var lookup = Find(session, in key, hash, seen, ref entry);
        bool hit;
        if (lookup != Lookup.OnDisk)
        {
            hit = FinishInMemory(session, lookup, in key, hash, seen, in entry);
        }
        else if (session.TryReadDisk(in key, ref entry, out bool found))
        {
            hit = FinishCached(session, in key, hash, seen, in entry, found);
        }
        else
        {
            var trail = session.Trail;
            _pool.Return(session);
            return FinishGetAsync(key, hash, seen, trail, cancellationToken);
        }

        return new ValueTask<TValue?>(hit ? entry.Value : null);
    }

    private async ValueTask<TValue?> RentAndGetAsync(TKey key, ulong hash, ulong seen, CancellationToken cancellationToken) =>
        await Get(await _pool.RentAsync(cancellationToken).ConfigureAwait(false), key, hash, seen, cancellationToken).ConfigureAwait(false);

    /// <summary>Judges and counts what memory has answered, and gives the session back.</summary>
    private bool FinishInMemory(EntrySession<TKey, TValue> session, Lookup lookup, in TKey key, ulong hash, ulong seen, in Entry<TValue> entry)
    {
        bool hit = CountRead(ref session.Counters, lookup == Lookup.Found, in key, in entry);
        if (hit) CountMemoryHit(hash);
        if (hit && IsCopyDue(session, hash)) _hot.TryFill(in key, hash, in entry, seen);
        _pool.Return(session);
        return hit;
    }

    /// <summary>Judges and counts what was read from the disk without waiting for it, and gives the session back.</summary>
    private bool FinishCached(EntrySession<TKey, TValue> session, in TKey key, ulong hash, ulong seen, in Entry<TValue> entry, bool found)
    {
        bool hit = CountRead(ref session.Counters, found, in key, in entry, in session.Trail);
        if (hit) _hot.TryFill(in key, hash, in entry, seen);
        _pool.Return(session);
        return hit;
    }

    private bool FinishOnDisk(EntrySession<TKey, TValue> session, in TKey key, ulong hash, ulong seen, ref Entry<TValue> entry)
    {
        if (session.TryReadDisk(in key, ref entry, out bool found)) return FinishCached(session, in key, hash, seen, in entry, found);
        var trail = session.Trail;
        _pool.Return(session);
        if (!ReadDisk(in key, trail, Stopwatch.GetTimestamp(), count: true, ref entry, out found) || !found) return false;
        _hot.TryFill(in key, hash, in entry, seen);
        return true;
    }

    /// <summary>Ends a read that needs the disk, for which it waits no longer than the disk timeout, or until the token is cancelled.</summary>
    private async ValueTask<TValue?> FinishGetAsync(TKey key, ulong hash, ulong seen, DiskTrail trail, CancellationToken cancellationToken)
    {
        Entry<TValue> entry = default;
        long start = Stopwatch.GetTimestamp();
        var reader = await _readers.TakeAsync(TimeLeft(start), cancellationToken).ConfigureAwait(false);
        if (reader is null) return Timeout();
        bool found;
        while (!reader.TryRead(in key, ref trail, ref entry, out found))
        {
            bool hasEnded = false;
            reader.Post();
            try
            {
                hasEnded = await reader.WaitAsync(TimeLeft(start), cancellationToken).ConfigureAwait(false);
            }
            finally
            {
                if (!hasEnded) _readers.Abandon(reader); // also if the token was cancelled
            }

            if (!hasEnded) return Timeout();
        }

        bool hit = CountRead(ref reader.Counters, found, in key, in entry, in trail);
        _readers.Return(reader);
        if (hit) _hot.TryFill(in key, hash, in entry, seen);
        return hit ? entry.Value : null;

        TValue? Timeout()
        {
            Interlocked.Increment(ref _readTimeouts);
            return null;
        }
    }

    /// <summary>Looks on the disk and waits for it; false when the disk timeout, counted from the start of the call, is over. The caller has no session.</summary>
    /// <param name="key">The key.</param>
    /// <param name="trail">Where to look.</param>
    /// <param name="start">When the call began.</param>
    /// <param name="count">Whether this is a read that counts; then what is found is judged, too.</param>
    /// <param name="entry">The entry found.</param>
    /// <param name="found">Whether there is one.</param>
    private bool ReadDisk(in TKey key, DiskTrail trail, long start, bool count, ref Entry<TValue> entry, out bool found)
    {
        found = false;
        if (_readers.Take(TimeLeft(start)) is { } reader)
        {
            while (!reader.TryRead(in key, ref trail, ref entry, out found))
            {
                bool hasEnded = false;
                try
                {
                    hasEnded = reader.PostAndWait(TimeLeft(start));
                }
                finally
                {
                    if (!hasEnded) _readers.Abandon(reader); // also if the thread was interrupted
                }

                if (hasEnded) continue;
                reader = null;
                break;
            }

            if (reader is not null)
            {
                if (count) found = CountRead(ref reader.Counters, found, in key, in entry, in trail);
                _readers.Return(reader);
                return true;
            }
        }

        if (count) Interlocked.Increment(ref _readTimeouts);
        return false;
    }

    /// <summary>Looks a key up for somebody who decides on it. While the disk is waited for, the session is in the pool.</summary>
    /// <param name="session">The session; another one afterwards, or null if there was none to be had.</param>
    /// <param name="key">The key.</param>
    /// <param name="hash">Its hash.</param>
    /// <param name="entry">The entry, if it is present.</param>
    /// <param name="start">When the call began: the disk timeout counts from there.</param>
    /// <param name="origin">Where the disk was asked; 0 if it was not.</param>
    private Presence Look(ref EntrySession<TKey, TValue> session, in TKey key, ulong hash, ref Entry<TValue> entry, long start, out ulong origin)
    {
        origin = 0;
        ulong settledMark = SettledMark(hash);
        if (_hot.TryRead(in key, hash, ref entry.Value, out entry.Header, out ulong seen)) return IsAlive(entry.Header) ? Presence.Present : Presence.Doubtful;
        bool found = true;
        switch (Find(session, in key, hash, seen, ref entry))
        {
            case Lookup.NotFound:
                return Presence.Absent;
            case Lookup.OnDisk:
                origin = OriginOf(in session.Trail, settledMark);
                if (session.TryReadDisk(in key, ref entry, out found)) break;
                var trail = session.Trail;
                _pool.Return(session);
                session = null!; // not ours any more, should renting another throw
                bool answered = ReadDisk(in key, trail, start, count: false, ref entry, out found);
                session = _pool.Rent();
                if (answered) break;
                return Presence.Doubtful;
        }

        return found && IsHit(in key, in entry) ? Presence.Present : Presence.Doubtful;
    }

    /// <summary>Looks again while the caller holds the row's lock, into memory only.</summary>
    /// <returns>False if only the disk could tell, and not from where it was asked before: the key was written and has left memory since.</returns>
    private bool IsStillSo(EntrySession<TKey, TValue> session, in TKey key, ulong hash, ref Entry<TValue> entry, DateTimeOffset now, ulong origin, ref Presence presence)
    {
        ulong settledMark = SettledMark(hash);
        Unsafe.SkipInit(out Entry<TValue> newer);
        if (_hot.TryReadLocked(in key, hash, ref newer))
        {
            Entry<TValue>.Copy(in newer, ref entry);
            presence = !EntryHeader.IsExpired(entry.Header, now) ? Presence.Present : Presence.Doubtful;
            return true;
        }

        switch (session.FindUnlatched(in key, hash, ref newer))
        {
            case Lookup.OnDisk:
                return OriginOf(in session.Trail, settledMark) == origin;
            case Lookup.NotFound:
                presence = Presence.Absent;
                return true;
            default:
                Entry<TValue>.Copy(in newer, ref entry);
                presence = EntryHeader.IsIntact(in key, in entry) && !EntryHeader.IsExpired(entry.Header, now) ? Presence.Present : Presence.Doubtful;
                return true;
        }
    }

    /// <summary>Judges and counts what memory has answered.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    private bool CountRead(ref SessionCounters counters, bool found, in TKey key, in Entry<TValue> entry) => CountJudged(ref counters, found && IsHit(in key, in entry), found, in key, in entry);

    /// <summary>Counts what memory has answered, which was judged.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    private static bool CountJudged(ref SessionCounters counters, bool isHit, bool found, in TKey key, in Entry<TValue> entry)
    {
        if (isHit) counters.MemoryHits++;
        else CountMiss(ref counters, found, in key, in entry);
        return isHit;
    }

    /// <summary>Judges and counts what the disk has answered.</summary>
    private bool CountRead(ref SessionCounters counters, bool found, in TKey key, in Entry<TValue> entry, in DiskTrail trail)
    {
        if (found && IsHit(in key, in entry))
        {
            counters.DiskHits++;
            CountDiskHit(in trail);
            return true;
        }

        CountMiss(ref counters, found, in key, in entry);
        return false;
    }

    /// <summary>Judges and counts a copy that was read from the hot tier: what is in there was intact when it was put there.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    private bool CountHotRead(ulong header)
    {
        if (_disposed) ThrowIfDisposed();
        if (IsAlive(header))
        {
            _hotHits.Increment();
            return true;
        }

        CountHotExpired();
        return false;
    }

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    private bool IsHit(in TKey key, in Entry<TValue> entry) => EntryHeader.IsIntact(in key, in entry) && IsAlive(entry.Header);

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    private bool IsAlive(ulong header) => !(EntryHeader.HasDeadline(header) && IsExpired(header));

    [MethodImpl(MethodImplOptions.NoInlining)]
    private static void CountMiss(ref SessionCounters counters, bool found, in TKey key, in Entry<TValue> entry)
    {
        counters.Misses++;
        if (!found || entry.Header == 0) return;
        if (EntryHeader.IsIntact(in key, in entry)) counters.Expired++;
        else counters.Corrupt++;
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    private bool IsExpired(ulong header) => EntryHeader.IsExpired(header, TimeOfJudgement);
}
