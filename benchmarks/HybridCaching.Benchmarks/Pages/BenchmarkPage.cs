using System.Text;
using HybridCaching.Benchmarks.Contestants;

namespace HybridCaching.Benchmarks.Pages;

/// <summary>docs/benchmarks.md, made of nothing but what lies in <c>benchmarks/results</c>.</summary>
internal static class BenchmarkPage
{
    public const string Path = "docs/benchmarks.md";

    private const int Shown = 5;

    public static string Of(string results)
    {
        var suites = SuiteResult.ReadAll(results);
        var pages = ResultPage.ReadAll(results);
        Comparison[] comparisons = [.. suites.SelectMany(Comparison.Of)];
        var text = new StringBuilder(
            """
            # Benchmarks

            What was measured, on what, by which command, and where we lose. Written by `./build.sh bench` from [benchmarks/results](../benchmarks/results); change nothing here by hand.
            In the suites ratios are our time by theirs: below 1 the library is faster. Where operations per second are compared, above 1 it is. Only figures of one table may be compared, since machines and commits differ.

            The suites of BenchmarkDotNet compare software, not disks: there all of a cache's files are in the system's page cache, and "from the disk" is what was read from these files. "Memory 10%" is a budget of 10 % of the bytes of keys and values, 16 bytes of index
            for each key, and 10 MiB (12 for the cache of bytes); a raw FasterKV has the same in all. In `bench disk`, `bench throughput` and `bench scale` the library reads past the page cache; contestants that cannot have as much of it as the rest of their memory leaves.


            """);
        AppendLosses(text, comparisons, [.. SuiteTargets.Of(suites), .. pages.SelectMany(page => page.Targets)]);
        AppendWins(text, [.. comparisons.Where(static comparison => comparison.IsTelling)]);
        foreach (var suite in suites) AppendSuite(text, suite, results);
        foreach (var page in pages.Where(page => page.Plots.Count + page.Targets.Count > 0 && suites.All(suite => page.FileName != $"{suite.Suite}.md"))) AppendPage(text, page);
        AppendPages(text, pages);
        return text.ToString();
    }

    private static void AppendLosses(StringBuilder text, Comparison[] comparisons, TargetRow[] targets)
    {
        text.Append("## Where we lose\n\n");
        foreach (var group in comparisons.GroupBy(comparison => (comparison.Suite.Suite, comparison.Opponent)))
        {
            var ordered = group.OrderBy(comparison => comparison.Ratio).ToArray();
            var worst = ordered[^1];
            string tiers = worst.Tiers.Length > 0 ? $"; {worst.Tiers}" : "";
            string which = worst.Ratio > 1 ? "worst" : "closest";
            text.Append($"- **{group.Key.Suite}, beside {group.Key.Opponent}**: slower in {ordered.Count(comparison => comparison.Ratio > 1)} of {ordered.Length} cells, median ratio {Comparison.Show(ordered[ordered.Length / 2].Ratio)}, ");
            text.Append($"{which} {Comparison.Show(worst.Ratio)}: {worst.Ours.Cell}, {Comparison.Nanoseconds(worst.Ours.Nanoseconds)} ns against {Comparison.Nanoseconds(worst.Theirs.Nanoseconds)} ns{tiers}.\n");
        }

        if (comparisons.Length == 0) text.Append("No suite has been measured yet: `./build.sh bench`.\n");
        AppendCells(text, "The worst cell for each workload", comparisons.Where(comparison => comparison.Ratio > 1).OrderByDescending(comparison => comparison.Ratio).DistinctBy(comparison => comparison.Ours.Workload).Take(2 * Shown));
        TargetRow[] missed = [.. targets.Where(each => each.IsMissed)];
        if (missed.Length == 0) return;
        text.Append("\nTargets that we have set ourselves and miss ([what bounds them](targets.md)):\n\n| what | target | figure | page |\n|---|---:|---:|---|\n").AppendJoin('\n', missed.Select(each => each.ToLinkedRow())).Append('\n');
    }

    private static void AppendWins(StringBuilder text, Comparison[] comparisons)
    {
        if (comparisons.All(comparison => comparison.Ratio >= 1)) return;
        text.Append("\n## Where we win\n");
        foreach (var group in comparisons.Where(comparison => comparison.Ratio < 1).GroupBy(comparison => comparison.Opponent))
            AppendCells(text, $"Beside {group.Key}, the best cell for each workload", group.OrderBy(comparison => comparison.Ratio).DistinctBy(comparison => comparison.Ours.Workload).Take(Shown));
    }

