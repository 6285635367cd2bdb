using System.Collections.Immutable;
using System.Numerics;
using System.Runtime.CompilerServices;
using System.Runtime.InteropServices;
using System.Runtime.Intrinsics.X86;
using HybridCaching.Configuration;
using HybridCaching.Devices;

namespace HybridCaching.Store;

/// <summary>Where the records lie that FASTER's log has let go: a word per record in tables outside the GC heap, which grow with the number of records.</summary>
/// <remarks>
/// <code>
///  63   62  61   60      a+1    a                       0
/// ┌────────┬─────┬──────────┬──────────────────────────┐
/// │ hits   │ main│ tag      │ address / 8, wraps round │      0 is an empty place
/// └────────┴─────┴──────────┴──────────────────────────┘
/// </code>
/// <para>
/// A word may lie in any of eight places in each of two buckets, whichever is emptier when it is put there (two choices, Azar et al. 1994; buckets of eight take four words for every five places
/// that way before the first finds both full). If all sixteen are taken, one that has room in its other bucket goes there; if none has, the one of the oldest record that was not read gives way: the table forgets first what the disk drops first.
/// </para>
/// <para>
/// Tags are no keys: who reads a record compares its key, and who removes a key removes every word with its tag. So some removals take another key's record along, which then is a miss. How long a tag is, up to four bits that say where in a large table a word lies, follows from how long addresses have to be:
/// with a disk of a gigabyte it is one removal in ten million, with 32 and more one in 40,000.
/// </para>
/// <para>
/// There is one table, until the budgets of the cache grow: then another is added, whose buckets a word may lie in as well. A table begins small, and gets more groups of buckets as more are full; see <see cref="SettledTable"/>.
/// </para>
/// <para>
/// A word is changed by a compare-and-swap, or exchanged by the only thread that puts words in. Words of a key are put in, led elsewhere and removed under the lock of the key's row, and counted up by anybody; without it go those of dead records, and those that the disk lets go or that give way to others. Only the thread that puts words in takes them to other places, and without that lock: who removes a key's looks again if one of them may
/// have been on its way. A word that leads out of what is in use is as good as an empty place. See docs/concurrency.md.
/// </para>
/// </remarks>
internal sealed unsafe partial class SettledIndex
{
    /// <summary>Places in a bucket: one cache line.</summary>
    public const int BucketWords = 8;

    /// <summary>How many places of a table a key's word may be in.</summary>
    private const int PlacesOfTable = 2 * BucketWords;

    /// <summary>Addresses are multiples of this, like those of all records.</summary>
    public const int AddressUnit = SettledSizing.AddressUnit;

    /// <summary>The most that <see cref="HitsOf"/> counts to.</summary>
    public const int MostHits = 3;

    /// <summary>The most bits of an address: they wrap round after 2 TiB.</summary>
    public const int MostAddressBits = SettledSizing.MostAddressBits;

    /// <summary>So many bits of a tag say which class a word is of.</summary>
    public const int ClassBits = 8;

    /// <summary>So often words that lead nowhere are taken out before addresses come round.</summary>
    private const int SweepsPerRound = 8;

    private const int HitsShift = 62;
    private const int MainShift = 61;
    private const int ClassShift = MainShift - ClassBits;
    private const ulong MainBit = 1UL << MainShift;
    private const ulong OneHit = 1UL << HitsShift;

    private const ulong MarkFactor = 0x9E37_79B9_7F4A_7C15;

    private readonly ulong _addressMask;
    private readonly ulong _tagMask;
    private readonly SettledTable _first;

    /// <summary>All, the first one included. One may be added, none is ever taken away.</summary>
    private volatile SettledTable[] _tables;
    private Counts _counts;
    private long _dropped;
    private long _sweptAt;
    private long _sweptBegins;

    /// <summary>Whether there was ever a word. Who asks with every write should not read the extents, which change with every page.</summary>
    private volatile bool _isUsed;

    private readonly LiveState _state;

    /// <summary>With how many groups of buckets a table begins.</summary>
    private readonly int _firstGroups;

    /// <param name="tables">The sizes of its tables.</param>
    /// <param name="firstOfMain">From here on addresses are those of the main log.</param>
    /// <param name="state">Where it is; null for memory of its own.</param>
    /// <param name="firstGroups">With how many groups of buckets each table begins; it gets more with <see cref="BeginGrowth"/>.</param>
    /// <param name="addressBits">How long addresses are; they wrap round after eight times as many bytes as that can count.</param>
    public SettledIndex(ImmutableArray<TableSize> tables, long firstOfMain, LiveState? state = null, int firstGroups = TableSize.MostGroups, int addressBits = MostAddressBits)
    {
        _addressMask = (1UL << addressBits) - 1;
        _tagMask = (MainBit - 1) & ~_addressMask;
        FirstOfMain = firstOfMain;
        _firstGroups = firstGroups;
        long bytes = tables.Sum(static t => t.ReservedBytes);
        _state = state?.TableBytes == bytes ? state : LiveState.Create(MemoryPlan.BlockBytes, segments: 0, bytes);
        long offset = 0;
        _tables = [.. tables.Select((t, i) => new SettledTable(t, Math.Min(firstGroups, t.Groups), _tagMask, _state, i, (offset += t.ReservedBytes) - t.ReservedBytes))];
        _first = _tables[0];
        _sweptBegins = firstOfMain;
        if (Main.Tail == 0) Main = new Extent(firstOfMain, firstOfMain);
        else Recount();
    }

