using System.Collections.Immutable;
using System.Numerics;
using System.Runtime.CompilerServices;
using System.Runtime.InteropServices;
using System.Runtime.Intrinsics.X86;
using HybridCaching.Configuration;
using HybridCaching.Devices;

namespace HybridCaching.Store;

/// <summary>Where the records lie that FASTER's log has let go: a word per record in tables of fixed size, outside the GC heap.</summary>
/// <remarks>
/// <code>
///  63     62 61      39  38    37                       0
/// ┌─────────┬──────────┬──────┬──────────────────────────┐
/// │ hits    │ tag      │ main │ address / 8, wraps round │      0 is an empty place
/// └─────────┴──────────┴──────┴──────────────────────────┘
/// </code>
/// <para>
/// A word may lie in any of eight places in each of two buckets, whichever is emptier when it is put there (two choices, Azar et al. 1994; buckets of eight take four words for every five places
/// that way before the first is turned away). If all sixteen are taken, the one of the oldest record that was not read gives way: the table forgets first what the disk drops first.
/// </para>
/// <para>
/// Tags are no keys: who reads a record compares its key, and who removes a key removes every word with its tag. About one removal in 650,000 takes another key's record along, which then is a miss.
/// </para>
/// <para>
/// There is one table, until the budgets of the cache grow: then another is added, whose buckets a word may lie in as well. If they shrink, two neighbouring buckets become one, in each table.
/// </para>
/// <para>
/// Every word is changed by a compare-and-swap. Words of a key are put in, moved and removed under the lock of the key's row, and counted up by anybody. A word that leads out of what is in use is as
/// good as an empty place. See docs/concurrency.md.
/// </para>
/// </remarks>
internal sealed unsafe partial class SettledIndex
{
    /// <summary>Places in a bucket: one cache line.</summary>
    public const int BucketWords = 8;

    /// <summary>How many places of a table a key's word may be in.</summary>
    private const int PlacesOfTable = 2 * BucketWords;

    /// <summary>Addresses are multiples of this, like those of all records.</summary>
    public const int AddressUnit = 8;

    /// <summary>The most that <see cref="HitsOf"/> counts to.</summary>
    public const int MostHits = 3;

    private const int MainShift = 38;
    private const int TagShift = MainShift + 1;
    private const int TagBits = 23;
    private const int HitsShift = TagShift + TagBits;
    private const ulong MainBit = 1UL << MainShift;
    private const ulong AddressMask = MainBit - 1;
    private const ulong TagMask = ((1UL << TagBits) - 1) << TagShift;
    private const ulong OneHit = 1UL << HitsShift;
    private const int HashTagBits = 14;

    private const ulong MarkFactor = 0x9E37_79B9_7F4A_7C15;

    private readonly SettledTable _first;

    /// <summary>All, the first one included. One may be added, none is ever taken away.</summary>
    private volatile SettledTable[] _tables;
    private Counts _counts;
    private long _dropped;
    private long _sweptAt;

    /// <summary>Whether there was ever a word. Who asks with every write should not read the extents, which change with every page.</summary>
    private volatile bool _isUsed;

    private readonly LiveState _state;

    /// <param name="tables">The sizes of its tables.</param>
    /// <param name="firstOfMain">From here on addresses are those of the main log.</param>
    /// <param name="state">Where it is; null for memory of its own.</param>
    public SettledIndex(ImmutableArray<TableSize> tables, long firstOfMain, LiveState? state = null)
    {
        FirstOfMain = firstOfMain;
        long bytes = tables.Sum(static t => t.Bytes);
        _state = state?.TableBytes == bytes ? state : LiveState.Create(MemoryPlan.BlockBytes, segments: 0, bytes);
        long offset = 0;
        _tables = [.. tables.Select(t => new SettledTable(t, _state, (offset += t.Bytes) - t.Bytes))];
        _first = _tables[0];
        if (Main.Tail == 0) Main = new Extent(firstOfMain, firstOfMain);
        else Recount();
    }

    /// <summary>What of FASTER's log, and of the segments it has let go, is on the disk and led to.</summary>
    public ref Extent Probation => ref ((Extent*)_state.Extents)[0];

    /// <summary>The main log.</summary>
    public ref Extent Main => ref ((Extent*)_state.Extents)[1];

    /// <summary>The sizes of its tables.</summary>
    public ImmutableArray<TableSize> Tables => [.. _tables.Select(static t => t.Size)];

    /// <summary>From here on addresses are those of the main log.</summary>
    public long FirstOfMain { get; }

    /// <summary>Whether something was dropped since the last sweep.</summary>
    public bool IsSweepDue => Dropped != _sweptAt;

    /// <summary>Goes up whenever something was dropped.</summary>
    public long Dropped => Interlocked.Read(ref _dropped);

    /// <summary>Whether an address leads to what was not dropped.</summary>
    public bool IsInUse(long address) => address >= FirstOfMain ? Main.Holds(address) : Probation.Holds(address);

    /// <summary>Drops what lies before an address. The begin moves up, never down, whoever else moves it.</summary>
    public void Drop(ref Extent extent, long before)
    {
        Interlocked.Increment(ref _dropped); // before and after: a look-up that meets either knows
        extent.Drop(before);
        Interlocked.Increment(ref _dropped);
    }

