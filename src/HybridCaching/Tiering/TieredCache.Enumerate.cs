using System.Runtime.CompilerServices;
using HybridCaching.HotTier;
using HybridCaching.Records;
using HybridCaching.Store;

namespace HybridCaching.Tiering;

internal sealed partial class TieredCache<TKey, TValue>
{
    /// <summary>So many records or rows are looked at in one go, between two of which nothing is held.</summary>
    private const int ScanLength = 256;

    /// <summary>
    /// Every entry that is alive throughout, at least once. Asks the index for each record that it meets whether it still counts. An entry that was stored again meanwhile, beyond where the log ended or in a copy alone,
    /// is returned when its older record or its copy is met, and perhaps once more.
    /// </summary>
    public async IAsyncEnumerable<KeyValuePair<TKey, TValue>> EnumerateAsync([EnumeratorCancellation] CancellationToken cancellationToken)
    {
        ThrowIfDisposed();
        var batches = WalkAsync(
            (next, end) => ScanLogAsync(next, end, cancellationToken),
            (extent, end) => ScanSettledAsync(extent, end, cancellationToken),
            end => ScanHotAsync(end, cancellationToken),
            cancellationToken);
        await foreach (var batch in batches.ConfigureAwait(false))
        {
            foreach (var entry in batch) yield return entry;
            batch.Clear();
        }
    }

    /// <summary>The entries of the log between two addresses, in one list that whoever gets it empties.</summary>
    private async IAsyncEnumerable<List<KeyValuePair<TKey, TValue>>> ScanLogAsync(long next, long end, [EnumeratorCancellation] CancellationToken cancellationToken)
    {
        var batch = new List<KeyValuePair<TKey, TValue>>(ScanLength);
        next = Math.Max(next, _log.ClearedBelow);
        while (next < end)
        {
            cancellationToken.ThrowIfCancellationRequested();
            next = ScanInMemory(await _pool.RentAsync(cancellationToken).ConfigureAwait(false), next, end, batch);
            if (batch.Count == 0 && next < end) next = await ScanOnDiskAsync(next, Math.Min(end, _log.HeadAddress), end, batch, cancellationToken).ConfigureAwait(false);
            yield return batch;
        }
    }

    private async IAsyncEnumerable<List<KeyValuePair<TKey, TValue>>> ScanSettledAsync(Func<(long Begin, long Tail)> extent, long end, [EnumeratorCancellation] CancellationToken cancellationToken)
    {
        var batch = new List<KeyValuePair<TKey, TValue>>(ScanLength);
        for (long next = extent().Begin; next < extent().Tail;)
        {
            cancellationToken.ThrowIfCancellationRequested();
            next = await ScanOnDiskAsync(Math.Max(next, extent().Begin), extent().Tail, end, batch, cancellationToken).ConfigureAwait(false);
            yield return batch;
        }
    }

    private async IAsyncEnumerable<List<KeyValuePair<TKey, TValue>>> ScanHotAsync(long end, [EnumeratorCancellation] CancellationToken cancellationToken)
    {
        var batch = new List<KeyValuePair<TKey, TValue>>(ScanLength);
        for (int row = 0; row < _hot.Rows; row += ScanLength / HotRow.MaximumWays)
        {
            cancellationToken.ThrowIfCancellationRequested();
            await ScanHotRowsAsync(row, Math.Min(_hot.Rows, row + (ScanLength / HotRow.MaximumWays)), end, batch, cancellationToken).ConfigureAwait(false);
            yield return batch;
        }
    }

    /// <summary>Collects the entries of some records that are in memory, and gives the session back; returns where to go on: the first record that is not.</summary>
    private long ScanInMemory(EntrySession<TKey, TValue> session, long next, long end, List<KeyValuePair<TKey, TValue>> batch)
    {
        Unsafe.SkipInit(out Entry<TValue> entry);
        try
        {
            for (int n = 0; n < ScanLength && next < end && session.TryReadKey(next, out var key); n++)
            {
                ulong hash = _hasher.Hash(in key);
                var lookup = session.Find(in key, hash, ref entry);
                if (lookup == Lookup.OnDisk && next < _log.HeadAddress) break; // its page has left memory meanwhile: to be read from the disk
                bool isNewest = lookup == Lookup.Found ? session.FoundAddress == next || session.FoundAddress >= end : lookup == Lookup.NotFound && _hot.TryReadLocking(in key, hash, ref entry);
                if (isNewest && IsHit(in key, in entry)) batch.Add(new(key, entry.Value));
                next = NextRecord(next);
            }

            return next;
        }
        finally
        {
            _pool.Return(session);
        }
    }

    /// <summary>Collects the entries of some records that are on the disk, of the log or beyond; returns where to go on.</summary>
    private async ValueTask<long> ScanOnDiskAsync(long next, long limit, long end, List<KeyValuePair<TKey, TValue>> batch, CancellationToken cancellationToken)
    {
        var records = new List<(long Address, TKey Key, Entry<TValue> Entry)>();
        next = await ReadRecordsAsync(next, limit, records, cancellationToken).ConfigureAwait(false);
        foreach (var (address, key, entry) in records)
        {
            if (await IsNewestAsync(key, address, end, batch, cancellationToken).ConfigureAwait(false) && IsHit(in key, in entry)) batch.Add(new(key, entry.Value));
        }

        return next;
    }

