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
        Unsafe.SkipInit(out Entry<TValue> entry);
        var session = _pool.Rent();
        var lookup = session.Find(in key, ref entry);
        if (lookup == Lookup.OnDisk) return FinishTryGet(session, in key, out value);
        bool hit = CountRead(ref session.Counters, lookup == Lookup.Found, in key, in entry, fromDisk: false);
        _pool.Return(session);
        value = hit ? entry.Value : default;
        return hit;
    }

    /// <summary>Looks a key up in memory only.</summary>
    public bool TryGetFromMemory(in TKey key, out TValue value)
    {
        Unsafe.SkipInit(out Entry<TValue> entry);
        var session = _pool.Rent();
        bool found = session.Find(in key, ref entry) == Lookup.Found;
        bool hit = CountRead(ref session.Counters, found, in key, in entry, fromDisk: false);
        _pool.Return(session);
        value = hit ? entry.Value : default;
        return hit;
    }

    /// <summary>As <see cref="TryGet"/>, but no thread waits; completes at once when the disk is not needed.</summary>
    public ValueTask<TValue?> GetAsync(TKey key, CancellationToken cancellationToken)
    {
        if (cancellationToken.IsCancellationRequested) return ValueTask.FromCanceled<TValue?>(cancellationToken);
        return _pool.TryRent() is { } session ? Get(session, key, cancellationToken) : RentAndGetAsync(key, cancellationToken);
    }

    /// <summary>As <see cref="TryGetFromMemory"/>, but not counted as a read, and only once no writer is at work on the key's row.</summary>
    public bool TryPeek(in TKey key, out TValue value) => TryPeek(_pool.Rent(), in key, out value);

    /// <summary>As <see cref="TryPeek(in TKey, out TValue)"/>, but no thread waits for a session.</summary>
    public async ValueTask<TValue?> PeekAsync(TKey key) =>
        TryPeek(await _pool.RentAsync(CancellationToken.None).ConfigureAwait(false), in key, out var value) ? value : null;

    private bool TryPeek(EntrySession<TKey, TValue> session, in TKey key, out TValue value)
    {
        Unsafe.SkipInit(out Entry<TValue> entry);
        _locks.ReadVersion(_log.Hash(in key));
        bool hit = session.Find(in key, ref entry) == Lookup.Found && IsHit(in key, in entry);
        _pool.Return(session);
        value = hit ? entry.Value : default;
        return hit;
    }

    /// <summary>Whether a read would hit. Not counted as one.</summary>
    public bool Contains(in TKey key)
    {
        Unsafe.SkipInit(out Entry<TValue> entry);
        var session = _pool.Rent();
        bool present = Look(ref session, in key, ref entry, Stopwatch.GetTimestamp(), out _) == Presence.Present;
        _pool.Return(session);
        return present;
    }

    private ValueTask<TValue?> Get(EntrySession<TKey, TValue> session, TKey key, CancellationToken cancellationToken)
    {
        Unsafe.SkipInit(out Entry<TValue> entry);
        var lookup = session.Find(in key, ref entry);
        if (lookup == Lookup.OnDisk) return FinishGetAsync(session, key, cancellationToken);
        bool hit = CountRead(ref session.Counters, lookup == Lookup.Found, in key, in entry, fromDisk: false);
        _pool.Return(session);
        return new ValueTask<TValue?>(hit ? entry.Value : null);
    }

    private async ValueTask<TValue?> RentAndGetAsync(TKey key, CancellationToken cancellationToken) =>
        await Get(await _pool.RentAsync(cancellationToken).ConfigureAwait(false), key, cancellationToken).ConfigureAwait(false);

    [MethodImpl(MethodImplOptions.NoInlining)]
    private bool FinishTryGet(EntrySession<TKey, TValue> session, in TKey key, out TValue value)
    {
        Unsafe.SkipInit(out Entry<TValue> entry);
        value = default;
        if (!ReadDisk(session, in key, ref entry, Stopwatch.GetTimestamp(), out bool found))
        {
            CountTimeout(ref session.Counters);
            Abandon(session);
            return false;
        }

        bool hit = CountRead(ref session.Counters, found, in key, in entry, fromDisk: true);
        _pool.Return(session);
        if (hit) value = entry.Value;
        return hit;
    }

    private async ValueTask<TValue?> FinishGetAsync(EntrySession<TKey, TValue> session, TKey key, CancellationToken cancellationToken)
    {
        Entry<TValue> entry = default;
        bool found;
        long start = Stopwatch.GetTimestamp();
        while (!session.TryReadDisk(in key, ref entry, out found))
        {
            // A call lasts as long as its token says, or the disk timeout where it carries none.
            var left = cancellationToken.CanBeCanceled ? Timeout.InfiniteTimeSpan : _settings.DiskTimeout - Stopwatch.GetElapsedTime(start);
            try
            {
                if ((left > TimeSpan.Zero || left == Timeout.InfiniteTimeSpan) && await session.WaitAsync(left, cancellationToken).ConfigureAwait(false)) continue;
            }
            catch (OperationCanceledException)
            {
                Abandon(session);
                throw;
            }

            CountTimeout(ref session.Counters);
            Abandon(session);
            return null;
        }

        bool hit = CountRead(ref session.Counters, found, in key, in entry, fromDisk: true);
        _pool.Return(session);
        return hit ? entry.Value : null;
    }

    /// <summary>Looks a key up for somebody who decides on it. A session that had to be given up is replaced by another.</summary>
    /// <param name="session">The session.</param>
    /// <param name="key">The key.</param>
    /// <param name="entry">The entry, if it is present.</param>
    /// <param name="start">When the call began: the disk timeout counts from there.</param>
    /// <param name="diskAddress">Where the disk was asked; 0 if it was not.</param>
    private Presence Look(ref EntrySession<TKey, TValue> session, in TKey key, ref Entry<TValue> entry, long start, out long diskAddress)
    {
        diskAddress = 0;
        bool found = true;
        switch (session.Find(in key, ref entry))
        {
            case Lookup.NotFound:
                return Presence.Absent;
            case Lookup.OnDisk:
                diskAddress = session.DiskAddress;
                if (ReadDisk(session, in key, ref entry, start, out found)) break;
                Abandon(session);
                session = null!; // not ours any more, should renting another throw
                session = _pool.Rent();
                return Presence.Doubtful;
        }

        return found && IsHit(in key, in entry) ? Presence.Present : Presence.Doubtful;
    }

    /// <summary>Looks again while the caller holds the row's lock, into memory only.</summary>
    /// <returns>False if only the disk could tell, and not from where it was asked before: the key was written and has left memory since.</returns>
    private bool IsStillSo(EntrySession<TKey, TValue> session, in TKey key, ref Entry<TValue> entry, long diskAddress, ref Presence presence)
    {
        Unsafe.SkipInit(out Entry<TValue> newer);
        switch (session.Find(in key, ref newer))
        {
            case Lookup.OnDisk:
                return session.DiskAddress == diskAddress;
            case Lookup.NotFound:
                presence = Presence.Absent;
                return true;
            default:
                Entry<TValue>.Copy(in newer, ref entry);
                presence = IsHit(in key, in entry) ? Presence.Present : Presence.Doubtful;
                return true;
        }
    }

    /// <summary>Looks on the disk; false when the disk timeout, counted from the start of the call, is over.</summary>
    private bool ReadDisk(EntrySession<TKey, TValue> session, in TKey key, ref Entry<TValue> entry, long start, out bool found)
    {
        while (!session.TryReadDisk(in key, ref entry, out found))
        {
            var left = _settings.DiskTimeout - Stopwatch.GetElapsedTime(start);
            if (left <= TimeSpan.Zero || !session.Wait(left)) return false;
        }

        return true;
    }

    /// <summary>Lets the read of a session end behind our back; then it returns to the pool.</summary>
    private void Abandon(EntrySession<TKey, TValue> session)
    {
        _ = FinishAsync();

        async Task FinishAsync()
        {
            await session.WaitAsync(Timeout.InfiniteTimeSpan, CancellationToken.None).ConfigureAwait(false);
            _pool.Return(session);
        }
    }

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    private bool CountRead(ref SessionCounters counters, bool found, in TKey key, in Entry<TValue> entry, bool fromDisk)
    {
        if (found && IsHit(in key, in entry))
        {
            if (fromDisk) counters.DiskHits++;
            else counters.MemoryHits++;
            return true;
        }

        CountMiss(ref counters, found, in key, in entry);
        return false;
    }

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    private bool IsHit(in TKey key, in Entry<TValue> entry) =>
        EntryHeader.IsIntact(in key, in entry) && !(EntryHeader.HasDeadline(entry.Header) && IsExpired(in entry));

    [MethodImpl(MethodImplOptions.NoInlining)]
    private static void CountMiss(ref SessionCounters counters, bool found, in TKey key, in Entry<TValue> entry)
    {
        counters.Misses++;
        if (!found || entry.Header == 0) return;
        if (EntryHeader.IsIntact(in key, in entry)) counters.Expired++;
        else counters.Corrupt++;
    }

    private static void CountTimeout(ref SessionCounters counters)
    {
        counters.Misses++;
        counters.Timeouts++;
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    private bool IsExpired(in Entry<TValue> entry) => EntryHeader.IsExpired(entry.Header, _clock.GetUtcNow());
}
