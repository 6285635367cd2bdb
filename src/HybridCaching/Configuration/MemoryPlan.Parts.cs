using System.Numerics;

namespace HybridCaching.Configuration;

/// <summary>The sizes of the parts, each for itself.</summary>
internal sealed partial record MemoryPlan
{
    /// <summary>Pages of a log in memory that long values cannot count on: the index takes some when it grows, and not all are whole.</summary>
    private const int PagesNotForLongValues = 4;

    /// <summary>With a hot tier of few large values there are fewer than <see cref="MinimumHotRows"/>, or it would have no ways.</summary>
    private const int FewestHotRows = 128;

    /// <summary>The same where a copy takes more than a block.</summary>
    private const int FewestHotRowsOfLong = 16;

    private const int MostHotRows = 1 << 26;

    /// <summary>Of what others need only later, the hot tier is planned to have no more than so many times what it has in the end; the log has the rest.</summary>
    private const int MostAtFirst = 3;

    /// <summary>Keys fall on rows by chance: of those that would just fill a row, so many times the square root of their number find it full, on average.</summary>
    private const double SpreadOfRow = 0.4;

    /// <summary>The longest value that is stored. Of a longer one the beginning might have left before its end is there, and nearly all else with it.</summary>
    /// <remarks>A log in memory holds nearly all of what it has room for. On a disk in use, what was read there stays, and leaves six parts of ten to what is new.</remarks>
    public long LongestValueBytes => Segments == 0 ? (LogPages - PromisedPages - PagesNotForLongValues) * (long)PageBytes * 3 / 4 : Segments * SegmentBytes / 2;

    /// <summary>What the log takes at least, whatever the budget.</summary>
    public long SmallestLogBytes => SmallestLog(Record);

    /// <summary>The log ends here, if anybody ever stores so much: FASTER counts its pages with 31 bits, and says in 48 where a record lies.</summary>
    public long MostAddress => Math.Min((long)PageBytes << 31, 1L << 48);

    /// <summary>What no part has: pages and ways are whole, and there may be fewer rows than are planned for.</summary>
    private long LeftBytes => MemoryBudget - (Total - LogBytes + LogBytesBeside(lentBytes: 0));

    private static long RowBytesBeyondMinimum(int rows) => Math.Max(0, rows - MinimumHotRows) * HotRowBytes;

    /// <summary>Rows are a power of two, ways are not. There are as many rows as have room for most copies, in the end and as long as others have not taken their part: a loss of either counts as much as the same part of the other.</summary>
    /// <param name="bytes">What the hot tier has in the end.</param>
    /// <param name="slotBytes">Bytes of a slot.</param>
    /// <param name="laterBytes">What others need only later.</param>
    private static (int Rows, int Ways, long WayBytes) HotTierFor(long bytes, int slotBytes, long laterBytes)
    {
        long atFirst = Math.Min(bytes + laterBytes, MostAtFirst * bytes);
        int best = MinimumHotRows;
        double mostCopies = 0;
        for (int rows = slotBytes > BlockBytes ? FewestHotRowsOfLong : FewestHotRows; rows <= MostHotRows; rows *= 2)
        {
            double copies = CopiesIn(bytes, rows, slotBytes) * CopiesIn(atFirst, rows, slotBytes);
            if (copies > mostCopies) (best, mostCopies) = (rows, copies);
        }

        return (best, WaysWithin(bytes, best, slotBytes), (long)best * slotBytes);
    }

    /// <summary>About how many copies so many rows can hold of those that are read most.</summary>
    private static double CopiesIn(long bytes, int rows, int slotBytes)
    {
        int ways = WaysWithin(bytes, rows, slotBytes);
        return rows * (ways - (SpreadOfRow * Math.Sqrt(ways)));
    }

    private static int WaysWithin(long bytes, int rows, int slotBytes) => (int)Math.Clamp((bytes - RowBytesBeyondMinimum(rows)) / ((long)rows * slotBytes), 0, MaximumHotWays);

    /// <summary>A checkpoint writes the buckets of the index, then its overflow buckets.</summary>
    private static long IndexFileBytes(long indexBytes, long entries) => (IndexSizing.FileBytes(indexBytes, entries) + (2 * BlockBytes)) / BlockBytes * BlockBytes;

    private static long SmallestLog(RecordShape record) => SmallestPages(SmallestPage(record), record) * (long)(SmallestPage(record) + (2 * BlockBytes));

    /// <summary>Where records are of many sizes, what is promised may be more than the few pages of the smallest log.</summary>
    private static int SmallestPages(int pageBytes, RecordShape record) => MinimumLogPages + SparePages + PromisedPagesOf(pageBytes, LargestRecord(pageBytes, record));

