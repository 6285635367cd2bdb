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

    /// <summary>How often the log is turned over until buckets hardly grow any more.</summary>
    private const int Turnovers = 30;

    /// <summary>How many standard deviations above the mean the greatest of so many numbers lies, about.</summary>
    private const double ExtremeDeviation = 2;

    /// <summary>At this size most entries are in their first bucket.</summary>
    private const int ComfortableBytesPerEntry = 16;

    /// <summary>A larger index with shorter chains is preferred while it holds at least this share of the most entries possible.</summary>
    private const double AcceptableShare = 0.75;

    /// <summary>Bytes of a file that ever holds the index of so many entries.</summary>
    public static long FileBytes(long indexBytes, long entries) => indexBytes + (OverflowBuckets(indexBytes, entries, Turnovers) * BucketBytes);

    /// <summary>Bytes of overflow pages, beyond the two fixed ones, that so many entries need as long as none was dropped. Later they grow, see <see cref="OverflowPerBucket"/>.</summary>
    public static long FirstOverflowBytes(long indexBytes, long entries) => OverflowBytes(indexBytes, entries, turnovers: 1);

    private static long OverflowBytes(long indexBytes, long entries, int turnovers) =>
        OverflowBuckets(indexBytes, entries, turnovers) * BucketBytes / OverflowPageBytes * OverflowPageBytes;

    private static long OverflowBuckets(long indexBytes, long entries, int turnovers)
    {
        double buckets = indexBytes / (double)BucketBytes;
        return (long)(buckets * OverflowPerBucket(entries / buckets, turnovers));
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
        return (chosen, EntriesWithin(chosen, memory));
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
            if (indexBytes + OverflowBytes(indexBytes, middle, Turnovers) <= memory) low = middle;
            else high = middle - 1;
        }

        return low;
    }

    /// <summary>The expected number of overflow buckets behind a bucket that gets <paramref name="load"/> entries on average, after so many turnovers of the log.</summary>
    /// <remarks>
    /// An overflow bucket is never given back, so what counts is the fullest that a bucket has ever been. Entries of keys that were dropped leave when the bucket is next written to; with
    /// every turnover of the log its entries are drawn anew. The greatest of T independent numbers is at most k with the T-th power of the probability that one is.
    /// </remarks>
    private static double OverflowPerBucket(double load, int turnovers)
    {
        double mean = load / GroupedKeys;
        if (mean > 50) return (load + (GroupedKeys * ExtremeDeviation * Math.Sqrt(mean))) / BucketEntries; // a normal distribution by then
        double probability = Math.Exp(-mean);
        double upTo = probability;
        int groups = 0;
        double expected = 0;
        for (int overflows = 0; ; overflows++)
        {
            // P(more than so many overflow buckets) = 1 - P(never more groups than these hold).
            while ((groups + 1) * GroupedKeys <= (overflows + 1) * BucketEntries) upTo += probability *= mean / ++groups;
            double more = 1 - Math.Pow(Math.Min(upTo, 1), turnovers);
            expected += more;
            if (more < 1e-6) return expected;
        }
    }

    private static long NearestPowerOf2(long value)
    {
        long floor = 1L << System.Numerics.BitOperations.Log2((ulong)Math.Max(1, value));
        return value - floor < floor / 2 ? floor : floor * 2;
    }
}
