using System.Buffers;
using System.Diagnostics;
using System.Runtime.CompilerServices;
using HybridCaching.Configuration;
using HybridCaching.Records;
using HybridCaching.Store;

namespace HybridCaching.Tiering;

internal sealed partial class TieredCache<TKey, TValue>
{
    /// <summary>Keys that are hashed and fetched ahead together, and looked up or stored within one stay in the epoch.</summary>
    private const int BatchKeys = 32;

    /// <summary>Looks many keys up, as <see cref="TryGet"/> does one. Reads of the disk overlap; the disk timeout counts for each batch.</summary>
    /// <returns>How many were found.</returns>
    public int GetMany(ReadOnlySpan<TKey> keys, Span<TValue> values, Span<bool> found)
    {
        if (keys.IsEmpty) ThrowIfDisposed();
        int hits = 0;
        for (int first = 0; first < keys.Length; first += BatchKeys)
        {
            hits += GetBatch(session: null, keys[first..], values[first..], found[first..], out var waiting);
            if (waiting is null) continue;
            hits += ReadBlocks(waiting, values[first..], found[first..]);
        }

        return hits;
    }

    /// <summary>As <see cref="GetMany"/>, but no thread waits; completes at once when the disk is not needed.</summary>
    public ValueTask<int> GetManyAsync(ReadOnlyMemory<TKey> keys, Memory<TValue> values, Memory<bool> found, CancellationToken cancellationToken)
    {
        if (cancellationToken.IsCancellationRequested) return ValueTask.FromCanceled<int>(cancellationToken);
        if (keys.IsEmpty) ThrowIfDisposed();
        return GetManyAsync(session: null, keys, values, found, first: 0, hits: 0, cancellationToken);
    }

    /// <summary>Stores many values, as <see cref="Set"/> does one.</summary>
    public void SetMany(ReadOnlySpan<TKey> keys, ReadOnlySpan<TValue> values, TimeSpan? timeToLive)
    {
        if (keys.IsEmpty) ThrowIfDisposed();
        ulong deadline = Deadline(timeToLive);
        Span<ulong> hashes = stackalloc ulong[BatchKeys];
        for (int first = 0; first < keys.Length; first += BatchKeys)
        {
            int count = Math.Min(BatchKeys, keys.Length - first);
            SetBatch(keys.Slice(first, count), values[first..], hashes, deadline);
        }
    }

    /// <summary>Goes on with a batch, for which there may be a session already.</summary>
    private ValueTask<int> GetManyAsync(
        EntrySession<TKey, TValue>? session, ReadOnlyMemory<TKey> keys, Memory<TValue> values, Memory<bool> found, int first, int hits, CancellationToken cancellationToken)
    {
        for (; first < keys.Length; first += BatchKeys, session = null)
        {
            if ((session ??= _pool.TryRent()) is null) return RentAndGetManyAsync(keys, values, found, first, hits, cancellationToken);
            hits += GetBatch(session, keys.Span[first..], values.Span[first..], found.Span[first..], out var waiting);
            if (waiting is not null) return FinishManyAsync(keys, values, found, first, hits, waiting, cancellationToken);
        }

        return new ValueTask<int>(hits);
    }

    private async ValueTask<int> RentAndGetManyAsync(ReadOnlyMemory<TKey> keys, Memory<TValue> values, Memory<bool> found, int first, int hits, CancellationToken cancellationToken) =>
        await GetManyAsync(await _pool.RentAsync(cancellationToken).ConfigureAwait(false), keys, values, found, first, hits, cancellationToken).ConfigureAwait(false);

    private async ValueTask<int> FinishManyAsync(
        ReadOnlyMemory<TKey> keys, Memory<TValue> values, Memory<bool> found, int first, int hits, ColdRead[] waiting, CancellationToken cancellationToken)
    {
        using (var valuesPin = values[first..].Pin())
        using (var foundPin = found[first..].Pin())
            hits += await BlocksInto(waiting, in valuesPin, in foundPin, cancellationToken).RunAsync(isAsync: true).ConfigureAwait(false);
        return await GetManyAsync(session: null, keys, values, found, first + BatchKeys, hits, cancellationToken).ConfigureAwait(false);
    }

    private unsafe BlocksAtOnce BlocksInto(ColdRead[] waiting, in MemoryHandle values, in MemoryHandle found, CancellationToken cancellationToken) =>
        new(this, waiting, (TValue*)values.Pointer, (bool*)found.Pointer, cancellationToken);

    private unsafe int ReadBlocks(ColdRead[] waiting, Span<TValue> values, Span<bool> found)
    {
        fixed (TValue* firstValue = values)
        fixed (bool* firstFound = found)
        {
            var reading = new BlocksAtOnce(this, waiting, firstValue, firstFound, CancellationToken.None).RunAsync(isAsync: false);
            Debug.Assert(reading.IsCompleted, "nothing was awaited");
            return reading.GetAwaiter().GetResult();
        }
    }

