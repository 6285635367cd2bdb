using System.Collections.Immutable;
using System.Numerics;

namespace HybridCaching.Configuration;

/// <summary>What it takes to keep what FASTER's log lets go, and how much of the disk is for either.</summary>
internal static class SettledSizing
{
    /// <summary>With fewer segments in all nothing is kept.</summary>
    public const int MinimumSegments = 24;

    /// <summary>So much of FASTER's log has left memory before its oldest part is let go: until that was looked through, writers fill the rest.</summary>
    public const int SegmentsBeyondMemory = 3;

    /// <summary>A cache that was opened with more goes on keeping down to so few.</summary>
    public const int FewestSegments = MinimumSegments / 2;

    /// <summary>Of so many tables the index consists at most: each costs every look-up two cache lines.</summary>
    public const int MostTables = 4;

    /// <summary>A table that is added has at least one part in so many of what there is.</summary>
    private const int LeastAddedPart = 4;

    /// <summary>The most that tables which are there already, and the ghost beside them, may take of what the smallest log leaves.</summary>
    private const double MostKeptShare = 0.9;

    /// <summary>So many segments there are for what was let go.</summary>
    private const int LeastSegments = 8;

    /// <summary>FASTER's log has no more than one part in so many of the disk, however much memory there is.</summary>
    private const int MostLogPart = 2;

    /// <summary>The most of the memory at hand that index and ghost take, however many entries the disk could hold.</summary>
    private const double MostShare = 0.8;

    /// <summary>Bytes of the index per entry: a word, of five places four in use.</summary>
    private const int IndexBytesPerEntry = 10;

    /// <summary>Bytes of the ghost for each entry: half as many keys again, or sets that got more than their part would forget too many.</summary>
    private const int GhostBytesPerEntry = 3;

    /// <summary>Bytes to count hits for each entry of FASTER's log.</summary>
    private const int HitCountBytesPerEntry = 2;

    private const int LeastEntries = 1 << 18;
    private const int CacheLine = 64;

    /// <summary>A table that is added has a bucket in each group.</summary>
    private const int LeastAdded = TableSize.MostGroups * TableSize.BucketBytes;
    private const int BlockBytes = MemoryPlan.BlockBytes;

    /// <summary>So many times the disk may become as large while the cache is open. Addresses are as long as that takes, and again as much before they come round.</summary>
    private const int MostDiskGrowth = 16;

    private const int FewestAddressBits = 26;

    /// <summary>The most bits of an address: they wrap round after 2 TiB.</summary>
    public const int MostAddressBits = 38;

    /// <summary>Addresses count units of so many bytes.</summary>
    public const int AddressUnit = 8;

    /// <summary>How long addresses in the index have to be.</summary>
    public static int AddressBits(long diskBudget) =>
        Math.Clamp(BitOperations.Log2(BitOperations.RoundUpToPowerOf2((ulong)Math.Max(1, diskBudget / AddressUnit) * MostDiskGrowth * 2)), FewestAddressBits, MostAddressBits);

    /// <summary>How large a disk may be with such addresses.</summary>
    public static long MostDiskBytes(int addressBits) => Math.Min(MemoryPlan.MostDiskBytes, (long)AddressUnit << (addressBits - 1));

    /// <summary>Whether addresses can be so long. That may come from a file.</summary>
    public static bool ArePossible(int addressBits) => addressBits is >= FewestAddressBits and <= MostAddressBits;

    /// <summary>How many entries the disk can hold.</summary>
    public static long EntriesOn(long diskBudget, int recordBytes) => diskBudget / (recordBytes + IndexBytesPerEntry);

    /// <summary>The least memory for index and ghost: for a quarter of a million entries, if the disk can hold so many.</summary>
    public static long LeastBytes(long diskBudget, int recordBytes) => (long)(Math.Min(EntriesOn(diskBudget, recordBytes), LeastEntries) * (IndexBytesPerEntry + GhostBytesPerEntry) / MostShare);

    /// <summary>How much of the disk there is an index for: outdated records, which have no word in it, take some room, too.</summary>
    public static long BytesFor(long settledEntries, RecordShape record) => settledEntries * 5 / 4 * record.Typical;

    /// <summary>How many settled entries there is an index for: all that are wanted, as far as there is memory.</summary>
    public static long EntriesWithin(long memory, long wanted) => (long)Math.Min(wanted, Math.Max(0, memory) * MostShare / (IndexBytesPerEntry + GhostBytesPerEntry));

    public static long IndexBytes(long entries) => entries * IndexBytesPerEntry / CacheLine * CacheLine;

    public static long IndexFileBytes(long indexBytes) => (indexBytes + BlockBytes - 1) / BlockBytes * BlockBytes;

