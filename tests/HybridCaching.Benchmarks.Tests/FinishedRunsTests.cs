using BenchmarkDotNet.Configs;
using BenchmarkDotNet.Jobs;
using BenchmarkDotNet.Loggers;
using BenchmarkDotNet.Running;
using BenchmarkDotNet.Toolchains;
using BenchmarkDotNet.Toolchains.Parameters;
using BenchmarkDotNet.Toolchains.Results;
using HybridCaching.Benchmarks.Reporting;

namespace HybridCaching.Benchmarks.Tests;

public sealed class FinishedRunsTests : IDisposable
{
    private readonly TestDirectory _directory = new();

    [Fact]
    public void Execute_CaseThatIsFinished_AnswersWithWhatItWrote()
    {
        var first = new CountingExecutor();
        var expected = Execute(first, Job.Dry);
        var second = new CountingExecutor();
        var answer = Execute(second, Job.Dry);

        Assert.Equal((1, 0), (first.Runs, second.Runs));
        Assert.Equal(expected.Results, answer.Results);
        Assert.Equal(expected.Measurements, answer.Measurements);
        Assert.Equal(42, FigureReport.Find(answer.PrefixedLines, FigureColumn.InUseFigure));
    }

    [Fact]
    public void Execute_SameCaseWithAnotherJob_IsRun()
    {
        Execute(new CountingExecutor(), Job.Dry);
        var executor = new CountingExecutor();
        Execute(executor, Job.Dry.WithIterationCount(2));
        Assert.Equal(1, executor.Runs);
    }

    [Fact]
    public void Execute_AnotherCase_IsRun()
    {
        Execute(new CountingExecutor(), Job.Dry);
        var executor = new CountingExecutor();
        Execute(executor, Job.Dry, index: 1);
        Assert.Equal(1, executor.Runs);
    }

    [Fact]
    public void Execute_FinishedCaseWhenFreshIsAskedFor_IsRun()
    {
        Execute(new CountingExecutor(), Job.Dry);
        var executor = new CountingExecutor();
        Execute(executor, Job.Dry, isFresh: true);
        Assert.Equal(1, executor.Runs);
    }

    [Fact]
    public void Execute_CaseThatFailedBefore_IsRun()
    {
        Execute(new CountingExecutor(exitCode: 1), Job.Dry);
        var executor = new CountingExecutor();
        Execute(executor, Job.Dry);
        Assert.Equal(1, executor.Runs);
    }

    public void Dispose() => _directory.Dispose();

    private ExecuteResult Execute(IExecutor executor, Job job, int index = 0, bool isFresh = false)
    {
        var cases = BenchmarkConverter.TypeToBenchmarks(typeof(QueryBenchmarks), ManualConfig.CreateEmpty().AddJob(job)).BenchmarksCases;
        var parameters = new ExecuteParameters(buildResult: null!, cases[index], new BenchmarkId(index, cases[index]), NullLogger.Instance, resolver: null!, launchIndex: 1);
        return new ResumingExecutor(executor, new FinishedRuns(_directory.Path, isFresh)).Execute(parameters);
    }

    private sealed class CountingExecutor(int exitCode = 0) : IExecutor
    {
        public int Runs { get; private set; }

        public ExecuteResult Execute(ExecuteParameters executeParameters)
        {
            Runs++;
            return new ExecuteResult(foundExecutable: true, exitCode, processId: 1, ["WorkloadResult   1: 10 op, 120.00 ns, 12.0000 ns/op"], ["// Figure: inUse=42"], ["WorkloadResult   1: 10 op, 120.00 ns, 12.0000 ns/op"], executeParameters.LaunchIndex);
        }
    }
}