    /// <summary>Looks a batch up as far as no disk is needed; what needs it is left in <paramref name="waiting"/>.</summary>
    /// <param name="session">Goes back to the pool. Null to have one rented if it is needed, for which the thread may wait.</param>
    /// <param name="keys">The first of them are the batch.</param>
    /// <param name="values">Where their values go.</param>
    /// <param name="found">Whether there are any.</param>
    /// <param name="waiting">What needs the disk.</param>
    private int GetBatch(EntrySession<TKey, TValue>? session, ReadOnlySpan<TKey> keys, Span<TValue> values, Span<bool> found, out ColdRead[]? waiting)
    {
        try
        {
            keys = keys[..Math.Min(BatchKeys, keys.Length)];
            Span<int> misses = stackalloc int[BatchKeys];
            Span<ulong> hashes = stackalloc ulong[BatchKeys];
            Span<ulong> seen = stackalloc ulong[BatchKeys];
            int hits = GetFromHotTier(keys, hashes, seen, values, found, misses, out int missed);
            waiting = null;
            return missed == 0 ? hits : hits + GetFromLog(session ??= _pool.Rent(), misses[..missed], keys, hashes, seen, values, found, out waiting);
        }
        finally
        {
            if (session is not null) _pool.Return(session);
        }
    }

    /// <summary>Looks a batch up in the hot tier.</summary>
    /// <returns>How many it has; the places of the others are left in <paramref name="misses"/>.</returns>
    private int GetFromHotTier(ReadOnlySpan<TKey> keys, Span<ulong> hashes, Span<ulong> seen, Span<TValue> values, Span<bool> found, Span<int> misses, out int missed)
    {
        for (int i = 0; i < keys.Length; i++)
        {
            hashes[i] = _hasher.Hash(in keys[i]);
            _hot.Prefetch(hashes[i]);
        }

        int hits = 0;
        missed = 0;
        for (int i = 0; i < keys.Length; i++)
        {
            if (!_hot.TryRead(in keys[i], hashes[i], ref values[i], out ulong header, out seen[i]))
            {
                _log.Prefetch(hashes[i]);
                misses[missed++] = i;
                continue;
            }

            found[i] = CountHotRead(header);
            if (found[i]) hits++;
            else values[i] = default;
        }

        return hits;
    }

    private int GetFromLog(
        EntrySession<TKey, TValue> session, ReadOnlySpan<int> indexes, ReadOnlySpan<TKey> keys, ReadOnlySpan<ulong> hashes, ReadOnlySpan<ulong> seen, Span<TValue> values, Span<bool> found, out ColdRead[]? waiting)
    {
        Unsafe.SkipInit(out Entry<TValue> entry);
        Span<DiskTrail> trails = stackalloc DiskTrail[BatchKeys];
        Span<int> cold = stackalloc int[BatchKeys];
        Span<int> unsure = stackalloc int[BatchKeys];
        int colds = 0;
        int unsures = 0;
        int hits = 0;
        var now = TimeOfJudgement; // after what may wait, and before the epoch: it is the user's code
        session.Hold();
        try
        {
            foreach (int i in indexes)
            {
                if (!TryFind(session, in keys[i], hashes[i], seen[i], ref entry, out var lookup))
                {
                    unsure[unsures++] = i;
                }
                else if (lookup == Lookup.OnDisk)
                {
                    trails[colds] = session.Trail;
                    cold[colds++] = i;
                }
                else if (found[i] = TakeFromMemory(session, lookup, in keys[i], hashes[i], seen[i], in entry, now, out values[i]))
                {
                    hits++;
                }
            }
        }
        finally
        {
            session.Release();
        }

        foreach (int i in unsure[..unsures])
        {
            var lookup = FindAgain(session, in keys[i], hashes[i], ref entry);
            if (lookup == Lookup.OnDisk)
            {
                trails[colds] = session.Trail;
                cold[colds++] = i;
            }
            else if (found[i] = TakeFromMemory(session, lookup, in keys[i], hashes[i], seen[i], in entry, now, out values[i]))
            {
                hits++;
            }
        }

        // In the order of the log: records of one block are read together.
        waiting = null;
        trails[..colds].Sort(cold[..colds], DiskTrail.ByAddress);
        int left = 0;
        for (int n = 0; n < colds; n++)
        {
            int i = cold[n];
            session.Trail = trails[n];
            if (!session.TryReadDisk(in keys[i], ref entry, out bool isThere))
            {
                waiting ??= new ColdRead[colds - n];
                waiting[left++] = new ColdRead { Key = keys[i], Hash = hashes[i], Seen = seen[i], Trail = session.Trail, Index = i };
                (found[i], values[i]) = (false, default);
                continue;
            }

            found[i] = CountRead(ref session.Counters, isThere, in keys[i], in entry, in session.Trail);
            values[i] = found[i] ? entry.Value : default;
            if (!found[i]) continue;
            hits++;
            _hot.TryFill(in keys[i], hashes[i], in entry, seen[i]);
        }

        if (waiting is not null) Array.Resize(ref waiting, left);
        return hits;
    }

