using System.Text;
using HybridCaching.HitRate.References;
using HybridCaching.HitRate.Replay;

namespace HybridCaching.HitRate.Reporting;

/// <summary>The page of a run, in Markdown.</summary>
internal sealed class ResultPage(HitRateOptions options, IReadOnlyList<ReferenceFigures> figures, IReadOnlyList<Outcome> outcomes)
{
    private const int BytesPerMegabyte = 1 << 20;

    private readonly StringBuilder _text = new();

    /// <param name="provenance">Where it comes from, one fact a line.</param>
    /// <param name="comparison">What became of the comparison with published references.</param>
    /// <param name="picture">The file of the plot; null if there is none.</param>
    /// <param name="isPack">Whether there are targets.</param>
    public string Write(IEnumerable<string> provenance, string comparison, string? picture, bool isPack)
    {
        _text.Append($"# Hit ratios{(options.DiskWriteBudget is { } budget ? $" with a DiskWriteBudget of {budget:H}" : "")}\n\n");
        foreach (string fact in provenance) _text.Append($"- {fact}\n");
        _text.Append($"- References: {comparison}\n\n");
        if (isPack) _text.Append("The traces' sources and licences, and what is compared, are in the [program's README](../HybridCaching.HitRate/README.md).\n\n");
        if (picture is not null) _text.Append($"![Miss-ratio curves]({picture})\n\n");
        if (outcomes.Count > 0)
        {
            AppendMethod();
            if (isPack) AppendTargets();
            foreach (double memory in options.MemoryPercents) AppendOutcomes(memory);
            AppendChoices();
        }
        else
        {
            AppendReferences();
        }

        return _text.ToString();
    }

    private static string Megabytes(long bytes) => $"{bytes / (double)BytesPerMegabyte:N1}";

    private static string Marked(string text, bool isMarked) => isMarked ? $"**{text}**" : text;

    private void AppendMethod() => _text.Append($"""
        Every request is a `TryGet`; after a miss comes a `Set`. One thread a trace, from an empty cache to the end of the trace: what fills it at first counts, as it does for the references.

        - **Total**: key and value bytes of {options.TotalPercent} % of the distinct keys (of their bytes, where the trace names sizes). References hold exactly that, without any cost beside it. The cache's memory budget and
          disk budget add up to the same number of bytes, and everything it needs comes out of that: index, buffers, headers, free segments, and whatever is both in memory and on the disk.
        - **Entries**: so long that the memory (at {options.MemoryPercents.Min()} %) is at least {CacheSizer.Margin} times the fixed costs, i.e. index and buffers of the empty cache. Typed caches with the shortest entries that do, up to 16 KiB, else the cache of bytes with
          `TypicalEntryBytes` {options.TypicalEntry} and at least {CacheSizer.LeastMemoryBytes >> 20} MiB of memory. Where the trace names sizes, they are multiplied.
        - **Objects/request**: bytes written to the disk, over those of a mean entry, over requests. **Misses vs LRU**: negative is fewer. **Memory vs S3**: points above S3-FIFO with the memory alone, which has no fixed costs; **beside fixed**: with what
          index and buffers leave of it; **beside log**: with what these and the smallest log there can be leave of it.
        - A replay ends early when LRU would have stored {options.Turnovers} times what it can hold; the references beside it end there, too. Marked ✂.
        - ◦ marks caches of fewer than 1,000 objects: they count in means, but no worst case is judged by them.


        """);

    private void AppendTargets()
    {
        _text.Append("## Targets\n\n**Bold** misses its target.\n\n| figure | target | today |\n|---|---:|---:|\n");
        foreach (var target in Target.Of(outcomes))
        {
            string figure = $"{target.Figure:0.00}{target.Unit}{(target.Detail.Length > 0 ? $" ({target.Detail})" : "")}";
            _text.Append($"| {target.What} | {(target.IsMost ? "≤" : "≥")} {target.Limit}{target.Unit} | {Marked(figure, !target.IsMet)} |\n");
        }

        _text.Append('\n');
    }

