using System.Runtime.CompilerServices;
using HybridCaching.Records;
using HybridCaching.Store;

namespace HybridCaching.Tiering;

internal sealed partial class TieredBytes
{
    /// <summary>So many records in memory are looked at in one go, between two of which nothing is held.</summary>
    private const int ScanLength = 1024;

    /// <summary>
    /// The keys of all entries that are alive throughout and that a pattern describes, each at least once. Asks the index for each record that matches whether it still counts.
    /// An entry that was stored again meanwhile, beyond where the log ended, is returned when its older record is met, and perhaps once more.
    /// </summary>
    /// <param name="pattern">Which keys.</param>
    /// <param name="isRemoval">Whether nothing that matches may be found later: what cannot be read now is lost, what is just being read is not kept.</param>
    /// <param name="cancellationToken">Ends the scan.</param>
    /// <remarks>Reads of the disk wait no longer than the disk timeout each; what could not be read is left out.</remarks>
    public async IAsyncEnumerable<string> ScanAsync(KeyPattern pattern, bool isRemoval, [EnumeratorCancellation] CancellationToken cancellationToken)
    {
        cancellationToken.ThrowIfCancellationRequested();
        ThrowIfDisposed();
        var keys = WalkAsync(
            (next, end) => ScanLogAsync(pattern, next, end, isRemoval, cancellationToken),
            (extent, end) => ScanOnDiskAsync(pattern, extent, end, isRemoval, cancellationToken),
            end => ScanHotAsync(pattern, end, isRemoval, cancellationToken),
            cancellationToken);
        await foreach (string key in keys.ConfigureAwait(false)) yield return key;

        // Last: if they are removed, what they invalidate has to be gone before.
        foreach (string key in _pinned.Keys)
        {
            if (pattern.Matches(key)) yield return key;
        }
    }

    private async IAsyncEnumerable<string> ScanLogAsync(KeyPattern pattern, long next, long end, bool isRemoval, [EnumeratorCancellation] CancellationToken cancellationToken)
    {
        var batch = new List<(string Key, long Address)>();
        if (next < end) _rows.WaitForWriters(); // whoever appends has its row locked: everything before the end is complete
        next = Math.Max(next, _log.ClearedBelow);
        while (next < end)
        {
            cancellationToken.ThrowIfCancellationRequested();
            next = ScanInMemory(await _pool.RentAsync(cancellationToken).ConfigureAwait(false), next, end, pattern, batch);
            if (batch.Count == 0 && next < end && _log.HeadAddress is var head && next < head)
            {
                (next, bool isReadable, long unreadable) = await ScanOnDiskAsync(next, Math.Min(end, head), pattern, batch, cancellationToken).ConfigureAwait(false);
                if (!isReadable && isRemoval) await LoseAsync(unreadable, next, cancellationToken).ConfigureAwait(false);
            }

            foreach (var (key, address) in batch)
            {
                if (pattern.Matches(key) && await CountsAsync(key, address, end, isRemoval, cancellationToken).ConfigureAwait(false)) yield return key;
            }

            batch.Clear();
        }
    }

    private async IAsyncEnumerable<string> ScanOnDiskAsync(KeyPattern pattern, Func<(long Begin, long Tail)> extent, long end, bool isRemoval, [EnumeratorCancellation] CancellationToken cancellationToken)
    {
        var batch = new List<(string Key, long Address)>();
        for (long next = extent().Begin; next < extent().Tail;)
        {
            cancellationToken.ThrowIfCancellationRequested();
            (next, bool isReadable, long unreadable) = await ScanOnDiskAsync(Math.Max(next, extent().Begin), extent().Tail, pattern, batch, cancellationToken).ConfigureAwait(false);
            if (!isReadable && isRemoval) await LoseAsync(unreadable, next, cancellationToken).ConfigureAwait(false);
            foreach (var (key, address) in batch)
            {
                if (pattern.Matches(key) && await CountsAsync(key, address, end, isRemoval, cancellationToken).ConfigureAwait(false)) yield return key;
            }

            batch.Clear();
        }
    }

    /// <summary>What the hot tier has and the log had dropped, or does not have any more.</summary>
    private async IAsyncEnumerable<string> ScanHotAsync(KeyPattern pattern, long end, bool isRemoval, [EnumeratorCancellation] CancellationToken cancellationToken)
    {
        if (!isRemoval && _log.BeginAddress <= BytesLog.FirstAddress && _hot.UnloggedCopies == 0) yield break; // the log has everything
        var batch = new List<string>();
        for (int row = 0; row < _hot.Rows; row++)
        {
            if (isRemoval) _rows.CancelFills(row); // of values whose record was dropped between being read and the scan's coming to it
            CollectHot(row, pattern, batch);
            if (batch.Count == 0) continue;
            cancellationToken.ThrowIfCancellationRequested();
            foreach (string key in batch)
            {
                if (isRemoval || await IsBeyondAsync(key, end, cancellationToken).ConfigureAwait(false)) yield return key;
            }

            batch.Clear();
        }
    }

    /// <summary>Removes all keys that begin alike. Those stored while this runs may stay.</summary>
    /// <returns>How many there were.</returns>
    public async ValueTask<long> RemoveByPrefixAsync(string prefix, CancellationToken cancellationToken)
    {
        long removed = 0;
        await foreach (string key in ScanAsync(KeyPattern.StartingWith(prefix), isRemoval: true, cancellationToken).ConfigureAwait(false))
        {
            var read = await ReadAsync(key, new BytesRead(ValueBuffer.None, isQuiet: true), cancellationToken).ConfigureAwait(false);
            Remove(key);
            if (read.IsHit) removed++;
        }

        return removed;
    }

