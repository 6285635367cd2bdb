using System.Numerics;

namespace HybridCaching.Configuration;

internal sealed partial record MemoryPlan
{
    /// <summary>By how much the memory budget may grow while a cache is open: its ring of pages has so many times the slots that it needs at first. A slot costs FASTER 120 bytes.</summary>
    public const int MostGrowth = 8;

    /// <summary>More are not numbered.</summary>
    private const int LastSegment = 1 << 29;

    private static int RingFor(long pages) => (int)Math.Min(1 << 28, BitOperations.RoundUpToPowerOf2((ulong)(pages + SparePages)) * MostGrowth);

    /// <summary>What stays as it is while a cache with this plan is open.</summary>
    public FixedSizes SizesOfOpen() => new() { IndexBytes = IndexBytes, PageBytes = PageBytes, SegmentBytes = SegmentBytes, SettledTables = SettledTables, AddressBits = AddressBits, HotRows = HotRows, RingPages = RingPages };

    /// <summary>Divides other budgets among parts of given sizes.</summary>
    /// <param name="memoryBudget">Bytes of memory.</param>
    /// <param name="diskBudget">Bytes of disk; 0 without a disk tier.</param>
    /// <param name="sizes">What cannot be chosen any more.</param>
    /// <returns>Null if that does not work.</returns>
    public MemoryPlan? TryDivide(long memoryBudget, long diskBudget, FixedSizes sizes)
    {
        if (!sizes.ArePossible || memoryBudget <= 0 || diskBudget > SettledSizing.MostDiskBytes(sizes.AddressBits)) return null;
        bool isKept = !sizes.SettledTables.IsEmpty;
        int page = sizes.PageBytes;
        int largest = LargestRecord(page, Record);
        long pageCost = page + (2 * BlockBytes);
        long smallestLog = SmallestPages(page, Record) * pageCost;
        long pinned = PinnedFor(memoryBudget, diskBudget, Record);
        long buffers = BuffersFor(memoryBudget, diskBudget, Record, largest, Readers) + Math.Max(0, sizes.ChecksumBytes - ChecksumBytes(diskBudget)) + Math.Max(0, sizes.NoteBytes - pinned);
        int fixedRows = Math.Max(MinimumHotRows, sizes.HotRows);
        long divisible = memoryBudget - IndexSizing.FixedBytes - buffers - sizes.IndexBytes - (fixedRows * HotRowBytes);
        long forLog = Math.Max(smallestLog, (long)(divisible * MinimumLogShare));

        long wanted = (diskBudget > 0 ? diskBudget : Math.Max(0, divisible)) / (RecordBytes + IndexBytesPerEntry);
        var tables = sizes.SettledTables;
        long settled = 0;
        long hitCounts = 0;
        long missing = 0;
        if (isKept)
        {
            wanted = SettledSizing.EntriesOn(diskBudget, RecordBytes);
            long perSegment = sizes.SegmentBytes / RecordBytes;
            long leastHitCounts = SettledSizing.HitCountBytes(SettledSizing.EntriesOfLog(wanted, inMemory: 0, perSegment));
            if (!sizes.AreOfFiles) tables = SettledSizing.Fit(tables, divisible - smallestLog - sizes.OverflowBytes - leastHitCounts, SettledSizing.EntriesWithin(divisible - forLog, SettledSizing.EntriesOn(diskBudget, RecordBytes)));
            settled = SettledSizing.EntriesIn(tables);
            divisible -= tables.Sum(static t => t.Bytes) + SettledSizing.GhostBytes(settled);
            missing = wanted - settled;
            wanted = SettledSizing.EntriesOfLog(wanted, Math.Max(0, divisible) / (RecordBytes + IndexBytesPerEntry), perSegment);
            divisible -= hitCounts = SettledSizing.HitCountBytes(wanted);
        }

        long entries = IndexSizing.EntriesWithin(sizes.IndexBytes, sizes.IndexBytes + Math.Max(0, divisible - smallestLog));
        long overflow = Math.Max(sizes.OverflowBytes, IndexSizing.OverflowBytes(sizes.IndexBytes, Math.Min(entries, wanted)));
        if (isKept) wanted = SettledSizing.EntriesInstead(wanted, entries, missing);
        long tiers = divisible - overflow;
        if (tiers < smallestLog) return null;
        var (rows, ways, wayBytes) = HotTierWithin((long)Math.Min(tiers * HotTierShare, tiers - smallestLog), sizes.HotRows, tables.Sum(static t => t.Bytes) + SettledSizing.GhostBytes(settled) + ReadBuffersFor(diskBudget, largest, Readers));
        int initialWays = diskBudget > 0 ? (ways + InitialWaysDivisor - 1) / InitialWaysDivisor : ways;
        long initialLog = tiers - (sizes.AreOfFiles ? RowBytesBeyondMinimum(rows) : 0) - (initialWays * wayBytes);
        long affordablePages = Math.Min(sizes.AreOfFiles ? 1 << 24 : sizes.RingPages, initialLog / pageCost) - SparePages;

        long indexFile = Math.Max(IndexFileBytes(sizes.IndexBytes, Math.Min(entries, wanted)), (sizes.IndexFileBytes + BlockBytes - 1) / BlockBytes * BlockBytes);
        long logOnDisk = diskBudget - indexFile - SettledSizing.IndexFileBytes(tables.Sum(static t => t.Bytes)) - SmallFilesBytes - ChecksumBytes(diskBudget) - PinnedFileBytes(pinned);
        if (!isKept) logOnDisk = Math.Min(logOnDisk, Math.Max(entries * RecordBytes, 2 * MinimumSegments * Math.Max(MinimumSegmentBytes, sizes.SegmentBytes)));
        int segments = 0;
        int settledSegments = 0;
        long pages = affordablePages;
        long mostPages = pages;
        if (diskBudget > 0)
        {
            segments = (int)Math.Clamp(logOnDisk / sizes.SegmentBytes, 0, LastSegment);
            if (isKept && segments < SettledSizing.FewestSegments) return null;
            if (isKept) settledSegments = segments - SettledSizing.SegmentsOfLog(segments, (affordablePages * page / sizes.SegmentBytes) + 1, settled * RecordBytes / sizes.SegmentBytes, Math.Min(entries, wanted) * RecordBytes / sizes.SegmentBytes);
            int beyondMemory = isKept ? SettledSizing.SegmentsBeyondMemory : 1;
            mostPages = (segments - settledSegments - SegmentsInTransit - beyondMemory) * sizes.SegmentBytes / page;
            pages = Math.Min(pages, mostPages);
        }

        if (pages < SmallestPages(page, Record) - SparePages) return null;
        int ring = sizes.AreOfFiles ? RingFor(pages) : sizes.RingPages;
        return this with
        {
            MemoryBudget = memoryBudget,
            DiskBudget = diskBudget,
            LargestRecordBytes = largest,
            IndexBytes = sizes.IndexBytes,
            OverflowBytes = overflow,
            TierBytes = tiers,
            PageBytes = page,
            LogPages = (int)pages,
            MostLogPages = (int)Math.Max(pages, Math.Min(mostPages, ring / 2)),
            RingPages = ring,
            AffordableLogPages = (int)affordablePages,
            SegmentBytes = sizes.SegmentBytes,
            Segments = segments,
            SettledSegments = settledSegments,
            SettledTables = tables,
            AddressBits = sizes.AddressBits,
            GhostBytes = SettledSizing.GhostBytes(settled),
            HitCountBytes = hitCounts,
            IndexFileLimit = indexFile,
            BufferBytes = buffers,
            PinnedBytes = pinned,
            HotRows = rows,
            HotWays = ways,
            InitialHotWays = initialWays,
            HotWayBytes = wayBytes,
        };
    }