    private static void AppendCells(StringBuilder text, string title, IEnumerable<Comparison> cells)
    {
        Comparison[] rows = [.. cells];
        if (rows.Length == 0) return;
        text.Append($"\n{title}:\n\n| suite | cell | beside | ours, ns | theirs, ns | ratio | reads |\n|---|---|---|---:|---:|---:|---|\n").AppendJoin('\n', rows.Select(row => row.ToTableRow())).Append('\n');
    }

    private static void AppendSuite(StringBuilder text, SuiteResult suite, string results)
    {
        text.Append($"\n## {suite.Suite}\n\n").AppendJoin('\n', suite.Facts.Select(fact => $"- {fact}"));
        string command = SuiteRun.IsUsual(suite.Suite) ? $"`./build.sh bench`, with all cells that it has by `./build.sh bench {suite.Suite}`" : $"`./build.sh bench {suite.Suite}`";
        text.Append($"\n- Made by {command}; figures in [{suite.FileName}](../benchmarks/results/{suite.FileName}), tables with spread, allocation, memory and tiers in [{suite.Suite}.md](../benchmarks/results/{suite.Suite}.md)\n\n");
        foreach (string plot in SuitePlots.NamesFor(suite).Where(name => File.Exists(System.IO.Path.Combine(results, name)))) text.Append($"![{suite.Suite}](../benchmarks/results/{plot})\n\n");
        string[] memories = [.. suite.Rows.Select(row => row.Memory).Distinct().Where(memory => memory != MemoryShare.NotApplicable).OrderBy(SuitePlots.Rank)];
        if (memories.Length == 0) AppendRows(text, suite);
        else AppendPivot(text, suite, memories);
    }

    private static void AppendRows(StringBuilder text, SuiteResult suite)
    {
        text.Append("| workload | contestant | ns |\n|---|---|---:|\n");
        foreach (var row in suite.Rows.GroupBy(row => row.Workload).SelectMany(group => group.OrderBy(row => row.Nanoseconds))) text.Append($"| {row.Workload} | {row.Contestant} | {Comparison.Nanoseconds(row.Nanoseconds)} |\n");
    }

    /// <summary>A line for each workload, a column for each contestant that has no choice of memory, and one for each share of memory with all that have.</summary>
    private static void AppendPivot(StringBuilder text, SuiteResult suite, string[] memories)
    {
        string[] fixedOnes = [.. suite.Rows.Where(row => row.Memory == MemoryShare.NotApplicable).Select(row => row.Contestant).Distinct().Order(StringComparer.Ordinal)];
        string[] others = [.. suite.Rows.Where(row => row.Memory != MemoryShare.NotApplicable).Select(row => row.Contestant).Distinct().Order(StringComparer.Ordinal)];
        text.Append($"Nanoseconds; in the columns of memory {string.Join(" / ", others)}.\n\n| workload | {string.Join(" | ", fixedOnes.Concat(memories))} |\n|---|{string.Concat(Enumerable.Repeat("---:|", fixedOnes.Length + memories.Length))}\n");
        foreach (var group in suite.Rows.GroupBy(row => row.Workload).OrderBy(group => group.Key, StringComparer.Ordinal))
        {
            var cells = fixedOnes.Select(contestant => Find(group, contestant, MemoryShare.NotApplicable)).Concat(memories.Select(memory => string.Join(" / ", others.Select(contestant => Find(group, contestant, memory)))));
            text.Append($"| {group.Key} | {string.Join(" | ", cells.Select(cell => cell.Trim(' ', '/')))} |\n");
        }

        static string Find(IEnumerable<ResultRow> rows, string contestant, string memory) =>
            rows.FirstOrDefault(row => row.Contestant == contestant && row.Memory == memory) is { } row ? Comparison.Nanoseconds(row.Nanoseconds) : "";
    }

    private static void AppendPage(StringBuilder text, ResultPage page)
    {
        text.Append($"\n## {page.Title}\n\n{page.Machine}, commit {page.Commit}, {page.Date}, by {page.MadeBy}; all of it, and how it was measured: [{page.FileName}](../benchmarks/results/{page.FileName}).\n\n");
        foreach (string plot in page.Plots) text.Append($"{plot}\n\n");
        if (page.Targets.Count > 0) text.Append("**Bold** misses its target.\n\n| what | target | figure |\n|---|---:|---:|\n").AppendJoin('\n', page.Targets).Append('\n');
    }

    private static void AppendPages(StringBuilder text, IReadOnlyList<ResultPage> pages)
    {
        text.Append("\n## All pages\n\n| page | what | machine | commit | date | made by |\n|---|---|---|---|---|---|\n").AppendJoin('\n', pages.Select(page => page.ToTableRow())).Append('\n');
    }
}
