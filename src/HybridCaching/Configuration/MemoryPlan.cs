using System.Collections.Immutable;
using System.Numerics;

namespace HybridCaching.Configuration;

/// <summary>How two budgets are divided. The sum of the parts never exceeds the memory budget.</summary>
/// <remarks>
/// FASTER rounds index, memory and page size to powers of two; the log is held at any number of pages in between by leaving pages of its ring empty.
/// The order: what is fixed, then the index for the entries that the disk (or memory) can hold, then the log takes the rest.
/// </remarks>
internal sealed partial record MemoryPlan
{
    /// <summary>The unit of disk I/O and of its checksums.</summary>
    public const int BlockBytes = 4096;

    /// <summary>What each thread that writes takes for a copy of what it writes.</summary>
    public const int StagingBytes = 64 << 10;

    /// <summary>How many writes may be on the disk at once.</summary>
    public const int WriteThreads = 2;

    /// <summary>What a session may store at most before it looks for room again.</summary>
    public const int PromisedBytes = 4 << 10;

    /// <summary>So many times its length a long record may take: it may not fit what is left of a page.</summary>
    public const int RoomPerLongRecord = 2;

    /// <summary>Pages closed but not yet reused. Of those that were seen above the target of a log, 3 to 11, some: with more, writers wait until one is free.</summary>
    private const int SparePages = 6;

    /// <summary>Half of what the addresses of settled records can tell apart, so that one that leads nowhere any more is forgotten before it comes round.</summary>
    public const long MostDiskBytes = 1L << 40;

    /// <summary>Fewer pages than this make FASTER's regions degenerate.</summary>
    private const int MinimumLogPages = 6;

    private const int MinimumPageBytes = 32 << 10;

    /// <summary>The same where records are of many sizes.</summary>
    private const int MinimumMixedPageBytes = 64 << 10;

    /// <summary>More than one part in so many of a page shall not be lost at its end.</summary>
    private const int MostLostPart = 24;

    /// <summary>The longest record fits a page so many times.</summary>
    public const int RecordsPerPage = 4;

    /// <summary>Where records are of many sizes, one that is no longer fits any page so many times.</summary>
    public const int LeastWholeBytes = MinimumMixedPageBytes / RecordsPerPage;

    /// <summary>What is lost where a record of the main log cannot be read is the rest of so many pages at most.</summary>
    private const int PagesPerMainPage = 8;

    private const long MinimumPinnedBytes = 64 << 10;
    private const long MaximumPinnedBytes = 4 << 20;
    private const int MaximumPageBytes = 8 << 20;
    private const long MinimumSegmentBytes = 256L << 10;
    private const long MaximumSegmentBytes = 256L << 20;
    private const int MinimumSegments = 8;

    /// <summary>Many, so that little of the disk is held free for the next one.</summary>
    private const int WantedSegments = 256;

    /// <summary>Each of them is an open file. Beyond 256 GiB there are more of the longest ones: 4,096 for a TiB.</summary>
    private const int MostSegments = 1024;

    private const int MinimumMoveBytes = 128 << 10;

    /// <summary>Segments of FASTER's log beyond its length: one that is being removed and one that is being begun.</summary>
    public const int SegmentsInTransit = 2;

    /// <summary>The least of the divisible memory that the log keeps, however many entries the disk could hold.</summary>
    private const double MinimumLogShare = 0.15;

    /// <summary>Bytes of a row of the hot tier beside its slots: the directory entry, and what it remembers of keys.</summary>
    public const long HotRowBytes = 64 + 32;

    /// <summary>So many row locks there are even without a hot tier.</summary>
    private const int MinimumHotRows = 1024;

    /// <summary>As many tags as one instruction compares.</summary>
    public const int MaximumHotWays = 32;

    /// <summary>With a disk, the hot tier starts with one way in so many.</summary>
    private const int InitialWaysDivisor = 8;

