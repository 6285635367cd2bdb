namespace HybridCaching.HitRate.Reporting;

/// <summary>What the caches shall reach on a pack.</summary>
/// <param name="What">The figure.</param>
/// <param name="Limit">The most, or the least, that it may be.</param>
/// <param name="IsMost">Whether the limit is the most.</param>
/// <param name="Figure">The figure today.</param>
/// <param name="Unit">What stands behind figures.</param>
/// <param name="Detail">Where it comes from, if from one trace.</param>
internal sealed record Target(string What, double Limit, bool IsMost, double Figure, string Unit, string Detail)
{
    public bool IsMet => IsMost ? Figure <= Limit : Figure >= Limit;

    /// <summary>The targets of those shares of memory that have any.</summary>
    public static IReadOnlyList<Target> Of(IEnumerable<Outcome> outcomes) =>
        [.. outcomes.GroupBy(outcome => outcome.Plan.MemoryPercent).OrderBy(group => group.Key).SelectMany(group => Of(group.Key, [.. group]))];

    private static IEnumerable<Target> Of(double memoryPercent, Outcome[] outcomes)
    {
        string at = FormattableString.Invariant($", memory {memoryPercent} %");
        if (outcomes.Any(outcome => outcome.Plan.Budgets.DiskWrites is not null))
        {
            yield return new Target("objects written to the disk per request with a DiskWriteBudget, mean" + at, 0.3, true, outcomes.Average(outcome => outcome.DiskObjectsPerRequest), "", "");
            yield break;
        }

        (double Misses, double Points) limits;
        if (memoryPercent == 2) limits = (-7, -1);
        else if (memoryPercent == 10) limits = (-5, -2);
        else yield break;

        yield return new Target("misses against LRU with all the bytes, mean" + at, limits.Misses, true, outcomes.Average(outcome => outcome.MissesAgainstLru), " %", "");
        if (outcomes.Where(outcome => outcome.IsJudged).MinBy(outcome => outcome.PointsAgainstLru) is { } worst)
            yield return new Target("hit ratio against LRU with all the bytes, worst trace" + at, limits.Points, false, worst.PointsAgainstLru, " points", worst.Trace);
        yield return new Target("memory hits against S3-FIFO with the memory alone, mean" + at, -1, false, outcomes.Average(outcome => outcome.MemoryPoints), " points", "");
        yield return new Target("objects written to the disk per request, mean" + at, 0.65, true, outcomes.Average(outcome => outcome.DiskObjectsPerRequest), "", "");
    }
}
