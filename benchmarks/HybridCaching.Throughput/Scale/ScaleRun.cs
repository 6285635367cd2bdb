using System.Globalization;
using System.Text.Json;
using HybridCaching.Throughput.Cells;
using HybridCaching.Throughput.Contestants;
using Spectre.Console;

namespace HybridCaching.Throughput.Scale;

/// <summary>More and more entries, each number of them in a process of its own; then the pauses of the garbage collector. Written to <c>benchmarks/results/scale.md</c>, <c>.json</c> and <c>.svg</c>, or under <c>artifacts</c> if there are fewer entries than there should be.</summary>
internal sealed class ScaleRun(ScaleOptions options, Repository repository)
{
    public const int PauseSeconds = 10;
    public const int PauseRepeats = 3;

    private const int MostForPauses = 10;
    private const string Name = ScaleOptions.Command;

    private readonly ResultFiles _files = new(repository, options.Millions < MostForPauses ? Path.Combine(repository.Root, "artifacts", ScaleOptions.Command) : null);

    /// <summary>Who of ours is measured, in their order on the page.</summary>
    public static IReadOnlyList<string> OursInPauses { get; } = [Contender.Typed, Contender.Bytes];

    public static IReadOnlyList<string> OthersInPauses { get; } = [Contender.Dictionary, Contender.TextDictionary, Contender.Memory];

    public async Task<bool> RunAsync(string commandLine, CancellationToken cancellationToken)
    {
        var figures = new List<ScaleFigures>();
        var pauses = new List<Measurement>();
        await Terminal.Progress().HideCompleted(true).StartAsync(async progress =>
        {
            foreach (int millions in Sizes())
            {
                string entries = ((long)millions * ScaleResult.Million).ToString(CultureInfo.InvariantCulture);
                string[] results = await TryAsync(progress, $"{millions} M entries", async told => await CellProcess.RunAsync([ScaleChild.Command, entries], hasUsualGarbage: false, told, cancellationToken));
                figures.AddRange(results.Select(result => JsonSerializer.Deserialize<ScaleFigures>(result)!));
            }

            foreach (var (repeat, contender) in from repeat in Enumerable.Range(0, PauseRepeats) from contender in OursInPauses.Concat(OthersInPauses) select (repeat, contender))
                pauses.AddRange(await TryAsync<Measurement>(progress, $"pauses, {contender} {repeat + 1}", async told => [.. await CellProcess.MeasureAsync(PausePlan(contender, repeat), told, cancellationToken)]));
        });
        Write(commandLine, new ScaleResult(_files.Provenance(), figures, [.. pauses.Select(PauseFigures.Of)]));
        return figures.Count > 0;
    }

    private void Write(string commandLine, ScaleResult result)
    {
        string? plot = result.Sizes.Count > 0 ? $"{Name}.svg" : null;
        if (plot is not null && Gnuplot.Run(ScalePlot.ScriptFor(_files.PathOf(plot), result)) is { } problem)
        {
            Console.WriteLine($"No plot: {problem}.");
            plot = null;
        }

        string page = ScalePage.Of(result, commandLine, plot);
        _files.Write($"{Name}.md", page);
        _files.Write($"{Name}.json", result.ToJson());
        Console.WriteLine($"\n{page}\nWritten: {Path.GetRelativePath(Environment.CurrentDirectory, _files.PathOf($"{Name}.md"))}.");
    }

    /// <summary>Runs a process with a bar. What fails is told, and gives nothing.</summary>
    private static async Task<T[]> TryAsync<T>(ProgressContext progress, string name, Func<Action<double, string>, Task<T[]>> run)
    {
        var bar = progress.AddTask(name, maxValue: 1);
        T[] results = [];
        try
        {
            results = await run((done, _) => bar.Value = done);
        }
        catch (InvalidOperationException e)
        {
            Terminal.Console.WriteLine(e.Message);
        }

        bar.Value = 1;
        bar.StopTask();
        return results;
    }

    /// <summary>The fewest entries come first and once more at the end: disks are not as fast at all times.</summary>
    private IEnumerable<int> Sizes()
    {
        for (int millions = 1; millions <= options.Millions; millions *= 10) yield return millions;
        if (options.Millions >= 10) yield return 1;
    }

    private CellPlan PausePlan(string contender, int repeat)
    {
        long entries = (long)Math.Min(options.Millions, MostForPauses) * ScaleResult.Million;
        long data = entries * (Workloads.KeyText.Length + Value100.Length);
        long memory = contender == Contender.Memory ? entries * MemoryCacheContestant.BytesFor(Value100.Length) : data / 2; // what is dropped makes no pauses
        var conditions = new Conditions { ValueBytes = Value100.Length, Memory = memory, Ratio = (double)data / memory, Threads = 2, Seconds = PauseSeconds, WarmUpSeconds = 1, PageCache = PageCacheUse.Budgeted };
        return new CellPlan { Part = Part.Pauses, Contender = contender, Conditions = conditions, Workloads = ["A"], Repeat = repeat, Origin = repository.Commit() };
    }
}
