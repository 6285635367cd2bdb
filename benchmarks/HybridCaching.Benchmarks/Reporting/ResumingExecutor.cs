using System.Diagnostics;
using BenchmarkDotNet.Toolchains;
using BenchmarkDotNet.Toolchains.Parameters;
using BenchmarkDotNet.Toolchains.Results;

namespace HybridCaching.Benchmarks.Reporting;

/// <summary>Answers for a case that is finished with what its process wrote, and runs the others.</summary>
internal sealed class ResumingExecutor(IExecutor executor, FinishedRuns finished) : IExecutor
{
    public ExecuteResult Execute(ExecuteParameters executeParameters)
    {
        var benchmarkCase = executeParameters.BenchmarkCase;
        if (finished.Find(benchmarkCase) is { } run) return new ExecuteResult(foundExecutable: true, exitCode: 0, processId: null, run.Results, run.PrefixedLines, run.StandardOutput, executeParameters.LaunchIndex);
        long start = Stopwatch.GetTimestamp();
        var result = executor.Execute(executeParameters);
        if (result is { IsSuccess: true, ExitCode: 0 })
        {
            finished.Keep(
                benchmarkCase,
                new FinishedRun(FinishedRuns.NameOf(benchmarkCase), Stopwatch.GetElapsedTime(start).TotalSeconds, [.. result.Results], [.. result.PrefixedLines], [.. result.StandardOutput]));
        }

        return result;
    }
}