    /// <summary>Reads some records that are on the disk. Whether they still count is looked up afterwards: that may take a reader, too, and nobody waits for one while he has another.</summary>
    /// <returns>Where to go on.</returns>
    private async ValueTask<long> ReadRecordsAsync(long next, long limit, List<(long Address, TKey Key, Entry<TValue> Entry)> records, CancellationToken cancellationToken)
    {
        Entry<TValue> entry = default;
        var reader = await _readers.TakeAsync(Timeout.InfiniteTimeSpan, cancellationToken).ConfigureAwait(false) ?? throw new ObjectDisposedException(_settings.Name);
        bool isPosted = false;
        try
        {
            bool isMain = _settled?.IsMain(next) == true;
            for (int n = 0; n < ScanLength && next < limit; n++)
            {
                TKey key;
                bool isRecord;
                while (!reader.TryReadAt(next, out key, ref entry, out isRecord))
                {
                    reader.Post();
                    isPosted = true;
                    await reader.WaitAsync(Timeout.InfiniteTimeSpan, cancellationToken).ConfigureAwait(false);
                    isPosted = false;
                }

                if (isRecord) records.Add((next, key, entry));
                next = isRecord || !isMain ? NextRecord(next) : EntryLog<TKey, TValue>.NextBlock(next);
            }
        }
        finally
        {
            if (isPosted) _readers.Abandon(reader);
            else _readers.Return(reader);
        }

        return next;
    }

    /// <summary>Whether a record on the disk is the newest of its key. If the newest lies behind the end of the enumeration, or in a copy alone, that one is collected.</summary>
    private async ValueTask<bool> IsNewestAsync(TKey key, long address, long end, List<KeyValuePair<TKey, TValue>> batch, CancellationToken cancellationToken)
    {
        var (lookup, found, entry) = await LocateAsync(key, cancellationToken).ConfigureAwait(false);
        if (lookup == Lookup.NotFound)
        {
            if (_hot.TryReadLocking(in key, _hasher.Hash(in key), ref entry) && IsHit(in key, in entry)) batch.Add(new(key, entry.Value));
            return false;
        }

        if (IsBeyond(found, end) && IsHit(in key, in entry)) batch.Add(new(key, entry.Value));
        return found == address;
    }

    private async ValueTask ScanHotRowsAsync(int row, int endRow, long end, List<KeyValuePair<TKey, TValue>> batch, CancellationToken cancellationToken)
    {
        for (; row < endRow; row++)
        {
            for (int way = 0; way < _hot.Ways; way++)
            {
                Entry<TValue> copy = default;
                if (!_hot.TryCopy(row, way, out var key, ref copy) || !IsAlive(copy.Header)) continue;
                var (lookup, address, _) = await LocateAsync(key, cancellationToken).ConfigureAwait(false);
                if (lookup == Lookup.NotFound || IsBeyond(address, end)) batch.Add(new(key, copy.Value));
            }
        }
    }

    /// <summary>Where in the log the newest record of a key lies, and what it holds.</summary>
    private async ValueTask<(Lookup Lookup, long Address, Entry<TValue> Entry)> LocateAsync(TKey key, CancellationToken cancellationToken)
    {
        Entry<TValue> entry = default;
        var lookup = LocateInMemory(await _pool.RentAsync(cancellationToken).ConfigureAwait(false), in key, ref entry, out var trail);
        if (lookup != Lookup.OnDisk) return (lookup, trail.Address, entry);
        var reader = await _readers.TakeAsync(Timeout.InfiniteTimeSpan, cancellationToken).ConfigureAwait(false) ?? throw new ObjectDisposedException(_settings.Name);
        bool isPosted = false;
        try
        {
            bool found;
            while (!reader.TryRead(in key, ref trail, ref entry, out found))
            {
                reader.Post();
                isPosted = true;
                await reader.WaitAsync(Timeout.InfiniteTimeSpan, cancellationToken).ConfigureAwait(false);
                isPosted = false;
            }

            return (found ? Lookup.Found : Lookup.NotFound, trail.Address, entry);
        }
        finally
        {
            if (isPosted) _readers.Abandon(reader);
            else _readers.Return(reader);
        }
    }

    /// <summary>As far as no disk is needed; gives the session back.</summary>
    private Lookup LocateInMemory(EntrySession<TKey, TValue> session, in TKey key, ref Entry<TValue> entry, out DiskTrail trail)
    {
        try
        {
            var lookup = session.Find(in key, _hasher.Hash(in key), ref entry);
            trail = lookup == Lookup.Found ? new DiskTrail(0, session.FoundAddress) : session.Trail;
            if (lookup != Lookup.OnDisk) return lookup;
            bool isRead = session.TryReadDisk(in key, ref entry, out bool found);
            trail = session.Trail;
            if (!isRead) return lookup;
            return found ? Lookup.Found : Lookup.NotFound;
        }
        finally
        {
            _pool.Return(session);
        }
    }

    private long NextRecord(long address) => EntryLog<TKey, TValue>.NextRecord(address, _log.PageBytesAt(address));
}