    /// <summary>Bytes that the index costs per entry, in memory and in its file.</summary>
    private const int IndexBytesPerEntry = 20;

    /// <summary>Files other than log and index: manifest, checksums, lock.</summary>
    private const long SmallFilesBytes = 64L << 10;

    /// <summary>How many sessions there are at most. They are out only while a thread is at work, so what counts is cores, and threads that were interrupted at it. FASTER's epoch table has 128 entries for all its stores together.</summary>
    public static int SessionsAtOnce { get; } = Math.Min(96, 16 + (2 * Environment.ProcessorCount));

    public required long MemoryBudget { get; init; }

    public required long DiskBudget { get; init; }

    /// <summary>How long the records of the log are: FASTER's 8 bytes, the key, the entry.</summary>
    public required RecordShape Record { get; init; }

    /// <summary>Bytes of a usual record.</summary>
    public int RecordBytes => Record.Typical;

    /// <summary>Bytes of the longest record there may be; so much is one read of the disk at most.</summary>
    public required int LargestRecordBytes { get; init; }

    /// <summary>The hash index; a power of two.</summary>
    public required long IndexBytes { get; init; }

    /// <summary>Overflow buckets of the index beyond those that FASTER always has, before anything was dropped.</summary>
    public required long OverflowBytes { get; init; }

    /// <summary>What log and hot tier have together, as long as the index does not grow.</summary>
    public required long TierBytes { get; init; }

    /// <summary>How much of that the hot tier gets at most.</summary>
    public required double HotTierShare { get; init; }

    /// <summary>How many buffers there are for reads of the disk.</summary>
    public required int Readers { get; init; }

    /// <summary>Bytes of one slot of the hot tier.</summary>
    public required int SlotBytes { get; init; }

    /// <summary>A page of the log; a power of two.</summary>
    public required int PageBytes { get; init; }

    /// <summary>How many pages the log may keep in memory, spare ones not counted, once the index of settled records takes what is planned for it.</summary>
    public required int LogPages { get; init; }

    /// <summary>How many it may keep until then, if there is memory for them: the disk has to have room for more.</summary>
    public required int MostLogPages { get; init; }

    /// <summary>How many there could be if the disk were larger.</summary>
    public required int AffordableLogPages { get; init; }

    /// <summary>
    /// The ring of page slots; a power of two, and larger than <see cref="LogPages"/>: an empty slot costs next to nothing, but with none left FASTER waits for the disk inside its epoch. The head may lie in
    /// the middle of a page, several writers may have seen the same room, removals go on without room, and pages are taken and given back by different threads at once. And the memory budget may grow.
    /// </summary>
    public required int RingPages { get; init; }

    /// <summary>Pages held back for what all sessions together may have been promised and not stored yet.</summary>
    public int PromisedPages => PromisedPagesOf(PageBytes, LargestRecordBytes);

    /// <summary>What is promised for the longest record.</summary>
    public int LongPromiseBytes => LargestRecordBytes * RoomPerLongRecord;

    /// <summary>Pages that removals may use beyond <see cref="LogPages"/>; they are taken from the spare ones.</summary>
    public static int PagesForRemovals => SparePages / 2;

    /// <summary>A file of the log; a power of two.</summary>
    public required long SegmentBytes { get; init; }

    /// <summary>No record of the main log lies across two of these: larger than pages, so that little is lost at their ends.</summary>
    public int MainPageBytes => (int)Math.Min(SegmentBytes, (long)PageBytes * PagesPerMainPage);

    /// <summary>How many reads may be on the disk at once.</summary>
    public static int ReadThreads => Math.Clamp(Environment.ProcessorCount * 2, 4, 16);

    /// <summary>What moves records between the logs has a buffer of so many bytes to read, and one to write.</summary>
    public int MoveBytes => MoveBytesFor(LargestRecordBytes);

    private static int MoveBytesFor(int largestRecordBytes) => Math.Max(MinimumMoveBytes, (int)BitOperations.RoundUpToPowerOf2((uint)largestRecordBytes) * 2);

