using BenchmarkDotNet.Configs;
using BenchmarkDotNet.Running;
using HybridCaching.Benchmarks.Reporting;

namespace HybridCaching.Benchmarks;

/// <summary>Runs suites of BenchmarkDotNet: those that the command line names, or the default subset.</summary>
internal sealed class SuiteRun(Repository repository, BenchmarkOptions options)
{
    /// <summary>What is run when nothing is named, in this order.</summary>
    private static readonly Type[] DefaultSubset = [typeof(AddBenchmarks), typeof(QueryBenchmarks), typeof(MixedBenchmarks), typeof(MixedByteBenchmarks)];

    /// <summary>Whether a suite is run when nothing is named.</summary>
    public static bool IsUsual(string suite) => DefaultSubset.Any(type => type.Name == suite);

    /// <returns>0; 1 when a case failed.</returns>
    public int Run()
    {
        bool isDefault = options.Rest.Length == 0;
        bool namesJob = options.Rest.Any(argument => argument is "-j" or "--job" || argument.StartsWith("--job=", StringComparison.Ordinal));
        var finished = new FinishedRuns(Path.Combine(repository.Artifacts, "finished"), options.IsFresh);
        var config = BenchmarkConfig.Create(repository.Artifacts, withJob: !namesJob, options.Matrix, finished);
        if (isDefault && !options.Matrix.IsFull) config = config.AddFilter(new UsualAdds());
        var switcher = isDefault ? BenchmarkSwitcher.FromTypes(DefaultSubset) : BenchmarkSwitcher.FromAssembly(typeof(SuiteRun).Assembly);
        var summaries = switcher.Run(isDefault ? ["--filter", "*"] : options.Rest, config).ToArray();
        new SuiteTables(new ResultFiles(repository), options.Matrix).Publish(summaries, config);
        return summaries.All(summary => summary.Reports.All(report => report.Success)) ? 0 : 1;
    }
}