    private void AppendOutcomes(double memory)
    {
        Outcome[] rows = [.. outcomes.Where(outcome => outcome.Plan.MemoryPercent == memory)];
        _text.Append($"## Memory {memory} % of the total\n\n");
        _text.Append("| trace | requests | objects | hit % | memory | disk | LRU | FIFO | S3-FIFO | Belady | misses vs LRU, % | points vs LRU | memory vs S3 | beside fixed | beside log | objects/request | GB written | evictions |\n");
        _text.Append("|---|---:|---:|---:|---:|---:|---:|---:|---:|---:|---:|---:|---:|---:|---:|---:|---:|---:|\n");
        foreach (var row in rows)
        {
            _text.Append($"| {row.Trace}{(row.IsJudged ? "" : " ◦")}{(row.IsCut ? " ✂" : "")} | {row.Requests:N0} | {row.Objects:N0} | {row.Hits:F2} | {row.MemoryHits:F2} | {row.DiskHits:F2} ");
            foreach (var policy in ReferencePolicy.All) _text.Append($"| {row.Reference(policy):F2} ");
            _text.Append($"| {row.MissesAgainstLru:+0.0;-0.0;0.0} | {row.PointsAgainstLru:+0.00;-0.00;0.00} | {row.MemoryPoints:+0.00;-0.00;0.00} | {row.MemoryPointsBesideFixed:+0.00;-0.00;0.00} | {row.MemoryPointsBesideLog:+0.00;-0.00;0.00} | {row.DiskObjectsPerRequest:F3} ");
            _text.Append($"| {row.Result.Statistics.DiskWrittenBytes / 1e9:F1} | {row.Result.Statistics.Evictions:N0} |\n");
        }

        AppendMeans("mean", rows);
        if (rows.Any(row => row.IsJudged) && rows.Any(row => !row.IsJudged)) AppendMeans("mean without ◦", [.. rows.Where(row => row.IsJudged)]);
        _text.Append('\n');
    }

    private void AppendMeans(string name, Outcome[] rows)
    {
        _text.Append($"| *{name}* |  |  | {rows.Average(row => row.Hits):F2} | {rows.Average(row => row.MemoryHits):F2} | {rows.Average(row => row.DiskHits):F2} ");
        foreach (var policy in ReferencePolicy.All) _text.Append($"| {rows.Average(row => row.Reference(policy)):F2} ");
        _text.Append($"| {rows.Average(row => row.MissesAgainstLru):+0.0;-0.0;0.0} | {rows.Average(row => row.PointsAgainstLru):+0.00;-0.00;0.00} | {rows.Average(row => row.MemoryPoints):+0.00;-0.00;0.00} | {rows.Average(row => row.MemoryPointsBesideFixed):+0.00;-0.00;0.00} | {rows.Average(row => row.MemoryPointsBesideLog):+0.00;-0.00;0.00} ");
        _text.Append($"| {rows.Average(row => row.DiskObjectsPerRequest):F3} | {rows.Sum(row => row.Result.Statistics.DiskWrittenBytes) / 1e9:F1} |  |\n");
    }

    private void AppendChoices()
    {
        _text.Append("## What was chosen, and what was used\n\nIn MiB, but for the entries. *Used* is the most of 200 looks: memory by `GetMemoryUsage`, disk by the blocks of the folder. *Hot tier* is what it had of the memory at the end.\n\n");
        _text.Append("| trace | memory, % | cache | entry, bytes | total | memory budget | fixed costs | memory used | hot tier | disk budget | disk used | seconds | trouble |\n|---|---:|---|---:|---:|---:|---:|---:|---:|---:|---:|---:|---|\n");
        foreach (var (references, plan, result) in outcomes)
        {
            string entry = plan.Trace.IsSized ? $"size × {plan.Size.UnitBytes:N0}" : $"{plan.Size.UnitBytes:N0}";
            _text.Append($"| {plan.Trace.Name} | {plan.MemoryPercent} | {plan.Size.Kind.Name} | {entry} | {Megabytes(plan.Size.TotalBytes)} | {Megabytes(plan.Budgets.Memory)} | {Megabytes(result.FixedBytes)} ");
            _text.Append($"| {Megabytes(result.MostMemory)} | {Megabytes(result.HotTier)} | {Megabytes(plan.Budgets.Disk)} | {Megabytes(result.MostDisk)} | {result.Elapsed.TotalSeconds:N0} | {result.Trouble} |\n");
        }
    }

    private void AppendReferences()
    {
        double[] percents = [.. figures[0].Curves.Select(point => point.Percent).Distinct()];
        _text.Append($"| trace | policy | {string.Join(" | ", percents.Select(percent => $"{percent} %"))} |\n|---|---|{string.Concat(percents.Select(_ => "---:|"))}\n");
        foreach (var figure in figures)
        {
            foreach (var policy in ReferencePolicy.All)
                _text.Append($"| {figure.Whole.Name} | {policy.Name} | {string.Join(" | ", figure.Curves.Where(point => point.Policy == policy.Name).Select(point => $"{figure.Whole.Percent(point.Hits):F2}"))} |\n");
        }
    }
}