    /// <summary>Divides other budgets while the cache is open.</summary>
    /// <param name="memoryBudget">Bytes of memory.</param>
    /// <param name="diskBudget">Bytes of disk; 0 without a disk tier.</param>
    /// <param name="sizes">What cannot be chosen any more.</param>
    /// <param name="openedWith">The memory budget that the cache was opened with.</param>
    /// <exception cref="ArgumentOutOfRangeException">That does not work; the message names the parameter, its value, and what would.</exception>
    public MemoryPlan Resize(ByteSize memoryBudget, ByteSize diskBudget, FixedSizes sizes, long openedWith)
    {
        long most = openedWith * MostGrowth;
        if ((DiskBudget == 0) != (diskBudget.Bytes == 0))
            throw OutOfRange(nameof(diskBudget), diskBudget, DiskBudget == 0 ? "must be 0: the cache has no Directory" : "must be more than zero: the cache has a Directory");
        if (diskBudget.Bytes > MostDiskBytes) throw OutOfRange(nameof(diskBudget), diskBudget, $"is more than the {new ByteSize(MostDiskBytes)} that are possible");
        if (SettledSizing.MostDiskBytes(sizes.AddressBits) is var mostDisk && diskBudget.Bytes > mostDisk) throw OutOfRange(nameof(diskBudget), diskBudget, $"is more than the {new ByteSize(mostDisk)} that are possible for a cache that was opened with so much less");
        if (memoryBudget.Bytes > most)
            throw OutOfRange(nameof(memoryBudget), memoryBudget, $"is more than {MostGrowth} times the {new ByteSize(openedWith)} that the cache was opened with: {new ByteSize(most)} are possible");
        if (DivideAsAtStart(memoryBudget.Bytes, diskBudget.Bytes) is { } plan) return plan;
        if (DiskBudget > 0 && DivideAsAtStart(most, diskBudget.Bytes) is null && Least(DiskBudget, disk => DivideAsAtStart(most, disk) is not null) is { } disk && diskBudget.Bytes < disk)
            throw OutOfRange(nameof(diskBudget), diskBudget, $"is too small for a cache that was opened with larger budgets: {disk} bytes ({new ByteSize(disk).RoundedUp():H}) are the least");
        string beside = DiskBudget > 0 ? $" beside a disk budget of {diskBudget}" : "";
        throw OutOfRange(
            nameof(memoryBudget),
            memoryBudget,
            Least(most, memory => DivideAsAtStart(memory, diskBudget.Bytes) is not null) is { } least
                ? $"is too small{beside}: {least} bytes ({new ByteSize(least).RoundedUp():H}) are the least"
                : $"is too small{beside}, and so is the most that is possible, {new ByteSize(most)}");

        // With less than a cache can be opened with, the next start would be refused.
        MemoryPlan? DivideAsAtStart(long memory, long disk) => memory < SmallestMemoryBudget(disk, Record, Readers) || (disk > 0 && disk < SmallestDiskBudget(Record)) ? null : TryDivide(memory, disk, sizes);
    }

