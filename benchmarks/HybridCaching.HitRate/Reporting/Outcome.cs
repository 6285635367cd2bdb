using HybridCaching.HitRate.References;
using HybridCaching.HitRate.Replay;

namespace HybridCaching.HitRate.Reporting;

/// <summary>A replay beside its references.</summary>
internal sealed record Outcome(ReferenceFigures References, ReplayPlan Plan, ReplayResult Result)
{
    /// <summary>Below so many objects a cache says little about a disk tier; nothing is judged by it.</summary>
    private const int LeastJudgedObjects = 1000;

    private readonly Lazy<long> _hitsBesideFixed = new(() => MemoryHitsBeside(Plan, Result.FixedBytes));
    private readonly Lazy<long> _hitsBesideLog = new(() => MemoryHitsBeside(Plan, Result.FixedBytes + Result.SmallestLogBytes));

    public string Trace => Plan.Trace.Name;

    public int Requests => Plan.Trace.Requests.Length;

    public bool IsCut => Requests < References.Whole.Requests.Length;

    /// <summary>About how many objects the total holds.</summary>
    public long Objects => Plan.Size.Capacity * References.Whole.Distinct / References.Whole.DistinctWeight;

    public bool IsJudged => Objects >= LeastJudgedObjects;

    public double MemoryHits => Plan.Trace.Percent(Result.Statistics.MemoryHits);

    public double DiskHits => Plan.Trace.Percent(Result.Statistics.DiskHits);

    public double Hits => MemoryHits + DiskHits;

    /// <summary>How many percent more misses than LRU with all the bytes; negative is fewer.</summary>
    public double MissesAgainstLru
    {
        get
        {
            long missesOfLru = Requests - References.Hits[ReferencePolicy.Lru.Name];
            return 100.0 * (Result.Statistics.Misses - missesOfLru) / missesOfLru;
        }
    }

    /// <summary>Points of hit ratio above LRU with all the bytes.</summary>
    public double PointsAgainstLru => Hits - Reference(ReferencePolicy.Lru);

    /// <summary>What S3-FIFO reaches with the memory alone.</summary>
    public double MemoryReference => Plan.Trace.Percent(References.MemoryHits[Plan.MemoryPercent]);

    /// <summary>Points of hit ratio of the memory above S3-FIFO with the memory alone.</summary>
    public double MemoryPoints => MemoryHits - MemoryReference;

    /// <summary>Points of hit ratio of the memory above S3-FIFO with what the fixed costs leave of it.</summary>
    public double MemoryPointsBesideFixed => MemoryHits - Plan.Trace.Percent(_hitsBesideFixed.Value);

    /// <summary>The same with what the smallest log leaves of that.</summary>
    public double MemoryPointsBesideLog => MemoryHits - Plan.Trace.Percent(_hitsBesideLog.Value);

    public double DiskObjectsPerRequest => Result.DiskObjects / Requests;

    /// <summary>What a policy reaches with all the bytes.</summary>
    public double Reference(ReferencePolicy policy) => Plan.Trace.Percent(References.Hits[policy.Name]);

    /// <summary>Hits of S3-FIFO with what something leaves of the memory.</summary>
    private static long MemoryHitsBeside(ReplayPlan plan, long bytes) =>
        ReferencePolicy.S3Fifo.HitsOf(plan.Trace, Math.Max(1, (long)(plan.Size.Capacity * (plan.Budgets.Memory - bytes) / (decimal)plan.Size.TotalBytes)));
}
