using HybridCaching.HitRate.References;
using HybridCaching.HitRate.Replay;
using HybridCaching.HitRate.Reporting;
using Spectre.Console;

namespace HybridCaching.HitRate;

/// <summary>A run: references first, then the caches, then the page.</summary>
internal sealed class HitRateRun(HitRateOptions options, Repository repository, TraceChoice choice)
{
    private readonly WarningCollector _warnings = new();
    private readonly ReferenceFigures?[] _figures = new ReferenceFigures?[choice.Sources.Count];
    private readonly CacheSize?[] _sizes = new CacheSize?[choice.Sources.Count];
    private readonly long _started = TimeProvider.System.GetTimestamp();

    /// <returns>Whether all went well; what a cache reaches does not matter.</returns>
    public async Task<bool> RunAsync(CancellationToken cancellationToken)
    {
        var published = choice.Pack?.PublishedHits() ?? [];
        await Job.RunAllAsync(choice.Sources.Select(PrepareJob), options.Workers, cancellationToken);
        ReferenceFigures[] figures = [.. _figures.Select(figure => figure!)];
        var comparison = new PublishedComparison(figures, published);
        Console.WriteLine($"{comparison.Summary}.");

        var plans = options.ReferencesOnly ? [] : PlansFor(figures);
        foreach (var plan in plans) Console.WriteLine(Describe(plan));
        var results = new Dictionary<ReplayPlan, ReplayResult>();
        await Job.RunAllAsync(plans.OrderByDescending(plan => plan.RequestedBytes).Select(plan => ReplayJob(plan, results)), options.Workers, cancellationToken);
        Outcome[] outcomes = [.. plans.Select(plan => new Outcome(figures.First(figure => figure.Replayed == plan.Trace), plan, results[plan]))];

        _warnings.Show();
        Publish(figures, outcomes, comparison);
        return comparison.IsSame && outcomes.All(outcome => outcome.Result.Trouble.Length == 0);
    }

    private static string Describe(ReplayPlan plan) =>
        $"{plan.Name}: {plan.Trace.Requests.Length:N0} requests, {plan.Size.Kind.Name}, {plan.Size.UnitBytes:N0} bytes {(plan.Trace.IsSized ? "for each byte of the trace" : "an entry")}, total {new ByteSize(plan.Size.TotalBytes):H}, "
        + $"of that memory {new ByteSize(plan.Budgets.Memory):H} and disk {new ByteSize(plan.Budgets.Disk):H}";

    /// <summary>Reads a trace, takes the references and chooses the size of the cache.</summary>
    private Job PrepareJob(TraceSource source, int index)
    {
        int steps = ReferenceFigures.StepsFor(options.MemoryPercents.Count) + 2;
        int done = 0;
        return new Job($"{source.Name}, references", steps, () => Volatile.Read(ref done), cancellationToken =>
        {
            var trace = source.Load();
            Step();
            var figures = ReferenceFigures.Take(trace, options.TotalPercent, options.MemoryPercents, options.Turnovers, Step);
            if (!options.ReferencesOnly) _sizes[index] = new CacheSizer(options.MemoryPercents.Min(), options.TypicalEntry.Bytes).SizeFor(trace, figures.Capacity);
            _figures[index] = figures;
            Interlocked.Increment(ref done);

            void Step()
            {
                cancellationToken.ThrowIfCancellationRequested();
                Interlocked.Increment(ref done);
            }
        });
    }

    private ReplayPlan[] PlansFor(IEnumerable<ReferenceFigures> figures) =>
    [
        .. from figure in figures.Zip(_sizes)
           from memory in options.MemoryPercents
           select new ReplayPlan(figure.First.Replayed, figure.Second!, memory, figure.Second!.At(memory, options.TypicalEntry.Bytes) with { DiskWrites = options.DiskWriteBudget }),
    ];

    private Job ReplayJob(ReplayPlan plan, Dictionary<ReplayPlan, ReplayResult> results)
    {
        var replay = new CacheReplay(plan, _warnings);
        return new Job(plan.Name, plan.Trace.Requests.Length, () => replay.Done, cancellationToken =>
        {
            var result = replay.Run(cancellationToken);
            lock (results) results.Add(plan, result);
            Terminal.Console.WriteLine($"{plan.Name}: hits {plan.Trace.Percent(result.Statistics.MemoryHits + result.Statistics.DiskHits):F2} %, in memory {plan.Trace.Percent(result.Statistics.MemoryHits):F2} %, {result.Elapsed.TotalSeconds:N0} s");
        });
    }

    /// <summary>All goes into a page that is not committed; what may be shown to everybody, and only if nothing of it is missing, into one among the results.</summary>
    private void Publish(ReferenceFigures[] figures, Outcome[] outcomes, PublishedComparison comparison)
    {
        var all = new ResultFiles(repository, Path.Combine(repository.Root, "artifacts", "hitrate"));
        Console.WriteLine($"\n{Write(all, choice.Publication ?? "hitrate", figures, outcomes, comparison)}");
        if (choice.Publication is not { } name)
        {
            Console.WriteLine("There is no page among the results, since only some of what is usual was asked for.");
            return;
        }

        ReferenceFigures[] shown = [.. figures.Where(figure => choice.MayShow(figure.Replayed.Name))];
        if (shown.Length > 0) Write(new ResultFiles(repository), name, shown, [.. outcomes.Where(outcome => choice.MayShow(outcome.Plan.Trace.Name))], comparison);
    }

    private string Write(ResultFiles files, string name, ReferenceFigures[] figures, Outcome[] outcomes, PublishedComparison comparison)
    {
        files.Write($"{name}.tsv", Tables.Of(outcomes));
        files.Write($"{name}-curves.tsv", Tables.OfCurves(figures));
        string? problem = Plot.Draw(files.PathOf($"{name}.svg"), "Miss ratios", figures, outcomes);
        if (problem is not null) Console.WriteLine($"No plot: {problem}.");
        string missing = figures.Length < choice.Sources.Count ? $"; of {choice.Sources.Count} traces these {figures.Length} have a licence or a condition under which they may be shown, and the means are theirs" : "";
        string[] facts = [.. files.Provenance(), $"Made by `./build.sh bench hitrate{(options.DiskWriteBudget is { } budget ? $" --disk-write-budget {budget:H}" : "")}` in {TimeProvider.System.GetElapsedTime(_started).TotalMinutes:F0} minutes; figures in [{name}.tsv]({name}.tsv) and [{name}-curves.tsv]({name}-curves.tsv){missing}"];
        string page = new ResultPage(options, figures, outcomes).Write(facts, comparison.Summary, problem is null ? $"{name}.svg" : null, choice.Pack is not null);
        files.Write($"{name}.md", page);
        Console.WriteLine($"Written: {Path.GetRelativePath(Environment.CurrentDirectory, files.PathOf($"{name}.md"))}.");
        return page;
    }
}