    /// <summary>Drops all. The caller holds the locks of all rows.</summary>
    public void Clear()
    {
        Drop(ref Probation, Probation.Tail);
        Drop(ref Main, Main.Tail);
        Interlocked.Exchange(ref _counts.DeadWords, Interlocked.Read(ref _counts.Words));
    }

    /// <summary>Whether there surely is no record.</summary>
    public bool IsEmpty => Main.IsEmpty && Probation.IsEmpty;

    /// <summary>About how many records there are; those that were lost are counted until <see cref="Sweep"/> has come by.</summary>
    public long Count => IsEmpty ? 0 : Math.Max(0, Interlocked.Read(ref _counts.Words) - Interlocked.Read(ref _counts.DeadWords));

    /// <summary>The share of places that are taken.</summary>
    public double Occupancy => Count * sizeof(ulong) / (double)Bytes;

    /// <summary>How many records had to give up their place to others.</summary>
    public long TurnedOut => Interlocked.Read(ref _counts.TurnedOut);

    public long Bytes => _tables.Sum(static t => t.Size.Bytes);

    /// <summary>Asks the processor to fetch the buckets of a key.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public void Prefetch(ulong hash)
    {
        if (!Sse.IsSupported || !_isUsed) return;
        Sse.Prefetch0(_first.FirstBucket(hash));
        Sse.Prefetch0(_first.SecondBucket(hash));
    }

    /// <summary>The next record that may be of the key with a hash. Takes no lock.</summary>
    /// <param name="hash">The hash.</param>
    /// <param name="place">Where to go on; 0 at first.</param>
    /// <param name="address">Where the record lies.</param>
    /// <returns>False if there is none.</returns>
    public bool TryNext(ulong hash, ref int place, out long address)
    {
        ulong tag = TagOf(hash);
        int places = Places;
        while (place < places)
        {
            ulong* bucket = BucketOf(hash, place);
            int at = place & (BucketWords - 1);
            uint rest = Matching(bucket, TagMask, tag) >> at;
            if (rest == 0)
            {
                place += BucketWords - at;
                continue;
            }

            int skipped = BitOperations.TrailingZeroCount(rest);
            place += skipped + 1;
            ulong word = Volatile.Read(ref bucket[at + skipped]);
            if ((word & TagMask) != tag || !IsLive(word)) continue;
            address = AddressOf(word);
            return true;
        }

        address = 0;
        return false;
    }

    /// <summary>Says where the words with a key's tag lead: another number means that one of them was put in, removed or moved.</summary>
    public ulong MarkOf(ulong hash)
    {
        ulong mark = 0;
        for (int place = 0; TryNext(hash, ref place, out long address);) mark = (mark * MarkFactor) + (ulong)address;
        return mark;
    }

    /// <summary>Removes a key's words. The caller holds the lock of its row.</summary>
    /// <returns>Whether there may have been a record.</returns>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public bool Remove(ulong hash) => _isUsed && RemoveAll(hash);

    /// <summary>Counts a hit on the record at an address.</summary>
    /// <returns>False if the index does not lead there.</returns>
    public bool CountHit(ulong hash, long address)
    {
        ulong* place = Find(hash, address);
        if (place == null) return false;
        ulong word = Volatile.Read(ref *place);
        if (IsOf(word, hash, address) && HitsOf(word) < MostHits) Interlocked.CompareExchange(ref *place, word + OneHit, word); // lost if somebody else changes it now
        return true;
    }

    /// <summary>Counts a hit on every record that may be a key's.</summary>
    /// <returns>False if there is none.</returns>
    public bool CountHit(ulong hash)
    {
        bool isThere = false;
        for (int place = 0; TryNext(hash, ref place, out long address); isThere = true) CountHit(hash, address);
        return isThere;
    }

    /// <summary>Looks whether the index still leads to a record.</summary>
    /// <returns>False if it does not: the record is dead.</returns>
    public bool TryHitsOf(ulong hash, long address, out int hits)
    {
        ulong* place = Find(hash, address);
        hits = place == null ? 0 : HitsOf(Volatile.Read(ref *place));
        return place != null;
    }

    /// <summary>Puts a record in. The caller holds the lock of the key's row. One caller at a time.</summary>
    public void Insert(ulong hash, long address, int hits)
    {
        ulong word = WordOf(hash, address, hits);
        if (!_isUsed) _isUsed = true;
        while (true)
        {
            ulong* place = PlaceFor(hash);
            ulong old = Volatile.Read(ref *place);
            if (Interlocked.CompareExchange(ref *place, word, old) != old) continue;
            if (old == 0) Interlocked.Increment(ref _counts.Words);
            else if (IsLive(old)) Interlocked.Increment(ref _counts.TurnedOut);
            else CountDead(old);
            return;
        }
    }

