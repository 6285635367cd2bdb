using System.Text;
using HybridCaching.HitRate.References;

namespace HybridCaching.HitRate.Reporting;

/// <summary>All figures, one line each, with tabs in between: for other programs.</summary>
internal static class Tables
{
    public static string Of(IEnumerable<Outcome> outcomes)
    {
        string references = string.Join('\t', ReferencePolicy.All.Select(policy => policy.Name.ToLowerInvariant().Replace('-', '_') + "_hits"));
        var text = new StringBuilder(
            "trace\tmemory_percent\tcache\trequests_of_trace\trequests\tcapacity\tunit_bytes\ttotal_bytes\tmemory_budget\tdisk_budget\tfixed_bytes\tsmallest_log_bytes\tmost_memory\thot_tier\tmost_disk\t"
            + $"memory_hits\tdisk_hits\tmisses\twrites\tevictions\tset_bytes\tdisk_written_bytes\tdisk_objects_per_request\t{references}\ts3_fifo_memory_hits\tseconds\n");
        foreach (var outcome in outcomes)
        {
            var (plan, result, statistics) = (outcome.Plan, outcome.Result, outcome.Result.Statistics);
            object[] cells =
            [
                outcome.Trace, plan.MemoryPercent, plan.Size.Kind.Name, outcome.References.Whole.Requests.Length, outcome.Requests, plan.Size.Capacity, plan.Size.UnitBytes, plan.Size.TotalBytes,
                plan.Budgets.Memory, plan.Budgets.Disk, result.FixedBytes, result.SmallestLogBytes, result.MostMemory, result.HotTier, result.MostDisk,
                statistics.MemoryHits, statistics.DiskHits, statistics.Misses, statistics.Writes, statistics.Evictions, result.SetBytes, statistics.DiskWrittenBytes, $"{outcome.DiskObjectsPerRequest:F4}",
                .. ReferencePolicy.All.Select(policy => outcome.References.Hits[policy.Name]), outcome.References.MemoryHits[plan.MemoryPercent], $"{result.Elapsed.TotalSeconds:F1}",
            ];
            text.AppendJoin('\t', cells).Append('\n');
        }

        return text.ToString();
    }

    public static string OfCurves(IEnumerable<ReferenceFigures> figures)
    {
        var text = new StringBuilder("trace\tpercent\tcapacity\tpolicy\thit_percent\thits\trequests\n");
        foreach (var figure in figures)
        {
            foreach (var point in figure.Curves)
                text.Append($"{figure.Whole.Name}\t{point.Percent}\t{point.Capacity}\t{point.Policy}\t{figure.Whole.Percent(point.Hits):F2}\t{point.Hits}\t{figure.Whole.Requests.Length}\n");
        }

        return text.ToString();
    }
}