    /// <summary>What of FASTER's log, and of the segments it has let go, is on the disk and led to.</summary>
    public ref Extent Probation => ref ((Extent*)_state.Extents)[0];

    /// <summary>The main log.</summary>
    public ref Extent Main => ref ((Extent*)_state.Extents)[1];

    /// <summary>How large its tables may become.</summary>
    public ImmutableArray<TableSize> Tables => [.. _tables.Select(static t => t.Size)];

    /// <summary>The same, and how many groups of buckets each has. None may be growing.</summary>
    public IEnumerable<(TableSize Most, int Groups)> Sizes => _tables.Select(static t => (t.Size, t.Groups));

    /// <summary>From here on addresses are those of the main log.</summary>
    public long FirstOfMain { get; }

    /// <summary>Whether something was dropped since the last sweep.</summary>
    public bool IsSweepDue => Dropped != _sweptAt;

    /// <summary>Whether so much was dropped since the last sweep that addresses soon come round.</summary>
    public bool MustSweep => Probation.Begin + Main.Begin - Interlocked.Read(ref _sweptBegins) > (long)((_addressMask + 1) / SweepsPerRound * AddressUnit);

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

    /// <summary>The share of the places that there may be that are taken.</summary>
    public double Occupancy => Count * sizeof(ulong) / (double)(IsGrowthRefused ? Bytes : MostBytes);

    /// <summary>How many records had to give up their place to others.</summary>
    public long TurnedOut => Interlocked.Read(ref _counts.TurnedOut);

    public long Bytes => _tables.Sum(static t => t.Bytes);

    /// <summary>What it may take.</summary>
    public long MostBytes => _tables.Sum(static t => t.Size.Bytes);

    /// <summary>Asks the processor to fetch the buckets of a key.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public void Prefetch(ulong hash)
    {
        if (!Sse.IsSupported || !_isUsed) return;
        var at = _first.Locate(hash, TagOf(hash));
        Sse.Prefetch0(_first.FirstBucket(in at));
        Sse.Prefetch0(_first.SecondBucket(in at));
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
            uint rest = Matching(bucket, _tagMask, tag) >> at;
            if (rest == 0)
            {
                place += BucketWords - at;
                continue;
            }

            int skipped = BitOperations.TrailingZeroCount(rest);
            place += skipped + 1;
            ulong word = Volatile.Read(ref bucket[at + skipped]);
            if ((word & _tagMask) != tag || !IsLive(word)) continue;
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
        if (_growing is { } table) Widen(table, ColumnsPerInsert);
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
        Interlocked.Exchange(ref _sweptBegins, Probation.Begin + Main.Begin);
        foreach (var table in _tables)
        {
            for (long i = 0; i < table.Words; i += BucketWords) // a group may be given up meanwhile: its memory shall not be touched again
            {
                ulong* bucket = table.Start + i;
                for (uint dead = Dead(bucket, in Probation, in Main, _addressMask); dead != 0; dead &= dead - 1)
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

    /// <summary>The class of a word, or of a tag.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public static int ClassOf(ulong word) => (int)(word >> ClassShift) & ((1 << ClassBits) - 1);

    /// <summary>The tag of the words of a key, where it is in a word.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    private ulong TagOf(ulong hash) => (hash >> (64 - MainShift)) & _tagMask;

    private ulong WordOf(ulong hash, long address, int hits) =>
        ((ulong)hits << HitsShift) | TagOf(hash) | (address >= FirstOfMain ? MainBit : 0) | (((ulong)address / AddressUnit) & _addressMask);

    /// <summary>The address that a word stands for: the first from the begin of its extent on.</summary>
    private long AddressOf(ulong word)
    {
        long begin = ExtentOf(word).Begin / AddressUnit;
        return (begin + (long)((word - (ulong)begin) & _addressMask)) * AddressUnit;
    }

    private bool IsLive(ulong word) => word != 0 && AddressOf(word) < ExtentOf(word).Tail;

    private ref readonly Extent ExtentOf(ulong word) => ref ((Extent*)_state.Extents)[(word >> MainShift) & 1];

    private bool IsOf(ulong word, ulong hash, long address) => (word & ~(OneHit * MostHits)) == WordOf(hash, address, 0);

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
