using BenchmarkDotNet.Columns;
using BenchmarkDotNet.Configs;
using BenchmarkDotNet.Diagnosers;
using BenchmarkDotNet.Exporters;
using BenchmarkDotNet.Exporters.Json;
using BenchmarkDotNet.Jobs;
using BenchmarkDotNet.Loggers;
using BenchmarkDotNet.Toolchains;
using BenchmarkDotNet.Toolchains.CsProj;
using BenchmarkDotNet.Toolchains.DotNetCli;
using HybridCaching.Benchmarks.Matrix;

namespace HybridCaching.Benchmarks.Reporting;

/// <summary>How all suites are run and reported.</summary>
internal static class BenchmarkConfig
{
    /// <param name="artifactsPath">Where BenchmarkDotNet leaves logs and reports.</param>
    /// <param name="withJob">False when the command line names a job, which then is the only one, and is not resumed.</param>
    /// <param name="matrix">The cells of the matrix that are run.</param>
    /// <param name="finished">Cases that need not be run again.</param>
    public static IConfig Create(string artifactsPath, bool withJob, MatrixChoice matrix, FinishedRuns finished)
    {
        var config = ManualConfig.CreateEmpty()
            .WithArtifactsPath(artifactsPath)
            .WithBuildTimeout(TimeSpan.FromMinutes(10))
            .WithOrderer(new ContestantOrderer())
            .AddColumnProvider(DefaultColumnProviders.Instance)
            .AddColumn(FigureColumn.All)
            .AddDiagnoser(MemoryDiagnoser.Default)
            .AddExporter(HtmlExporter.Default, MarkdownExporter.GitHub, JsonExporter.Brief)
            .AddFilter(new MeaningfulCases(), matrix);
        return withJob
            ? config.AddLogger(NullLogger.Instance).AddEventProcessor(new RunProgress(finished)).AddJob(Job.Default.WithGcForce(true).WithWarmupCount(2).WithIterationCount(5).WithToolchain(Resuming(finished)))
            : config.AddLogger(ConsoleLogger.Default);
    }

    /// <summary>BenchmarkDotNet's toolchain for the runtime that this is, but for cases that are finished.</summary>
    private static Toolchain Resuming(FinishedRuns finished)
    {
        string framework = $"net{Environment.Version.Major}.0";
        var toolchain = CsProjCoreToolchain.From(new NetCoreAppSettings(framework, runtimeFrameworkVersion: null, framework));
        return new Toolchain(toolchain.Name, toolchain.Generator, toolchain.Builder, new ResumingExecutor(toolchain.Executor, finished));
    }
}