    /// <summary>About the least disk, in whole megabytes and larger than this one, from which on a part of it keeps what FASTER's log lets go, beside this memory; null if there is none.</summary>
    public long? LeastDiskToKeep()
    {
        const long Megabyte = 1 << 20;
        const int Steps = 32;
        long? enough = null;
        for (long disk = ((DiskBudget / Megabyte) + 1) * Megabyte; disk <= MostDiskBytes && disk / 2 <= (enough ?? disk) && MemoryBudget >= SmallestMemoryBudget(disk, Record, Readers); disk += Math.Max(1, disk / Megabyte / Steps) * Megabyte)
        {
            bool keeps = Create(MemoryBudget, disk, Record, SlotBytes, Readers, HotTierShare).SettledSegments > 0;
            enough = keeps ? enough ?? disk : null; // a little more may be too little again: FASTER's index is a power of two, and so is its file
        }

        return enough;
    }

    private (int Rows, int Ways, long WayBytes) HotTierWithin(long bytes, int rows, long laterBytes)
    {
        if (rows == 0) return HotTierFor(bytes, SlotBytes, laterBytes);
        long wayBytes = (long)rows * SlotBytes;
        return (rows, (int)Math.Clamp(bytes / wayBytes, 0, MaximumHotWays), wayBytes);
    }

    /// <summary>About the least value up to one for which something holds; null if it does not hold there.</summary>
    private static long? Least(long most, Func<long, bool> holds)
    {
        if (!holds(most)) return null;
        long fails = 0;
        while (most - fails > BlockBytes)
        {
            long middle = fails + ((most - fails) / 2 / BlockBytes * BlockBytes);
            if (middle == fails) break;
            if (holds(middle)) most = middle;
            else fails = middle;
        }

        return most;
    }

    private static ArgumentOutOfRangeException OutOfRange(string parameter, ByteSize value, string rule) => new(parameter, value, $"{parameter} {value} {rule}.");
}
