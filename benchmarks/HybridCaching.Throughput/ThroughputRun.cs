using HybridCaching.Throughput.Cells;
using HybridCaching.Throughput.Contestants;
using HybridCaching.Throughput.Measuring;
using HybridCaching.Throughput.Native;
using HybridCaching.Throughput.Reporting;
using Spectre.Console;

namespace HybridCaching.Throughput;

/// <summary>A run: closed loops, open loops at a rate that these tell, the page.</summary>
internal sealed class ThroughputRun(ThroughputOptions options, Repository repository)
{
    private readonly List<Measurement> _measurements = [];
    private readonly List<string> _leftOut = [];
    private readonly List<string> _troubles = [];
    private readonly CellFile _file = new(Path.Combine(repository.Root, "artifacts", "throughput", "cells.jsonl"));

    /// <summary>What was measured from a working copy that differs from its commit says nothing of what it is now.</summary>
    private readonly bool _hasChanges = repository.HasChanges;
    private readonly long _started = TimeProvider.System.GetTimestamp();

    /// <returns>Whether all was measured that can be on this machine; who was faster does not matter.</returns>
    public async Task<bool> RunAsync(string commandLine, CancellationToken cancellationToken)
    {
        foreach (var missing in CLibrary.All.Where(library => !library.IsInstalled)) _leftOut.Add($"{missing.Name} is left out: none of {string.Join(", ", missing.Files)} is installed (Debian: apt-get install {missing.Package})");
        bool mayUsePageCache = options.PageCache == PageCacheUse.Free || PageCache.IsKnown;
        Contender[] present = [.. Contender.All.Where(contender => contender.Library is null or { IsInstalled: true } && (mayUsePageCache || !contender.IsInPageCache))];
        if (!mayUsePageCache) _leftOut.Add($"{string.Join(", ", Contender.All.Where(contender => contender.IsInPageCache).Select(contender => contender.Name))} are left out: this system does not tell what its page cache holds (cachestat, Linux 6.5), so it cannot be counted as their memory; --page-cache free lets them take part");
        foreach (string leftOut in _leftOut) Console.WriteLine(leftOut);
        var plans = new PlanMaker(options, $"{repository.Commit()}, {Machine.Describe()}, {options.Work}", present);
        await Terminal.Progress().HideCompleted(true).StartAsync(async progress =>
        {
            await MeasureAsync([.. plans.Closed()], progress, cancellationToken);
            await MeasureAsync([.. plans.Open(_measurements)], progress, cancellationToken);
        });
        if (_measurements.Count == 0) throw new CannotStartException("there is nobody and nothing to measure");
        new Publication(options, repository, _measurements, [.. _leftOut, .. _troubles]).Write(commandLine, TimeProvider.System.GetElapsedTime(_started));
        return _troubles.Count == 0;
    }

    private async Task MeasureAsync(IReadOnlyList<CellPlan> plans, ProgressContext progress, CancellationToken cancellationToken)
    {
        foreach (var plan in plans)
        {
            if (!options.Fresh && !_hasChanges && _file.Find(plan) is { } found)
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
