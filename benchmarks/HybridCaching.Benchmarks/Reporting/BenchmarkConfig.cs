using BenchmarkDotNet.Columns;
using BenchmarkDotNet.Configs;
using BenchmarkDotNet.Diagnosers;
using BenchmarkDotNet.Exporters;
using BenchmarkDotNet.Exporters.Json;
using BenchmarkDotNet.Jobs;
using BenchmarkDotNet.Loggers;

namespace HybridCaching.Benchmarks.Reporting;

/// <summary>How all suites are run and reported.</summary>
internal static class BenchmarkConfig
{
    /// <param name="artifactsPath">Where BenchmarkDotNet leaves logs and reports.</param>
    /// <param name="withJob">False when the command line names a job, which then is the only one.</param>
    public static IConfig Create(string artifactsPath, bool withJob)
    {
        var config = ManualConfig.CreateEmpty()
            .WithArtifactsPath(artifactsPath)
            .WithOrderer(new ContestantOrderer())
            .AddLogger(ConsoleLogger.Default)
            .AddColumnProvider(DefaultColumnProviders.Instance)
            .AddColumn(FigureColumn.All)
            .AddDiagnoser(MemoryDiagnoser.Default)
            .AddExporter(HtmlExporter.Default, MarkdownExporter.GitHub, JsonExporter.Brief)
            .AddFilter(new MeaningfulCases());
        return withJob ? config.AddJob(Job.Default.WithGcForce(true).WithWarmupCount(2).WithIterationCount(5)) : config;
    }
}
