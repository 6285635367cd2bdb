using System.Diagnostics;
using System.Globalization;
using HybridCaching.Benchmarks.Reporting;
using HybridCaching.Benchmarks.Workloads;

namespace HybridCaching.Benchmarks.Quick;

/// <summary>The paired subset of the suites that ends within two minutes: a line per cell; all cells in <c>benchmarks/results/quick.md</c>, and those with a target in the README.</summary>
internal sealed class QuickRun(ResultFiles results)
{
    private readonly List<Cell> _cells = [];
    private readonly List<Figure> _figures = [];
    private bool _failed;

    /// <returns>0; 1 when a contestant answered wrongly or did not do its work.</returns>
    public int Run()
    {
        long start = Stopwatch.GetTimestamp();
        string sizes = string.Create(
            CultureInfo.InvariantCulture,
            $"long keys (Guid where said), 32-byte values; add: {AddCells.Entries:N0} entries; query, get, set: {LoadedCells.Entries:N0} entries, hot = {LoadedCells.HotKeys:N0} keys; median of 3 paired repetitions [min-max of their ratios]; below 1 ours is faster");
        Console.WriteLine(sizes);
        using var one = new WorkerTeam(1);
        using var six = new WorkerTeam(6);
        Collect(() => StormFigures.Measure(six)); // before others leave their garbage
        WarmUp.Run(one);
        Collect(() => AddCells.Measure(KeyOrder.Sequential, one));
        Collect(() => AddCells.Measure(KeyOrder.Random, one));
        Collect(() => AddCells.Measure(KeyOrder.Sequential, six));
        Collect(() => AddCells.Measure(KeyOrder.Random, six));
        Collect(() => LoadedCells.SetRandom(one));
        Collect(() => LoadedCells.InMemory(one));
        Collect(() => LoadedCells.SetMany(one));
        Collect(() => LoadedCells.Overwrite(one, six));
        Collect(() => HostileCells.Measure(one));
        Collect(() => LoadedCells.QueryAll(one, six));
        Collect(() => LoadedCells.QueryHot(one, six));
        Collect(() => MemoryCells.Measure(one));
        string seconds = Stopwatch.GetElapsedTime(start).TotalSeconds.ToString("F0", CultureInfo.InvariantCulture);
        Console.WriteLine(_failed ? $"FAILED after {seconds} s; benchmarks/results/quick.md was left as it was" : $"{seconds} s; written to benchmarks/results/quick.md");
        if (!_failed)
        {
            results.Write("quick.md", Page(sizes));
            ReadmeFigures.Write(results, _cells, _figures);
        }

        return _failed ? 1 : 0;
    }

    private void Collect(Func<IEnumerable<Cell>> measure) => Collect(measure, _cells);

    private void Collect(Func<IEnumerable<Figure>> measure) => Collect(measure, _figures);

    private void Collect<T>(Func<IEnumerable<T>> measure, List<T> results)
    {
        try
        {
            foreach (var result in measure())
            {
                Console.WriteLine(result);
                results.Add(result);
            }
        }
        catch (Exception failure)
        {
            _failed = true;
            Console.WriteLine($"FAILED: {failure}");
        }
    }

    private string Page(string sizes) =>
        $"""
        # Quick benchmarks

        {string.Join("\n", results.Provenance().Select(fact => $"- {fact}"))}
        - Sizes: {sizes}
        - Made by `dotnet run -c Release --project benchmarks/HybridCaching.Benchmarks -- quick`

        | what | compared with | target | ratio | min-max | ours, ns/op | theirs, ns/op | core to core, ns |
        |---|---|---:|---:|---:|---:|---:|---:|
        {string.Join("\n", _cells.Select(cell => cell.ToTableRow()))}

        | what | target | figure |
        |---|---:|---:|
        {string.Join("\n", _figures.Select(figure => figure.ToTableRow()))}

        """;
}