    /// <summary>Bytes of the blocks that a record may lie in; records begin at multiples of 8.</summary>
    public static int ReadBufferBytes(int recordBytes) => (BlockBytes - 8 + recordBytes + BlockBytes - 1) / BlockBytes * BlockBytes;

    /// <summary>Bytes of the buffers of some who read the disk.</summary>
    public long ReadBuffersBytes(int readers) => ReadBuffersFor(DiskBudget, LargestRecordBytes, readers);

    /// <summary>How many files the logs may have at once; zero without a disk tier.</summary>
    public required int Segments { get; init; }

    /// <summary>How many of them are for what FASTER's log has let go; zero if nothing of that is kept.</summary>
    public required int SettledSegments { get; init; }

    /// <summary>How long FASTER's log may be: two segments less than there may be files, one that is being removed and one that is being begun.</summary>
    public long DiskLogBytes => Segments == 0 ? long.MaxValue : (Segments - SettledSegments - SegmentsInTransit) * SegmentBytes;

    /// <summary>How large the tables of the index of settled records may become; none if nothing is kept.</summary>
    public required ImmutableArray<TableSize> SettledTables { get; init; }

    /// <summary>Bits of an address there: enough for a disk that grows to sixteen times its size. What is left of a word tells keys apart.</summary>
    public required int AddressBits { get; init; }

    /// <summary>The index of settled records, when the disk is full. It begins with a sixteenth of that.</summary>
    public long SettledIndexBytes => SettledTables.Sum(static t => t.Bytes);

    /// <summary>What is planned for the disk when it is full, and not taken at first.</summary>
    public long LaterBytes => SettledIndexBytes - SettledTables.Sum(static t => t.GroupBytes) + GhostBytes;

    /// <summary>Fingerprints of keys that were dropped.</summary>
    public required long GhostBytes { get; init; }

    /// <summary>Counts of the hits on the disk on records of FASTER's log.</summary>
    public required long HitCountBytes { get; init; }

    /// <summary>The most that the file of the index may take.</summary>
    public required long IndexFileLimit { get; init; }

    /// <summary>Rows of the hot tier; each is also the write lock of its keys.</summary>
    public required int HotRows { get; init; }

    /// <summary>Ways of each row once the data has outgrown memory and the index has its planned size; 0 for no hot tier.</summary>
    public required int HotWays { get; init; }

    /// <summary>Ways of each row until then.</summary>
    public required int InitialHotWays { get; init; }

    /// <summary>What one way of all rows costs.</summary>
    public required long HotWayBytes { get; init; }

    /// <summary>What entries that must not leave may take; nothing where all records are of one size.</summary>
    public required long PinnedBytes { get; init; }

    /// <summary>What it takes to find those again after a sudden end of the process.</summary>
    public long NoteBytes => DiskBudget > 0 ? PinnedBytes : 0;

    /// <summary>Read buffers, checksums of disk blocks, entries that must not leave.</summary>
    public required long BufferBytes { get; init; }

    /// <summary>What a page costs: FASTER allocates two blocks more to align it.</summary>
    public long PageCostBytes => PageBytes + (2 * BlockBytes);

    /// <summary>What the log may take while others have borrowed so many bytes of its share.</summary>
    public long LogBytesBeside(long lentBytes) => ((AffordableLogPages + SparePages) * PageCostBytes) - lentBytes;