    /// <summary>Lets the word of a record lead to where it was copied. The caller holds the lock of the key's row.</summary>
    /// <returns>False if the index did not lead to the record any more.</returns>
    public bool TryMove(ulong hash, long from, long to, int hits)
    {
        for (ulong* place = Find(hash, from); place != null; place = Find(hash, from))
        {
            ulong word = Volatile.Read(ref *place);
            if (IsOf(word, hash, from) && Interlocked.CompareExchange(ref *place, WordOf(hash, to, hits), word) == word) return true;
        }

        return false;
    }

    /// <summary>Removes the word of one record.</summary>
    /// <returns>False if there was none.</returns>
    public bool TryRemove(ulong hash, long address)
    {
        for (ulong* place = Find(hash, address); place != null; place = Find(hash, address))
        {
            ulong word = Volatile.Read(ref *place);
            if (!IsOf(word, hash, address) || Interlocked.CompareExchange(ref *place, 0, word) != word) continue;
            Interlocked.Decrement(ref _counts.Words);
            CountDead(word);
            return true;
        }

        return false;
    }

    /// <summary>Empties places that lead nowhere, so that they do not count, and addresses may come round again.</summary>
    public void Sweep()
    {
        _sweptAt = Dropped;
        foreach (var table in _tables)
        {
            long words = table.Words;
            for (long i = 0; i < words; i += BucketWords)
            {
                ulong* bucket = table.Start + i;
                for (uint dead = Dead(bucket, in Probation, in Main); dead != 0; dead &= dead - 1)
                {
                    ref ulong place = ref bucket[BitOperations.TrailingZeroCount(dead)];
                    ulong word = Volatile.Read(ref place);
                    if (word == 0 || IsLive(word) || Interlocked.CompareExchange(ref place, 0, word) != word) continue;
                    Interlocked.Decrement(ref _counts.Words);
                    CountDead(word);
                }
            }
        }

        GC.KeepAlive(this);
    }

    private static int HitsOf(ulong word) => (int)(word >> HitsShift);

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    private static ulong TagOf(ulong hash) => (BitOperations.RotateLeft(hash, HashTagBits) << TagShift) & TagMask;

    private ulong WordOf(ulong hash, long address, int hits) =>
        ((ulong)hits << HitsShift) | TagOf(hash) | (address >= FirstOfMain ? MainBit : 0) | (((ulong)address / AddressUnit) & AddressMask);

    /// <summary>The address that a word stands for: the first from the begin of its extent on.</summary>
    private long AddressOf(ulong word)
    {
        long begin = ExtentOf(word).Begin / AddressUnit;
        return (begin + (long)((word - (ulong)begin) & AddressMask)) * AddressUnit;
    }

    private bool IsLive(ulong word) => word != 0 && AddressOf(word) < ExtentOf(word).Tail;

    private ref readonly Extent ExtentOf(ulong word) => ref ((Extent*)_state.Extents)[(word >> MainShift) & 1];

    private bool IsOf(ulong word, ulong hash, long address) => (word & ~(OneHit * MostHits)) == WordOf(hash, address, 0);

    [MethodImpl(MethodImplOptions.NoInlining)]
    private bool RemoveAll(ulong hash)
    {
        ulong tag = TagOf(hash);
        bool removed = false;
        foreach (var table in _tables) removed |= RemoveFrom(table.FirstBucket(hash), tag) | RemoveFrom(table.SecondBucket(hash), tag);
        GC.KeepAlive(this);
        return removed;
    }

    /// <summary>Empties the places of a bucket whose words have a tag; whether one led to a record.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    private bool RemoveFrom(ulong* bucket, ulong tag)
    {
        bool removed = false;
        for (uint matches = Matching(bucket, TagMask, tag); matches != 0; matches &= matches - 1)
        {
            removed |= RemoveFrom(ref bucket[BitOperations.TrailingZeroCount(matches)], tag);
        }

        return removed;
    }

    /// <summary>Empties a place if its word has a tag; whether that led to a record.</summary>
    private bool RemoveFrom(ref ulong place, ulong tag)
    {
        ulong word = Volatile.Read(ref place);
        while ((word & TagMask) == tag && word != 0)
        {
            ulong found = Interlocked.CompareExchange(ref place, 0, word);
            if (found == word)
            {
                bool wasLive = IsLive(word);
                Interlocked.Decrement(ref _counts.Words);
                CountDead(word);
                return wasLive;
            }

            word = found; // moved to another address, or counted up
        }

        return false;
    }

    /// <summary>A word has given up its place. Of those that led nowhere some were counted when that came about.</summary>
    private void CountDead(ulong word)
    {
        if (!IsLive(word) && Interlocked.Read(ref _counts.DeadWords) > 0) Interlocked.Decrement(ref _counts.DeadWords);
    }

    /// <summary>What changes with every record, in a cache line that nobody reads with every write.</summary>
    [StructLayout(LayoutKind.Explicit, Size = 3 * TableSize.BucketBytes)]
    private struct Counts
    {
        [FieldOffset(TableSize.BucketBytes)]
        public long Words;

        [FieldOffset(TableSize.BucketBytes + sizeof(long))]
        public long TurnedOut;

        [FieldOffset(TableSize.BucketBytes + (2 * sizeof(long)))]
        public long DeadWords;
    }
}
