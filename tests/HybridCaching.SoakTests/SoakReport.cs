using System.Text;

namespace HybridCaching.SoakTests;

/// <summary>The figures of a long run, as <c>./build.sh soak</c> puts them on its page and draws them: a section and a table of samples in the folder that the environment names.</summary>
internal static class SoakReport
{
    private const string FolderVariable = "HYBRIDCACHING_SOAK_REPORT";
    private const double Mebi = 1 << 20;

    public static void Write(SoakResult result)
    {
        string section = SectionOf(result);
        TestContext.Current.SendDiagnosticMessage(section);
        if (Environment.GetEnvironmentVariable(FolderVariable) is not { Length: > 0 } folder) return;
        File.WriteAllText(Path.Combine(folder, $"{result.Plan.Name}.md"), section);
        File.WriteAllLines(Path.Combine(folder, $"{result.Plan.Name}.tsv"), result.Samples.Select(s => $"{s.At.TotalMinutes:F4}\t{s.Resident / Mebi:F1}\t{s.Memory / Mebi:F1}\t{s.Disk / Mebi:F1}\t{s.Handles}"));
    }

    private static string SectionOf(SoakResult result)
    {
        var plan = result.Plan;
        var text = new StringBuilder();
        text.Append($"## {plan.Name}\n\n");
        text.Append($"MemoryBudget {plan.MemoryBudget}, DiskBudget {plan.DiskBudget}, {plan.PopularKeys:N0} keys by Zipf and as many that are scanned, {plan.Threads} threads, {result.Tenths.Sum(t => t.Seconds) / 60:N1} minutes after warming up.\n\n");
        text.Append("| what | target | figure | |\n|---|---:|---:|---|\n");
        foreach (string row in Rows(result)) text.Append(row).Append('\n');
        text.Append("\n| tenth | operations/s | hits | on disk | get p50, µs | p99 | p99.9 | longest | set p50, µs | p99 | p99.9 | longest | written, MiB | process, MiB | open files | gen-2 |\n");
        text.Append("|---:|---:|---:|---:|---:|---:|---:|---:|---:|---:|---:|---:|---:|---:|---:|---:|\n");
        for (int i = 0; i < result.Tenths.Count; i++) text.Append(RowOf(result, i + 1)).Append('\n');
        return text.Append('\n').ToString();
    }

    private static IEnumerable<string> Rows(SoakResult result)
    {
        var plan = result.Plan;
        var (first, last) = (result.Tenths[0], result.Tenths[^1]);
        yield return Row("operations", "", $"{plan.Operations:N0}", null);
        yield return Row("the disk written, times its budget", $"≥ {plan.Turnovers:N0}", $"{result.Turnovers:N1}", result.Turnovers >= plan.Turnovers);
        yield return Row("wrong values", "0", $"{result.Violations.Count}", result.Violations.Count == 0);
        yield return Row("most memory by the cache's account, MiB", $"≤ {plan.MemoryBudget.Bytes / Mebi:N0}", $"{result.MostMemory / Mebi:N1}", result.MostMemory <= plan.MemoryBudget.Bytes);
        yield return Row($"most disk of {result.Samples.Count:N0} samples, MiB", $"≤ {plan.DiskBudget.Bytes / Mebi:N0}", $"{result.MostDisk / Mebi:N1}", result.MostDisk <= plan.DiskBudget.Bytes);
        yield return Row("most memory of the process beyond what it had before, MiB", $"≤ {result.MostResidentAllowed / Mebi:N0}", $"{result.MostResident / Mebi:N1}", result.MostResident <= result.MostResidentAllowed);
        yield return Row("the same at the end, garbage collected", $"≤ {result.MostResidentAllowed / Mebi:N0}", $"{result.ResidentCollected / Mebi:N1}", result.ResidentCollected <= result.MostResidentAllowed);
        yield return Row("growth of the process per time the disk is written", "≤ 1 %", $"{result.ResidentSlope():N2} %", result.ResidentSlope() <= 1);
        yield return Row("most open files in the second half (first)", "constant, ± 5 %", $"{result.MostHandlesLater} ({result.MostHandlesEarlier})", result.MostHandlesLater <= result.MostHandlesAllowed);
        yield return Row("open files after the cache was closed (before it was opened)", "no more", $"{result.HandlesAfter} ({result.HandlesBefore})", result.HandlesAfter <= result.HandlesBefore);
        yield return Row("p99 of a get, last tenth / first", "≤ 1.50", $"{result.GetsP99Ratio:N2} ({last.Gets.Microseconds(99):N1} µs / {first.Gets.Microseconds(99):N1} µs)", result.GetsP99Ratio <= 1.5);
        yield return Row("p99 of a set, last tenth / first", "≤ 1.50", $"{result.SetsP99Ratio:N2} ({last.Sets.Microseconds(99):N1} µs / {first.Sets.Microseconds(99):N1} µs)", result.SetsP99Ratio <= 1.5);
        yield return Row("full collections, last tenth (first)", "", $"{last.Gen2} ({first.Gen2})", null);
        yield return Row("writes dropped, reads timed out", "", $"{result.Statistics.DroppedWrites:N0}, {result.Statistics.Timeouts:N0}", null);
    }

    private static string Row(string what, string target, string figure, bool? isMet) =>
        $"| {what} | {target} | {figure} | {isMet switch { true => "met", false => "**missed**", null => "" }} |";

    private static string RowOf(SoakResult result, int number)
    {
        var tenth = result.Tenths[number - 1];
        var samples = result.Samples.Where(s => s.Tenth == number).DefaultIfEmpty().ToList();
        return $"| {number} | {result.Plan.OperationsOfTenth / tenth.Seconds:N0} | {tenth.HitRatio:P1} | {tenth.DiskHitRatio:P1} | {Times(tenth.Gets)} | {Times(tenth.Sets)} | {(tenth.After.DiskWrittenBytes - tenth.Before.DiskWrittenBytes) / Mebi:N0} | {samples.Average(s => s.Resident) / Mebi:N0} | {samples.Min(s => s.Handles)}-{samples.Max(s => s.Handles)} | {tenth.Gen2} |";
    }

    private static string Times(Latencies latencies) =>
        $"{latencies.Microseconds(50):N1} | {latencies.Microseconds(99):N1} | {latencies.Microseconds(99.9):N1} | {latencies.MaxMicroseconds:N0}";
}
