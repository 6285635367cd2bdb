using HybridCaching.Throughput.Cells;
using HybridCaching.Throughput.Contestants;
using HybridCaching.Throughput.Native;
using HybridCaching.Throughput.Reporting;
using Spectre.Console;

namespace HybridCaching.Throughput;

/// <summary>A run: closed loops, open loops at a rate that these tell, the page.</summary>
internal sealed class ThroughputRun(ThroughputOptions options, Repository repository)
{
    private readonly List<Measurement> _measurements = [];
    private readonly List<string> _troubles = [];
    private readonly CellFile _file = new(Path.Combine(repository.Root, "artifacts", "throughput", "cells.jsonl"));
    private readonly long _started = TimeProvider.System.GetTimestamp();

    /// <returns>Whether all was measured; who was faster does not matter.</returns>
    public async Task<bool> RunAsync(string commandLine, CancellationToken cancellationToken)
    {
        foreach (var missing in CLibrary.All.Where(library => !library.IsInstalled)) _troubles.Add($"{missing.Name} is left out: none of {string.Join(", ", missing.Files)} is installed (Debian: apt-get install {missing.Package})");
        foreach (string trouble in _troubles) Console.WriteLine(trouble);
        Contender[] present = [.. Contender.All.Where(contender => contender.Library is null or { IsInstalled: true })];
        var plans = new PlanMaker(options, repository.Commit(), present);
        await Terminal.Progress().HideCompleted(true).StartAsync(async progress =>
        {
            await MeasureAsync([.. plans.Closed()], progress, cancellationToken);
            await MeasureAsync([.. plans.Open(_measurements)], progress, cancellationToken);
        });
        if (_measurements.Count == 0) throw new CannotStartException("there is nobody and nothing to measure");
        new Publication(options, repository, _measurements, _troubles).Write(commandLine, TimeProvider.System.GetElapsedTime(_started));
        return _troubles.Count == 0;
    }

    private async Task MeasureAsync(IReadOnlyList<CellPlan> plans, ProgressContext progress, CancellationToken cancellationToken)
    {
        foreach (var plan in plans)
        {
            if (!options.Fresh && _file.Find(plan) is { } found)
            {
                _measurements.AddRange(found);
                continue;
            }

            string name = FormattableString.Invariant($"{plan.Part} {plan.Conditions.Ratio}x {plan.Contender} {plan.Repeat + 1}");
            var bar = progress.AddTask(name, maxValue: 1);
            try
            {
                var measured = await CellProcess.MeasureAsync(plan, (done, what) => (bar.Value, bar.Description) = (done, $"{name} {what}"), cancellationToken);
                _file.Add(measured);
                _measurements.AddRange(measured);
                Terminal.Console.WriteLine($"{name}: {string.Join(", ", measured.Select(each => FormattableString.Invariant($"{each.Workload} {each.PerSecond:N0}/s")))}");
            }
            catch (InvalidOperationException e)
            {
                _troubles.Add(e.Message);
                Terminal.Console.WriteLine(e.Message);
            }

            bar.Value = 1;
            bar.StopTask();
        }
    }
}