    /// <summary>Ways of the hot tier while the indexes take more than planned, or less. If FASTER's takes more from one moment to the next, it is ways that make room for it: they can be given up at once.</summary>
    /// <param name="growth">What FASTER's index and the buffers for reads take more than planned, or less.</param>
    /// <param name="settledGrowth">What index and ghost of settled records take more than planned; never more than zero.</param>
    public int HotWaysBeside(long growth, long settledGrowth)
    {
        long logCanTake = Math.Max(0, MostLogBytes - LogBytesBeside(LentBytes(HotWays, settledGrowth: 0)));
        long forLog = Math.Min((long)(-settledGrowth * (1 - HotTierShare)), logCanTake);
        long free = LeftBytes - settledGrowth - Math.Min(0, growth);
        int most = (int)Math.Min(MostHotWays, HotWays + Math.Min(free / HotWayBytes, (free - forLog + (HotWayBytes / 2)) / HotWayBytes)); // a way is much: rather the log has a little less
        return growth <= 0 ? most : most - HotWays + (int)Math.Clamp((TierBytes - growth) * HotTierShare / HotWayBytes, 0, HotWays);
    }

    /// <summary>So many ways fit what nobody has, and what is planned for overflow buckets of FASTER's index and for reads of the disk, and is not needed for that yet. It may be from one moment to the next: then they are given up.</summary>
    /// <param name="growth">What FASTER's index and the buffers for reads take more than planned, or less.</param>
    public int WaysOnReserve(long growth) => MostHotWays == HotWays ? 0 : (int)((LeftBytes - Math.Min(0, growth)) / HotWayBytes);

    /// <summary>What the log has given up for so many ways, less than zero for what it has got. Ways beyond <see cref="HotWays"/> live on what the indexes do not need yet, first of all the settled one; what is left of that the log has.</summary>
    /// <param name="hotWays">How many ways there are.</param>
    /// <param name="settledGrowth">What index and ghost of settled records take more than planned; never more than zero.</param>
    public long LentBytes(int hotWays, long settledGrowth) =>
        ((Math.Min(hotWays, HotWays) - InitialHotWays) * HotWayBytes) + Math.Min(0, settledGrowth + (Math.Max(0, hotWays - HotWays) * HotWayBytes));

    /// <summary>Ways of each row if FASTER's index has no overflow pages beyond the fixed ones, that of settled records has just begun, and nobody has read the disk yet: what is planned for them serves the hot tier until it is needed. Only where the system takes memory back.</summary>
    public int MostHotWays => HotWays == 0 || DiskBudget == 0 || !OperatingSystem.IsLinux() ? HotWays : (int)Math.Min(MaximumHotWays, HotWays + ((LeftBytes + OverflowBytes + LaterBytes + ReadBuffersBytes(Readers)) / HotWayBytes));

    public long LogBytes => (LogPages + SparePages) * PageCostBytes;

    private long MostLogBytes => (MostLogPages + SparePages) * PageCostBytes;

    /// <summary>The hot tier as long as the log has its full share; afterwards it has so much more as the log has less.</summary>
    public long InitialHotBytes => (HotRows * HotRowBytes) + (InitialHotWays * HotWayBytes);

    public long Total => IndexSizing.FixedBytes + IndexBytes + OverflowBytes + SettledIndexBytes + GhostBytes + HitCountBytes + LogBytes + InitialHotBytes + BufferBytes;

