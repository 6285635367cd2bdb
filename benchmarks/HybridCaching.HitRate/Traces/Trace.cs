namespace HybridCaching.HitRate.Traces;

/// <summary>A sequence of requests. Keys are renumbered 0, 1, 2, … in order of first appearance; these numbers are called ids.</summary>
internal sealed class Trace
{
    public required string Name { get; init; }

    /// <summary>The id that each request asks for.</summary>
    public required int[] Requests { get; init; }

    /// <summary>The key of each id, as the source has it.</summary>
    public required long[] Keys { get; init; }

    /// <summary>What each id weighs: bytes, or 1 where the source names no sizes.</summary>
    public required int[] Weights { get; init; }

    /// <summary>Whether the source names sizes.</summary>
    public required bool IsSized { get; init; }

    public int Distinct => Keys.Length;

    public long DistinctWeight => field > 0 ? field : field = Weights.Sum(weight => (long)weight);

    /// <summary>The weight of so many percent of the distinct keys, rounded down.</summary>
    public long CapacityAt(double percent) => (long)(DistinctWeight * (decimal)percent / 100);

    public double Percent(long requests) => 100.0 * requests / Requests.Length;

    /// <summary>The first so many requests. Capacities stay those of the whole.</summary>
    public Trace Take(int requests) => requests >= Requests.Length ? this : new Trace
    {
        Name = Name,
        Requests = Requests[..requests],
        Keys = Keys,
        Weights = Weights,
        IsSized = IsSized,
    };
}
