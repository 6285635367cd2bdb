using System.Diagnostics;
using System.Globalization;
using BenchmarkDotNet.EventProcessors;
using BenchmarkDotNet.Reports;
using BenchmarkDotNet.Running;
using BenchmarkDotNet.Toolchains.Results;

namespace HybridCaching.Benchmarks.Reporting;

/// <summary>A line for each case: which it is, what came out, how long the rest will take.</summary>
internal sealed class RunProgress(FinishedRuns finished) : EventProcessor
{
    /// <summary>What a case takes, before one has said so.</summary>
    private static readonly TimeSpan Guess = TimeSpan.FromSeconds(8);

    private readonly HashSet<BenchmarkCase> _open = [];
    private TimeSpan _spent;
    private long _start;
    private int _total;
    private int _done;
    private int _ran;

    public override void OnStartBuildStage(IReadOnlyList<BuildPartition> partitions)
    {
        foreach (var benchmark in partitions.SelectMany(partition => partition.Benchmarks))
        {
            _total++;
            if (finished.Find(benchmark.BenchmarkCase) is not { } run) _open.Add(benchmark.BenchmarkCase);
            else
            {
                _spent += TimeSpan.FromSeconds(run.Seconds);
                _ran++;
            }
        }

        Console.WriteLine($"{_total} cases, {_total - _open.Count} of them finished before; the others take about {Minutes(Left)}. Building.");
    }

    public override void OnBuildComplete(BuildPartition partition, BuildResult buildResult)
    {
        if (!buildResult.IsBuildSuccess) Console.WriteLine($"The build failed: {buildResult.ErrorMessage}");
    }

    public override void OnStartRunBenchmark(BenchmarkCase benchmarkCase) => _start = Stopwatch.GetTimestamp();

    public override void OnEndRunBenchmark(BenchmarkCase benchmarkCase, BenchmarkReport report)
    {
        _done++;
        if (!_open.Remove(benchmarkCase)) return;
        _spent += Stopwatch.GetElapsedTime(_start);
        _ran++;
        string parameters = string.Join(", ", benchmarkCase.Parameters.Items.Select(item => $"{item.Name} {item.Value}"));
        string outcome = report.ResultStatistics is { } statistics ? string.Create(CultureInfo.InvariantCulture, $"{statistics.Mean:N1} ns") : "FAILED";
        Console.WriteLine($"[{_done}/{_total}, {Minutes(Left)} left] {benchmarkCase.Descriptor.Type.Name}.{benchmarkCase.Descriptor.WorkloadMethod.Name}, {parameters}: {outcome}");
    }

    private TimeSpan Left => _open.Count * (_ran == 0 ? Guess : _spent / _ran);

    private static string Minutes(TimeSpan time) => string.Create(CultureInfo.InvariantCulture, $"{Math.Ceiling(time.TotalMinutes)} min");
}
