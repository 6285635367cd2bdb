namespace HybridCaching.SoakTests;

/// <summary>What happened while the sizes of values went once from the smallest to the largest.</summary>
/// <param name="Started">When, since the run began.</param>
/// <param name="Before">The cache's counts at its beginning.</param>
/// <param name="Gen2Before">Full collections before it.</param>
internal sealed record Tenth(TimeSpan Started, CacheStatistics Before, int Gen2Before)
{
    private readonly Lock _adding = new();

    public Latencies Gets { get; } = new();

    public Latencies Sets { get; } = new();

    public TimeSpan Ended { get; private set; }

    public CacheStatistics After { get; private set; } = Before;

    public int Gen2 { get; private set; }

    public double Seconds => (Ended - Started).TotalSeconds;

    public double HitRatio => Ratio(s => s.MemoryHits + s.DiskHits);

    public double DiskHitRatio => Ratio(s => s.DiskHits);

    /// <summary>Adds what one thread has measured.</summary>
    public void Add(Latencies gets, Latencies sets)
    {
        lock (_adding)
        {
            Gets.Add(gets);
            Sets.Add(sets);
        }
    }

    public void End(TimeSpan ended, CacheStatistics after, int gen2After) => (Ended, After, Gen2) = (ended, after, gen2After - Gen2Before);

    private double Ratio(Func<CacheStatistics, long> part)
    {
        long reads = Gets.Count;
        return reads == 0 ? 0 : (part(After) - part(Before)) / (double)reads;
    }
}