    /// <summary>Judges and counts what memory has answered, within a batch.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    private bool TakeFromMemory(EntrySession<TKey, TValue> session, Lookup lookup, in TKey key, ulong hash, ulong seen, in Entry<TValue> entry, DateTimeOffset now, out TValue value)
    {
        bool isHit = lookup == Lookup.Found && EntryHeader.IsIntact(in key, in entry) && !EntryHeader.IsExpired(entry.Header, now);
        CountJudged(ref session.Counters, isHit, lookup == Lookup.Found, in key, in entry);
        value = isHit ? entry.Value : default;
        if (!isHit) return false;
        CountMemoryHit(hash);
        if (IsCopyDue(session, hash)) _hot.TryFill(in key, hash, in entry, seen);
        return true;
    }

    private void SetBatch(ReadOnlySpan<TKey> keys, ReadOnlySpan<TValue> values, Span<ulong> hashes, ulong deadline)
    {
        for (int i = 0; i < keys.Length; i++)
        {
            hashes[i] = _hasher.Hash(in keys[i]);
            _hot.Prefetch(hashes[i]);
            _log.Prefetch(hashes[i]);
        }

        Unsafe.SkipInit(out Entry<TValue> entry);
        var session = _pool.Rent();
        int done = 0;
        session.Hold();
        try
        {
            // In the epoch nothing is waited for: what would have to be is left to Set.
            while (done < keys.Length && HasRoomNow(session, _recordBytes) && _hot.TryLock(hashes[done]))
            {
                entry.Value = values[done];
                EntryHeader.Seal(in keys[done], ref entry, deadline);
                try
                {
                    _changing(in keys[done]);
                    Store(session, in keys[done], hashes[done], ref entry, room: true);
                }
                finally
                {
                    _hot.UnlockWritten(hashes[done]);
                }

                done++;
            }
        }
        finally
        {
            session.Release();
            _pool.Return(session);
        }

        // Room is known, so nothing was dropped here; what is left goes the usual way.
        for (; done < keys.Length; done++) SetUntil(deadline, in keys[done], in values[done]);
    }

    /// <summary>Reads of a batch, in the order of the log: keys of one block share a reader. Values go to where the caller wants them, which is pinned meanwhile.</summary>
    private sealed class BlocksAtOnce : ReadsAtOnce<EntryReader<TKey, TValue>>
    {
        private readonly TieredCache<TKey, TValue> _tiers;
        private readonly ColdRead[] _reads;
        private readonly unsafe TValue* _values;
        private readonly unsafe bool* _found;

        /// <summary>Where the reads of each block go on, and where they end.</summary>
        private readonly List<(int Next, int End)> _blocks = [];
        private Entry<TValue> _entry;
        private int _hits;

        public unsafe BlocksAtOnce(TieredCache<TKey, TValue> tiers, ColdRead[] reads, TValue* values, bool* found, CancellationToken cancellationToken)
            : base(tiers._readers, tiers.Device, tiers.TimeLeft, cancellationToken)
        {
            _tiers = tiers;
            _reads = reads;
            _values = values;
            _found = found;
        }

        /// <returns>How many were found.</returns>
        public async ValueTask<int> RunAsync(bool isAsync)
        {
            for (int next = 0; next < _reads.Length; next = _blocks[^1].End) _blocks.Add((next, EndOfBlock(next)));
            await RunAsync(_blocks.Count, isAsync).ConfigureAwait(false);
            return _hits;
        }

        protected override unsafe bool TryGoOn(EntryReader<TKey, TValue> reader, int item)
        {
            for (var (next, end) = _blocks[item]; next < end; _blocks[item] = (++next, end))
            {
                ref var read = ref _reads[next];
                if (!reader.TryRead(in read.Key, ref read.Trail, ref _entry, out bool isThere)) return false;
                if (!_tiers.CountRead(ref reader.Counters, isThere, in read.Key, in _entry, in read.Trail)) continue;
                _hits++;
                _found[read.Index] = true;
                _values[read.Index] = _entry.Value;
                _tiers._hot.TryFill(in read.Key, read.Hash, in _entry, read.Seen);
            }

            return true;
        }

        protected override void OnTimeout(int item) => Interlocked.Add(ref _tiers._readTimeouts, _blocks[item].End - _blocks[item].Next);

        private int EndOfBlock(int first)
        {
            int end = first + 1;
            while (end < _reads.Length && _reads[end].Trail.Address / MemoryPlan.BlockBytes == _reads[first].Trail.Address / MemoryPlan.BlockBytes) end++;
            return end;
        }
    }

    /// <summary>A key of a batch that has to be read from the disk.</summary>
    private struct ColdRead
    {
        public TKey Key;
        public ulong Hash;
        public ulong Seen;
        public DiskTrail Trail;
        public int Index;
    }
}