    /// <summary>For a record of all sessions, and one long one: of more of these every writer knows.</summary>
    private static int PromisedPagesOf(int pageBytes, int largestRecordBytes) => ((SessionsAtOnce * PromisedBytes) + (largestRecordBytes * RoomPerLongRecord) + pageBytes - 1) / pageBytes;

    /// <summary>Small pages waste the two blocks that each costs, large ones the spare pages; the best is where both are equal, unless much of each page would be too short for a record.</summary>
    private static int PageFor(long logBytes, RecordShape record)
    {
        long best = FloorPowerOf2((long)Math.Max(1, Math.Sqrt(logBytes * (2.0 * BlockBytes / SparePages))));
        int page = (int)Math.Clamp(best, SmallestPage(record), MaximumPageBytes);
        while (page > SmallestPage(record) && logBytes / (page + (2 * BlockBytes)) < SmallestPages(page, record)) page /= 2;
        while (record.IsFixed && page < MaximumPageBytes && page % record.Typical > page / MostLostPart && logBytes / ((page * 2) + (2 * BlockBytes)) >= SmallestPages(page * 2, record)) page *= 2;
        return page;
    }

    /// <summary>A record fits a page four times at least, so that at most a quarter of a page is left empty.</summary>
    private static int SmallestPage(RecordShape record) =>
        record.IsFixed ? (int)Math.Max(MinimumPageBytes, BitOperations.RoundUpToPowerOf2((uint)record.Typical * RecordsPerPage)) : MinimumMixedPageBytes;

    /// <summary>The longest record on pages of a size.</summary>
    private static int LargestRecord(int pageBytes, RecordShape record) => Math.Clamp(pageBytes / RecordsPerPage, record.LargestAlways, record.Largest);

    /// <summary>The longest record that buffers are planned for: that of pages as large as they may become.</summary>
    private static int LargestRecordRead(long memoryBudget, long diskBudget, RecordShape record) =>
        LargestRecord(PageFor(diskBudget > 0 ? Math.Min(memoryBudget, diskBudget) : memoryBudget, record), record);

    private static long PinnedFor(long memoryBudget, long diskBudget, RecordShape record) =>
        record.IsFixed ? 0 : Math.Clamp((diskBudget > 0 ? Math.Min(memoryBudget, diskBudget) : memoryBudget) / 64, MinimumPinnedBytes, MaximumPinnedBytes);

    /// <summary>What they take in the manifest, which is text.</summary>
    private static long PinnedFileBytes(long pinnedBytes) => pinnedBytes * 3 / 2;

    /// <summary>Where there is no index for all of the disk, smaller ones: there is an entry of FASTER's index, the costliest, for all that some segments hold.</summary>
    private static long SegmentFor(long logOnDisk, long indexedBytes, int pageBytes)
    {
        long most = Math.Max(Math.Min(logOnDisk, indexedBytes) / WantedSegments, logOnDisk / MostSegments);
        return Math.Max(pageBytes, Math.Clamp(FloorPowerOf2(Math.Max(1, most)), MinimumSegmentBytes, MaximumSegmentBytes));
    }

    private static long BuffersFor(long memoryBudget, long diskBudget, RecordShape record, int largest, int readers) =>
        (PinnedFor(memoryBudget, diskBudget, record) * (diskBudget > 0 ? 2 : 1)) + DiskBuffersFor(diskBudget, largest, readers);

    private static long DiskBuffersFor(long diskBudget, int largestRecord, int readers) =>
        diskBudget > 0 ? ReadBuffersFor(diskBudget, largestRecord, readers) + (WriteThreads * StagingBytes) + (2 * MoveBytesFor(largestRecord)) + BlockBytes + ChecksumBytes(diskBudget) : 0;

    private static long ReadBuffersFor(long diskBudget, int largestRecord, int readers) => diskBudget > 0 ? (long)readers * ReadBufferBytes(largestRecord) : 0;

    /// <summary>Four bytes per block of the log.</summary>
    private static long ChecksumBytes(long diskBudget) => diskBudget / BlockBytes * sizeof(uint);

    private static long FloorPowerOf2(long value) => 1L << BitOperations.Log2((ulong)value);

    private static ArgumentException TooSmall(string? name, long memoryBudget, long diskBudget, string smallest, string option, long bytes)
    {
        string cache = name is null ? "" : $"Cache {name}: ";
        string beside = diskBudget > 0 ? $" with DiskBudget {new ByteSize(diskBudget)}" : ""; // without a Directory nobody has asked for one
        return new ArgumentException($"{cache}MemoryBudget {new ByteSize(memoryBudget)}{beside} cannot work: the smallest {smallest} bytes ({new ByteSize(bytes).RoundedUp():H}).", option);
    }
}