    /// <summary>Divides the budgets.</summary>
    /// <param name="memoryBudget">Bytes of memory.</param>
    /// <param name="diskBudget">Bytes of disk; 0 without a disk tier.</param>
    /// <param name="record">How long records are.</param>
    /// <param name="slotBytes">Bytes of one slot of the hot tier.</param>
    /// <param name="readers">How many buffers there are for reads of the disk.</param>
    /// <param name="hotShare">The hot tier's share of what index and buffers leave.</param>
    /// <param name="name">The name of the cache; null if there is none yet.</param>
    /// <exception cref="ArgumentException">No division works; the message names the cache, its budgets and the smallest that would.</exception>
    public static MemoryPlan Create(long memoryBudget, long diskBudget, RecordShape record, int slotBytes, int readers, double hotShare, string? name = null)
    {
        if (diskBudget > 0 && diskBudget < SmallestDiskBudget(record))
            throw TooSmall(name, memoryBudget, diskBudget, $"DiskBudget is {SmallestDiskBudget(record)}", nameof(FasterCacheOptions.DiskBudget), SmallestDiskBudget(record));
        long smallest = SmallestMemoryBudget(diskBudget, record, readers);
        if (memoryBudget < smallest)
            throw TooSmall(name, memoryBudget, diskBudget, $"MemoryBudget is {smallest}", nameof(FasterCacheOptions.MemoryBudget), smallest);

        bool isLarge = diskBudget >= SettledSizing.MinimumSegments * Math.Max(MinimumSegmentBytes, SmallestPage(record));
        var plan = PlanFor(LargestRecordRead(memoryBudget, diskBudget, record));
        var closer = PlanFor(plan.LargestRecordBytes); // pages are smaller than they might have become, and so are buffers
        return closer.PageBytes == plan.PageBytes ? closer : plan;

        MemoryPlan PlanFor(int largest) => (isLarge ? TryCreate(memoryBudget, diskBudget, record, largest, slotBytes, readers, hotShare, isKept: true) : null)
            ?? TryCreate(memoryBudget, diskBudget, record, largest, slotBytes, readers, hotShare, isKept: false)!;
    }

