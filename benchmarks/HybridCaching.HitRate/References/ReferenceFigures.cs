using HybridCaching.HitRate.Traces;

namespace HybridCaching.HitRate.References;

/// <summary>What the reference policies reach on a trace.</summary>
internal sealed record ReferenceFigures
{
    /// <summary>The sizes of the curves, in percent of the distinct keys' weight. The pack publishes 1, 2 and 10.</summary>
    private static readonly double[] CurvePercents = [1, 2, 5, 10, 20, 40];

    /// <summary>The trace as it is.</summary>
    public required Trace Whole { get; init; }

    /// <summary>What of it goes through the caches.</summary>
    public required Trace Replayed { get; init; }

    /// <summary>What the caches, and the references they are compared with, may hold.</summary>
    public required long Capacity { get; init; }

    public required IReadOnlyList<CurvePoint> Curves { get; init; }

    /// <summary>Hits on <see cref="Replayed"/> with <see cref="Capacity"/>, by policy.</summary>
    public required IReadOnlyDictionary<string, long> Hits { get; init; }

    /// <summary>Hits of S3-FIFO on <see cref="Replayed"/> with the memory alone, by the memory's share in percent.</summary>
    public required IReadOnlyDictionary<double, long> MemoryHits { get; init; }

    /// <summary>How many steps <see cref="Take"/> reports.</summary>
    public static int StepsFor(int memoryShares) => 1 + (ReferencePolicy.All.Count * (CurvePercents.Length + 1)) + memoryShares;

    /// <param name="trace">The trace.</param>
    /// <param name="totalPercent">How much of the distinct keys' weight the caches may hold.</param>
    /// <param name="memoryPercents">How much of that is memory.</param>
    /// <param name="turnovers">The replay ends when LRU has stored so many times what it can hold.</param>
    /// <param name="step">Called after each step.</param>
    public static ReferenceFigures Take(Trace trace, double totalPercent, IReadOnlyList<double> memoryPercents, int turnovers, Action step)
    {
        long capacity = Math.Max(1, trace.CapacityAt(totalPercent));
        var replayed = trace.Take(RequestsUntil(trace, capacity, turnovers));
        step();
        return new ReferenceFigures
        {
            Whole = trace,
            Replayed = replayed,
            Capacity = capacity,
            Curves = [.. from percent in CurvePercents from policy in ReferencePolicy.All select new CurvePoint(percent, trace.CapacityAt(percent), policy.Name, HitsOf(policy, trace, trace.CapacityAt(percent)))],
            Hits = ReferencePolicy.All.ToDictionary(policy => policy.Name, policy => HitsOf(policy, replayed, capacity)),
            MemoryHits = memoryPercents.ToDictionary(percent => percent, percent => HitsOf(ReferencePolicy.S3Fifo, replayed, MemoryCapacity(capacity, percent))),
        };

        long HitsOf(ReferencePolicy policy, Trace trace, long capacity)
        {
            long hits = policy.HitsOf(trace, capacity);
            step();
            return hits;
        }
    }

    /// <summary>How much of a capacity the memory holds.</summary>
    private static long MemoryCapacity(long capacity, double percent) => Math.Max(1, (long)(capacity * (decimal)percent / 100));

    /// <summary>How many requests there are until LRU has stored so many times its capacity.</summary>
    private static int RequestsUntil(Trace trace, long capacity, int turnovers)
    {
        var cache = new LruCache(trace, capacity);
        long left = capacity * turnovers;
        int requests = 0;
        while (requests < trace.Requests.Length && left > 0)
        {
            int id = trace.Requests[requests++];
            if (!cache.Request(id)) left -= trace.Weights[id];
        }

        return requests;
    }
}