    /// <summary>Collects keys from records that are in memory, and gives the session back; returns where to go on.</summary>
    private long ScanInMemory(BytesSession session, long next, long end, KeyPattern pattern, List<(string Key, long Address)> batch)
    {
        try
        {
            var collector = new KeyCollector(pattern, batch);
            return session.Visit(next, end, ScanLength, ref collector);
        }
        finally
        {
            _pool.Return(session);
        }
    }

    /// <summary>Collects keys from some records that are on the disk.</summary>
    /// <returns>Where to go on; and whether all was readable, or from where on not.</returns>
    private async ValueTask<(long Next, bool IsReadable, long Unreadable)> ScanOnDiskAsync(long next, long end, KeyPattern pattern, List<(string Key, long Address)> batch, CancellationToken cancellationToken)
    {
        if (next >= end) return (next, true, next); // what there was left meanwhile
        long start = next;
        using var wait = new DiskWait(this, isAsync: true, cancellationToken);
        var collector = new KeyCollector(pattern, batch);
        bool isReadable = true;
        bool isInTime = await wait.TakeReaderAsync().ConfigureAwait(false);
        while (isInTime && !wait.Reader!.TryVisit(ref next, end, ref collector, out isReadable)) isInTime = wait.HasEnded(await wait.PostAsync().ConfigureAwait(false));
        if (!isInTime) ThrowIfDisposed(); // then there are no readers any more
        if (next == start) next = _log.EndOfPage(start); // not in time, or dropped this moment
        next = Math.Min(next, end); // a page may be in memory from somewhere on
        return (next, isReadable && isInTime, start);
    }

    /// <summary>What a removal could not read is lost. With a session, as whatever changes something: no checkpoint is taken meanwhile, and one that was taken before does not count any more, with what it says of these blocks.</summary>
    /// <exception cref="ObjectDisposedException">The cache is closing: nothing of what it leaves may change.</exception>
    private async ValueTask LoseAsync(long address, long end, CancellationToken cancellationToken)
    {
        var session = await _pool.RentAsync(cancellationToken).ConfigureAwait(false);
        try
        {
            Device?.Lose(address, end);
        }
        finally
        {
            _pool.Return(session);
        }
    }

    /// <summary>Whether a record is the newest of its key, or the newest was stored since the scan began, or is in a copy alone; or, where that is enough, whether there is any.</summary>
    private async ValueTask<bool> CountsAsync(string key, long address, long end, bool isAnyEnough, CancellationToken cancellationToken)
    {
        var (lookup, newest) = await LocateAsync(key, cancellationToken).ConfigureAwait(false);
        if (lookup == Lookup.NotFound) return _hot.UnloggedCopies > 0 && (await ReadAsync(key, new BytesRead(ValueBuffer.None, isQuiet: true), cancellationToken).ConfigureAwait(false)).IsHit;
        if (isAnyEnough || newest.Address == address) return true;
        if (lookup == Lookup.OnDisk) (lookup, newest) = await LocateOnDiskAsync(key, newest, cancellationToken).ConfigureAwait(false);
        return lookup == Lookup.Found && (newest.Address == address || IsBeyond(newest.Address, end));
    }

    /// <summary>Whether the log has nothing for a key before the end of the scan.</summary>
    private async ValueTask<bool> IsBeyondAsync(string key, long end, CancellationToken cancellationToken)
    {
        var (lookup, newest) = await LocateAsync(key, cancellationToken).ConfigureAwait(false);
        if (lookup == Lookup.OnDisk) (lookup, newest) = await LocateOnDiskAsync(key, newest, cancellationToken).ConfigureAwait(false);
        return lookup != Lookup.Found || IsBeyond(newest.Address, end);
    }

    private async ValueTask<(Lookup Lookup, DiskTrail Trail)> LocateAsync(string key, CancellationToken cancellationToken)
    {
        var session = await _pool.RentAsync(cancellationToken).ConfigureAwait(false);
        try
        {
            return Locate(session, key);
        }
        finally
        {
            _pool.Return(session);
        }
    }

    /// <summary>Looks on the disk for the record of a key.</summary>
    private async ValueTask<(Lookup Lookup, DiskTrail Trail)> LocateOnDiskAsync(string key, DiskTrail trail, CancellationToken cancellationToken)
    {
        byte[] encoded = KeyText.Encode(key);
        var read = new BytesRead(ValueBuffer.None, isQuiet: true) { State = BytesReadState.AtDisk, Trail = trail };
        using var wait = new DiskWait(this, isAsync: true, cancellationToken);
        var it = new KeyRead(encoded, _hasher.Hash(encoded), read);
        await FindAsync(it, wait).ConfigureAwait(false);
        return (it.Read.State == BytesReadState.Found ? Lookup.Found : Lookup.NotFound, it.Read.Trail);
    }

    private (Lookup Lookup, DiskTrail Trail) Locate(BytesSession session, string key)
    {
        using var encoded = new KeyBuffer(key, stackalloc byte[KeyBuffer.StackBytes]);
        return (session.Locate(encoded.Bytes, HashOf(key, encoded.Bytes), out var trail), trail);
    }

    /// <summary>Collects the keys of copies in a row.</summary>
    private void CollectHot(int row, KeyPattern pattern, List<string> batch)
    {
        for (int way = 0; way < _hot.Ways; way++)
        {
            if (_hot.TryCopyKey(row, way, out byte[]? key) && pattern.Matches(key)) batch.Add(KeyText.Decode(key));
        }
    }
}
