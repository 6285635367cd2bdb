namespace HybridCaching.Configuration;

/// <summary>What FASTER's hash index costs for so many entries, and which size of it serves best.</summary>
/// <remarks>
/// A bucket of 64 bytes holds 7 entries; what does not fit goes into overflow buckets, allocated in pages of 65,536 (4 MiB), two of them at once, and never given back.
/// Four neighbouring keys share a bucket, so the entries of a bucket are four times a Poisson number: that variance, not the mean, is what fills overflow buckets.
/// </remarks>
internal static class IndexSizing
{
    public const int BucketBytes = 64;
    public const long OverflowPageBytes = 4L << 20;

    /// <summary>FASTER allocates two pages of overflow buckets before the first entry.</summary>
    public const long FixedBytes = 2 * OverflowPageBytes;

    public const long MinimumBytes = 256L << 10;
    public const long MaximumBytes = 1L << 30;

    private const int BucketEntries = 7;
    private const int GroupedKeys = 4;

    /// <summary>Of the entries that a memory could index at first, so many are planned for: buckets grow with every turnover of the log, and log and hot tier have to give up what they take then.</summary>
    private const double UsableShare = 0.8;

    /// <summary>The file of the index may be so much larger than it is at first.</summary>
    private const double FileMargin = 1.25;

    /// <summary>At this size most entries are in their first bucket.</summary>
    private const int ComfortableBytesPerEntry = 16;

    /// <summary>A larger index with shorter chains is preferred while it holds at least this share of the most entries possible.</summary>
    private const double AcceptableShare = 0.75;

    /// <summary>Bytes of a file that holds the index of so many entries.</summary>
    public static long FileBytes(long indexBytes, long entries) => indexBytes + (long)(OverflowBuckets(indexBytes, entries) * BucketBytes * FileMargin);

    /// <summary>Bytes of overflow pages, beyond the two fixed ones, that so many entries need as long as none was dropped.</summary>
    /// <remarks>
    /// Later they grow: an overflow bucket is never given back, so what counts is the fullest that a bucket has ever been. After 5 turnovers of the log the index takes about 1.4 times as many bytes per entry,
    /// after 30 about 1.9 times (the greatest of so many independent numbers); then it hardly grows any more.
    /// </remarks>
    public static long OverflowBytes(long indexBytes, long entries) => OverflowBuckets(indexBytes, entries) * BucketBytes / OverflowPageBytes * OverflowPageBytes;

    private static long OverflowBuckets(long indexBytes, long entries)
    {
        double buckets = indexBytes / (double)BucketBytes;
        return (long)(buckets * OverflowPerBucket(entries / buckets));
    }

    /// <summary>Chooses the size of the index.</summary>
    /// <param name="memory">Bytes that the index may take beyond <see cref="FixedBytes"/>.</param>
    /// <param name="wantedEntries">How many entries there could be.</param>
    /// <returns>The size, a power of two, and how many entries it can hold within <paramref name="memory"/>.</returns>
    public static (long IndexBytes, long Entries) Choose(long memory, long wantedEntries)
    {
        long largest = Math.Clamp(NearestPowerOf2(wantedEntries * ComfortableBytesPerEntry), MinimumBytes, MaximumBytes);
        long best = 0;
        for (long index = MinimumBytes; index <= largest; index *= 2) best = Math.Max(best, EntriesWithin(index, memory));
        long enough = Math.Min(wantedEntries, (long)(best * AcceptableShare));
        long chosen = largest;
        while (chosen > MinimumBytes && EntriesWithin(chosen, memory) < enough) chosen /= 2;
        return (chosen, (long)(EntriesWithin(chosen, memory) * UsableShare));
    }

    /// <summary>The most entries for which index and overflow buckets stay within the memory.</summary>
    private static long EntriesWithin(long indexBytes, long memory)
    {
        if (indexBytes > memory) return 0;
        long low = 0;
        long high = (memory + FixedBytes) / (BucketBytes / 8);
        while (low < high)
        {
            long middle = (low + high + 1) / 2;
            if (indexBytes + OverflowBytes(indexBytes, middle) <= memory) low = middle;
            else high = middle - 1;
        }

        return low;
    }

    /// <summary>The expected number of overflow buckets behind a bucket that gets <paramref name="load"/> entries on average.</summary>
    private static double OverflowPerBucket(double load)
    {
        double mean = load / GroupedKeys;
        if (mean > 50) return load / BucketEntries;
        double probability = Math.Exp(-mean);
        double expected = 0;
        for (int groups = 1; groups < 200; groups++)
        {
            probability *= mean / groups;
            int beyond = (groups * GroupedKeys) - BucketEntries;
            if (beyond > 0) expected += probability * ((beyond + BucketEntries - 1) / BucketEntries);
        }

        return expected;
    }

    private static long NearestPowerOf2(long value)
    {
        long floor = 1L << System.Numerics.BitOperations.Log2((ulong)Math.Max(1, value));
        return value - floor < floor / 2 ? floor : floor * 2;
    }
}
