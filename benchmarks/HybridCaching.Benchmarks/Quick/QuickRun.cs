using System.Diagnostics;
using System.Globalization;
using HybridCaching.Benchmarks.Contestants;
using HybridCaching.Benchmarks.Reporting;
using HybridCaching.Benchmarks.Workloads;

namespace HybridCaching.Benchmarks.Quick;

/// <summary>The paired subset of the suites that ends within a minute: a line per cell, and all cells in <c>benchmarks/results/quick.md</c>.</summary>
internal sealed class QuickRun(ResultFiles results)
{
    private readonly List<Cell> _cells = [];
    private bool _failed;

    /// <returns>0; 1 when a contestant answered wrongly or did not do its work.</returns>
    public int Run()
    {
        long start = Stopwatch.GetTimestamp();
        string sizes = string.Create(
            CultureInfo.InvariantCulture,
            $"long keys, 32-byte values; add: {AddCells.Entries:N0} entries; query, get, set: {LoadedCells.Entries:N0} entries, hot = {LoadedCells.HotKeys:N0} keys; median of 3 paired repetitions [min-max of their ratios]; below 1 ours is faster");
        Console.WriteLine(sizes);
        long memoryOfDictionary = DictionaryContestant.MeasureMemory(LoadedCells.Entries); // before others leave their garbage
        using var one = new WorkerTeam(1);
        using var six = new WorkerTeam(6);
        WarmUp.Run(one);
        Collect(() => AddCells.Measure(KeyOrder.Sequential, one));
        Collect(() => AddCells.Measure(KeyOrder.Random, one));
        Collect(() => AddCells.Measure(KeyOrder.Sequential, six));
        Collect(() => AddCells.Measure(KeyOrder.Random, six));
        Collect(() => LoadedCells.SetRandom(one));
        Collect(() => LoadedCells.InMemory(one));
        Collect(() => LoadedCells.QueryAll(one, six, memoryOfDictionary));
        Collect(() => LoadedCells.QueryHot(one, six));
        string seconds = Stopwatch.GetElapsedTime(start).TotalSeconds.ToString("F0", CultureInfo.InvariantCulture);
        Console.WriteLine(_failed ? $"FAILED after {seconds} s; benchmarks/results/quick.md was left as it was" : $"{seconds} s; written to benchmarks/results/quick.md");
        if (!_failed) results.Write("quick.md", Page(sizes));
        return _failed ? 1 : 0;
    }

    private void Collect(Func<IEnumerable<Cell>> measure)
    {
        try
        {
            foreach (var cell in measure())
            {
                Console.WriteLine(cell);
                _cells.Add(cell);
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

        | what | compared with | ratio | min-max | ours, ns/op | theirs, ns/op |
        |---|---|---:|---:|---:|---:|
        {string.Join("\n", _cells.Select(cell => cell.ToTableRow()))}

        """;
}