    public static long GhostBytes(long entries) => entries * GhostBytesPerEntry / CacheLine * CacheLine;

    /// <summary>
    /// What becomes of the tables of an index when budgets change: each may have fewer groups of buckets, or as many as it can; if that is not enough, one is added.
    /// If there may not be one more, it takes the place of the smallest but the first.
    /// </summary>
    /// <param name="tables">Those there are.</param>
    /// <param name="memory">What they and the ghost may take.</param>
    /// <param name="wanted">How many entries they should be for.</param>
    public static ImmutableArray<TableSize> Fit(ImmutableArray<TableSize> tables, long memory, long wanted)
    {
        const double WithGhost = (IndexBytesPerEntry + GhostBytesPerEntry) / (double)IndexBytesPerEntry;
        long wantedBytes = IndexBytes(wanted);
        while (Largest(tables) is var i && tables[i].Groups > 1 && (BytesOf(tables) * WithGhost > memory * MostKeptShare || BytesOf(tables) - tables[i].GroupBytes >= wantedBytes)) tables = WithGroups(tables, i, tables[i].Groups - 1);
        while (Smallest(tables) is var i && tables[i].Groups < TableSize.MostGroups && BytesOf(tables) + tables[i].GroupBytes <= wantedBytes) tables = WithGroups(tables, i, tables[i].Groups + 1);
        long missing = wantedBytes - BytesOf(tables);
        if (missing < LeastAdded || missing * LeastAddedPart < BytesOf(tables)) return tables;
        if (tables.Length < MostTables) return tables.Add(TableSize.Of(missing));
        var smallest = tables[1..].MinBy(static t => t.Bytes);
        return tables.SetItem(tables.LastIndexOf(smallest), TableSize.Of(missing + smallest.Bytes));
    }

    /// <summary>The table that has most of the groups it could have.</summary>
    private static int Largest(ImmutableArray<TableSize> tables) => tables.IndexOf(tables.MaxBy(static t => t.Groups));

    private static int Smallest(ImmutableArray<TableSize> tables) => tables.IndexOf(tables.MinBy(static t => t.Groups));

    private static ImmutableArray<TableSize> WithGroups(ImmutableArray<TableSize> tables, int i, int groups) => tables.SetItem(i, tables[i] with { Groups = groups });

    /// <summary>For how many entries there is room in tables.</summary>
    public static long EntriesIn(ImmutableArray<TableSize> tables) => BytesOf(tables) / IndexBytesPerEntry;

    private static long BytesOf(ImmutableArray<TableSize> tables) => tables.Sum(static t => t.Bytes);

    public static long HitCountBytes(long entriesOfLog) => entriesOfLog * HitCountBytesPerEntry;

    /// <summary>What FASTER's log is to hold: what fits memory before the hot tier takes its share, and the segments that are on their way.</summary>
    /// <param name="wanted">Entries that the disk could hold.</param>
    /// <param name="inMemory">Entries that fit memory.</param>
    /// <param name="perSegment">Entries of a segment.</param>
    public static long EntriesOfLog(long wanted, long inMemory, long perSegment) =>
        Math.Min(wanted, inMemory + ((MemoryPlan.SegmentsInTransit + SegmentsBeyondMemory + 1) * perSegment));

    /// <summary>What it holds where there is not memory enough for an index of all that the disk could hold: the overflow buckets that FASTER has anyway take some of the rest.</summary>
    /// <param name="wanted">Entries that it is to hold.</param>
    /// <param name="possible">Entries that its index can hold.</param>
    /// <param name="missing">Entries that there is no other index for.</param>
    public static long EntriesInstead(long wanted, long possible, long missing) => Math.Min(possible, Math.Max(wanted, Math.Min(missing, IndexSizing.EntriesForNothing)));

    /// <summary>How many segments FASTER's log has: for what fits the memory that it begins with (of what memory is then lent to others it keeps the disk), or what there is no other index for; and no more than there are entries in its own.</summary>
    /// <param name="segments">Segments there are in all.</param>
    /// <param name="inMemory">Segments that fit memory.</param>
    /// <param name="settled">Segments whose entries there is another index for.</param>
    /// <param name="ofIndex">Segments whose entries FASTER's index can hold.</param>
    public static int SegmentsOfLog(int segments, long inMemory, long settled, long ofIndex)
    {
        const int Transit = MemoryPlan.SegmentsInTransit + SegmentsBeyondMemory;
        long forMemory = Math.Min(inMemory + Transit, segments / MostLogPart);
        long left = segments - Math.Max(LeastSegments, (settled * 5 / 4) + Transit);
        return (int)Math.Max(Transit + 1, Math.Min(Math.Max(forMemory, left), ofIndex + MemoryPlan.SegmentsInTransit));
    }
}
