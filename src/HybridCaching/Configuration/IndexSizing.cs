namespace HybridCaching.Configuration;

/// <summary>What FASTER's hash index costs for so many entries, and which size of it serves best.</summary>
/// <remarks>
/// A bucket of 64 bytes holds 7 entries; what does not fit goes into overflow buckets, allocated in pages of 65,536 (4 MiB), two of them before the first entry and each later one a page ahead.
/// The pages are never given back, the buckets are (<c>BucketCompactor</c>). Where the system takes memory back, the first two pages cost what of them has been in use, which goes up from their beginning (<c>HashIndex</c>).
/// Four neighbouring keys share a bucket, so the entries of a bucket are four times a Poisson number: that variance, not the mean, is what fills overflow buckets.
/// </remarks>
internal static class IndexSizing
{
    public const int BucketBytes = 64;

    /// <summary>No more than one overflow bucket in so many is kept free.</summary>
    public const int FreeBucketsOneIn = 16;

    /// <summary>Before so many more overflow buckets are in use, the memory of the next page must be there.</summary>
    public const int HeadroomBuckets = 8 << 10;

    /// <summary>What index and overflow buckets take before the first entry, the index itself not counted.</summary>
    public static long FixedBytes { get; } = OperatingSystem.IsLinux() ? StepBytes : 2 * OverflowPageBytes;

    /// <summary>About so many entries the overflow buckets have places for that are there before the first entry.</summary>
    public static long EntriesForNothing => FixedBytes / BucketBytes * 4;

    public const long MinimumBytes = 256L << 10;
    public const long MaximumBytes = 1L << 30;

    /// <summary>A page of overflow buckets, and the list of those that are free.</summary>
    public const long OverflowPageBytes = OverflowPageBuckets * BytesPerOverflowBucket;

    public const int OverflowPageBuckets = 64 << 10;
    private const int BytesPerOverflowBucket = BucketBytes + (FreeBucketBytes / FreeBucketsOneIn);

    /// <summary>The buckets in use of the first two pages are counted in steps, one of them ahead.</summary>
    private const int StepBuckets = 1 << 10;

    private const long StepBytes = StepBuckets * BytesPerOverflowBucket;

    /// <summary>What the list of free buckets takes for each: 16 bytes, in an array that may be half empty.</summary>
    private const int FreeBucketBytes = 32;

    private const int BucketEntries = 7;
    private const int GroupedKeys = 4;

    /// <summary>
    /// So many overflow buckets there are for each that the entries need: chains are shortened only now and then, and are as long meanwhile as they have had to be.
    /// Simulated for buckets of 8 to 28 entries: 1.2 to 1.3 with four compactions while the log is turned over once, 1.1 to 1.15 with eight.
    /// </summary>
    private const double OverflowMargin = 1.25;

    /// <summary>At this size two entries in three are in the first bucket of their chain. Twice as much makes random adds 5 to 10 % faster, but takes as much memory from entries as it costs.</summary>
    private const int ComfortableBytesPerEntry = 8;

    /// <summary>A larger index with shorter chains is preferred while it holds at least this share of the most entries possible.</summary>
    private const double AcceptableShare = 0.75;

    /// <summary>Bytes of a file that holds the index of so many entries.</summary>
    public static long FileBytes(long indexBytes, long entries) => indexBytes + (OverflowBuckets(indexBytes, entries) * BucketBytes);

    /// <summary>Bytes beyond the fixed ones that the overflow buckets for so many entries need.</summary>
    public static long OverflowBytes(long indexBytes, long entries) => OverflowBytesSoon(OverflowBuckets(indexBytes, entries));

    /// <summary>Bytes beyond the fixed ones that so many overflow buckets take.</summary>
    public static long OverflowBytesOf(long buckets) => StepsOf(buckets) + (buckets / OverflowPageBuckets * OverflowPageBytes);

    /// <summary>Bytes beyond the fixed ones that must be there for so many overflow buckets, since some more may be in use before pages of the log have left for them.</summary>
    public static long OverflowBytesAhead(long buckets) => OverflowBytesSoon(buckets + (3 * StepBuckets));

    /// <summary>Bytes beyond the fixed ones that are planned for so many overflow buckets.</summary>
    public static long OverflowBytesSoon(long buckets) => StepsOf(buckets + StepBuckets) + ((buckets + HeadroomBuckets) / OverflowPageBuckets * OverflowPageBytes);

    /// <summary>What of the first two pages has been in use, where the rest of them costs nothing.</summary>
    private static long StepsOf(long buckets) => OperatingSystem.IsLinux() ? Math.Min(buckets, (2 * OverflowPageBuckets) - StepBuckets) / StepBuckets * StepBytes : 0;

    private static long OverflowBuckets(long indexBytes, long entries)
    {
        double buckets = indexBytes / (double)BucketBytes;
        return (long)(buckets * OverflowPerBucket(entries / buckets) * OverflowMargin);
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
        while (chosen > MinimumBytes && (chosen > memory || EntriesWithin(chosen, memory) < enough)) chosen /= 2;
        return (chosen, EntriesWithin(chosen, memory));
    }

    /// <summary>The most entries for which index and overflow buckets stay within the memory.</summary>
    public static long EntriesWithin(long indexBytes, long memory)
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
