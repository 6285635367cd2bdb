using System.Net;
using BenchmarkDotNet.Configs;
using BenchmarkDotNet.Reports;
using BenchmarkDotNet.Running;
using HybridCaching.Benchmarks.Matrix;
using HybridCaching.Benchmarks.Pages;

namespace HybridCaching.Benchmarks.Reporting;

/// <summary>Puts the finished tables and figures of suites among the results.</summary>
internal sealed class SuiteTables(ResultFiles results, MatrixChoice matrix)
{
    /// <summary>Publishes the tables of suites that ran as a whole; a filtered or dry run must not replace a full table.</summary>
    public void Publish(IEnumerable<Summary> summaries, IConfig config)
    {
        foreach (var summary in summaries)
        {
            var types = summary.BenchmarksCases.Select(benchmarkCase => benchmarkCase.Descriptor.Type).Distinct().ToArray();
            if (types is not [var suite]) continue;
            string? reason = ReasonNotToPublish(summary, suite, config);
            Console.WriteLine(reason is null ? $"{suite.Name}: the table is in benchmarks/results." : $"{suite.Name}: not copied to benchmarks/results, {reason}.");
            if (reason is null) Publish(summary, suite);
        }
    }

    private string? ReasonNotToPublish(Summary summary, Type suite, IConfig config)
    {
        if (!config.GetJobs().Any()) return "it ran with a job of the command line";
        if (summary.BenchmarksCases.Length < BenchmarkConverter.TypeToBenchmarks(suite, config).BenchmarksCases.Length) return "only some of its rows ran";
        if (MatrixChoice.IsMatrix(suite) && !matrix.IsPublishable) return "only some of the matrix was asked for";
        return summary.Reports.All(report => report.Success && report.ResultStatistics is not null) ? null : "a row failed";
    }

    private void Publish(Summary summary, Type suite)
    {
        string report = Path.Combine(summary.ResultsDirectoryPath, $"{suite.FullName}-report");
        var provenance = results.Provenance();
        var figures = SuiteResult.Of(summary, suite.Name, provenance);
        results.Write(figures.FileName, figures.ToJson());
        results.Write($"{suite.Name}.md", $"# {suite.Name}\n\n{string.Concat(provenance.Select(fact => $"- {fact}\n"))}\n{File.ReadAllText(report + "-github.md")}");
        string facts = string.Concat(provenance.Select(fact => $"<li>{WebUtility.HtmlEncode(fact)}</li>\n"));
        string html = File.ReadAllText(report + ".html");
        int bodyStart = html.IndexOf("<body>", StringComparison.Ordinal) + "<body>".Length;
        results.Write($"{suite.Name}.html", html.Insert(bodyStart, $"\n<ul>\n{facts}</ul>"));
    }
}