    /// <returns>Null if the disk is too small to keep what FASTER's log lets go.</returns>
    private static MemoryPlan? TryCreate(long memoryBudget, long diskBudget, RecordShape record, int largest, int slotBytes, int readers, double hotShare, bool isKept)
    {
        long buffers = BuffersFor(memoryBudget, diskBudget, record, largest, readers);
        long divisible = memoryBudget - IndexSizing.FixedBytes - buffers - (MinimumHotRows * HotRowBytes);
        long forLog = Math.Max(SmallestLog(record), (long)(divisible * MinimumLogShare));
        long wanted = (diskBudget > 0 ? diskBudget : divisible) / (record.Typical + IndexBytesPerEntry);
        if (isKept) wanted = SettledSizing.EntriesOn(diskBudget, record.Typical);
        long settled = isKept ? SettledSizing.EntriesWithin(divisible - forLog - IndexSizing.MinimumBytes, SettledSizing.EntriesOn(diskBudget, record.Typical)) : 0;
        long settledIndex = SettledSizing.IndexBytes(settled);
        long ghost = SettledSizing.GhostBytes(settled);
        divisible -= settledIndex + ghost;
        long missing = wanted - settled;
        if (isKept) wanted = SettledSizing.EntriesOfLog(wanted, divisible / (record.Typical + IndexBytesPerEntry), SegmentFor(diskBudget, SettledSizing.BytesFor(settled, record), SmallestPage(record)) / record.Typical);
        long hitCounts = isKept ? SettledSizing.HitCountBytes(wanted) : 0;
        divisible -= hitCounts;
        var (index, entries) = IndexSizing.Choose(divisible - forLog, wanted);
        long overflow = IndexSizing.OverflowBytes(index, Math.Min(entries, wanted));
        if (isKept) wanted = SettledSizing.EntriesInstead(wanted, entries, missing);
        long tiers = divisible - index - overflow;
        var (rows, ways, wayBytes) = HotTierFor((long)Math.Min(tiers * hotShare, tiers - SmallestLog(record)), slotBytes, settledIndex + ghost + ReadBuffersFor(diskBudget, largest, readers));
        int initialWays = diskBudget > 0 ? (ways + InitialWaysDivisor - 1) / InitialWaysDivisor : ways;
        long finalLog = tiers - RowBytesBeyondMinimum(rows) - (ways * wayBytes);
        long initialLog = finalLog + ((ways - initialWays) * wayBytes);
        int page = PageFor(diskBudget > 0 ? Math.Min(finalLog, diskBudget) : finalLog, record);
        long affordablePages = Math.Min(1 << 24, (initialLog / (page + (2 * BlockBytes))) - SparePages);

        long indexFile = IndexFileBytes(index, Math.Min(entries, wanted));
        long logOnDisk = diskBudget - indexFile - SettledSizing.IndexFileBytes(settledIndex) - SmallFilesBytes - ChecksumBytes(diskBudget) - PinnedFileBytes(PinnedFor(memoryBudget, diskBudget, record));
        long indexed = SettledSizing.BytesFor(settled, record) + (Math.Min(entries, wanted) * record.Typical);
        if (!isKept || record.IsFixed) logOnDisk = Math.Min(logOnDisk, Math.Max(indexed, 2 * MinimumSegments * MinimumSegmentBytes));
        long segment = diskBudget == 0 ? MaximumSegmentBytes : SegmentFor(logOnDisk, indexed, page);
        int segments = 0;
        int settledSegments = 0;
        long pages = affordablePages;
        long mostPages = pages;
        if (diskBudget > 0)
        {
            segments = (int)(logOnDisk / segment);
            if (isKept && segments < SettledSizing.MinimumSegments) return null;
            if (isKept) settledSegments = segments - SettledSizing.SegmentsOfLog(segments, (affordablePages * page / segment) + 1, settled * record.Typical / segment, Math.Min(entries, wanted) * record.Typical / segment);
            int beyondMemory = settledSegments == 0 ? 1 : SettledSizing.SegmentsBeyondMemory;
            mostPages = (segments - settledSegments - SegmentsInTransit - beyondMemory) * segment / page;
            pages = Math.Min(pages, mostPages);
            if (isKept && pages < SmallestPages(page, record) - SparePages) return null;
        }

        return new MemoryPlan
        {
            MemoryBudget = memoryBudget,
            DiskBudget = diskBudget,
            Record = record,
            LargestRecordBytes = Math.Min(LargestRecord(page, record), largest),
            IndexBytes = index,
            OverflowBytes = overflow,
            TierBytes = tiers,
            HotTierShare = hotShare,
            PageBytes = page,
            LogPages = (int)pages,
            MostLogPages = (int)Math.Min(mostPages, RingFor(pages) / 2),
            RingPages = RingFor(pages),
            Readers = readers,
            SlotBytes = slotBytes,
            AffordableLogPages = (int)affordablePages,
            SegmentBytes = segment,
            Segments = segments,
            SettledSegments = settledSegments,
            SettledTables = isKept ? [TableSize.Of(settledIndex)] : [],
            AddressBits = SettledSizing.AddressBits(diskBudget),
            GhostBytes = ghost,
            HitCountBytes = hitCounts,
            IndexFileLimit = indexFile,
            BufferBytes = buffers,
            PinnedBytes = PinnedFor(memoryBudget, diskBudget, record),
            HotRows = rows,
            HotWays = ways,
            InitialHotWays = initialWays,
            HotWayBytes = wayBytes,
        };
    }

    /// <summary>The smallest memory budget that works beside a disk budget.</summary>
    public static long SmallestMemoryBudget(long diskBudget, RecordShape record, int readers)
    {
        // Where records are of many sizes, buffers grow with the budget, but much more slowly.
        for (long budget = 0; ;)
        {
            long smallest = IndexSizing.FixedBytes + BuffersFor(budget, diskBudget, record, LargestRecordRead(budget, diskBudget, record), readers) + (MinimumHotRows * HotRowBytes) + IndexSizing.MinimumBytes + SettledSizing.LeastBytes(diskBudget, record.Typical) + IndexSizing.OverflowBytesSoon(0) + SmallestLog(record);
            if (smallest <= budget) return budget;
            budget = smallest;
        }
    }

    /// <summary>The smallest disk budget that works.</summary>
    public static long SmallestDiskBudget(RecordShape record) =>
        SmallFilesBytes + PinnedFileBytes(record.IsFixed ? 0 : 2 * MinimumPinnedBytes) + IndexFileBytes(IndexSizing.MinimumBytes, 0) + (2 * MinimumSegments * Math.Max(MinimumSegmentBytes, SmallestPage(record)));
}
