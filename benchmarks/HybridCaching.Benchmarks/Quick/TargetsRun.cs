using System.Globalization;
using HybridCaching.Benchmarks.Workloads;

namespace HybridCaching.Benchmarks.Quick;

/// <summary>The paired subset of the suites: a line per cell; all cells in <c>benchmarks/results/targets.md</c>, and those with a target in the README.</summary>
internal sealed class TargetsRun(ResultFiles results)
{
    public const string Command = "targets";

    /// <summary>Measures everything once, and only prints it.</summary>
    public const string QuickCommand = "quick";

    /// <returns>0; 1 when a contestant answered wrongly or did not do its work.</returns>
    public int Run()
    {
        var page = Measure("Targets in pairs", withStorm: true);
        if (!page.TryWrite(results)) return 1;
        ReadmeFigures.Write(results, page.Cells, page.Figures);
        return 0;
    }

    /// <inheritdoc cref="Run"/>
    public static int RunOnce()
    {
        Paired.Repetitions = 1;
        return Measure("Quick benchmarks", withStorm: false).TryEnd() ? 0 : 1;
    }

    private static QuickPage Measure(string title, bool withStorm)
    {
        string sizes = string.Create(
            CultureInfo.InvariantCulture,
            $"long keys (Guid where said), 32-byte values; add: {AddCells.Entries:N0} entries; query, get, set: {LoadedCells.Entries:N0} entries, hot = {LoadedCells.HotKeys:N0} keys; median of {Paired.Repetitions} paired repetitions [min-max of their ratios]; below 1 ours is faster");
        var page = new QuickPage(title, Command, sizes);
        using var one = new WorkerTeam(1);
        using var six = new WorkerTeam(6);
        if (withStorm) page.Collect(() => StormFigures.Measure(six)); // before others leave their garbage
        WarmUp.Run(one);
        page.Collect(() => AddCells.Measure(KeyOrder.Sequential, one));
        page.Collect(() => AddCells.Measure(KeyOrder.Random, one));
        page.Collect(() => AddCells.Measure(KeyOrder.Sequential, six));
        page.Collect(() => AddCells.Measure(KeyOrder.Random, six));
        page.Collect(() => LoadedCells.SetRandom(one));
        page.Collect(() => LoadedCells.InMemory(one));
        page.Collect(() => LoadedCells.SetMany(one));
        page.Collect(() => LoadedCells.Overwrite(one, six));
        page.Collect(() => HostileCells.Measure(one));
        page.Collect(() => LoadedCells.QueryAll(one, six));
        page.Collect(() => LoadedCells.QueryHot(one, six));
        page.Collect(() => MemoryCells.Measure(one));
        return page;
    }
}
