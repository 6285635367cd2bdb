using System.Globalization;
using System.Net;
using BenchmarkDotNet.Configs;
using BenchmarkDotNet.Reports;
using BenchmarkDotNet.Running;

namespace HybridCaching.Benchmarks.Reporting;

/// <summary>Puts finished tables under <c>benchmarks/results</c>, with machine, commit and date in front.</summary>
internal sealed class ResultFiles(Repository repository)
{
    /// <summary>Where a result comes from, one fact a line.</summary>
    public IReadOnlyList<string> Provenance() =>
    [
        $"Machine: {Machine.Describe()}",
        $"Commit: {repository.Commit()}",
        $"Date: {TimeProvider.System.GetUtcNow().ToString("yyyy-MM-dd", CultureInfo.InvariantCulture)}",
    ];

    /// <summary>Writes a page of Markdown.</summary>
    public void Write(string fileName, string text)
    {
        Directory.CreateDirectory(repository.Results);
        File.WriteAllText(Path.Combine(repository.Results, fileName), text);
    }

    /// <summary>Puts a text between the marks of that name in the README.</summary>
    public void WriteToReadme(string mark, string text)
    {
        string path = Path.Combine(repository.Root, "README.md");
        string readme = File.ReadAllText(path);
        string begin = $"<!-- {mark} -->\n";
        string end = $"<!-- end of {mark} -->";
        int start = readme.IndexOf(begin, StringComparison.Ordinal) + begin.Length;
        int stop = readme.IndexOf(end, StringComparison.Ordinal);
        if (start < begin.Length || stop < start) throw new InvalidOperationException($"README.md has no {begin.Trim()} ... {end}.");
        File.WriteAllText(path, readme[..start] + text + readme[stop..]);
    }

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

    private static string? ReasonNotToPublish(Summary summary, Type suite, IConfig config)
    {
        if (!config.GetJobs().Any()) return "it ran with a job of the command line";
        if (summary.BenchmarksCases.Length < BenchmarkConverter.TypeToBenchmarks(suite, config).BenchmarksCases.Length) return "only some of its rows ran";
        return summary.Reports.All(report => report.Success && report.ResultStatistics is not null) ? null : "a row failed";
    }

    private void Publish(Summary summary, Type suite)
    {
        string report = Path.Combine(summary.ResultsDirectoryPath, $"{suite.FullName}-report");
        var provenance = Provenance();
        Write($"{suite.Name}.md", $"# {suite.Name}\n\n{string.Concat(provenance.Select(fact => $"- {fact}\n"))}\n{File.ReadAllText(report + "-github.md")}");
        string facts = string.Concat(provenance.Select(fact => $"<li>{WebUtility.HtmlEncode(fact)}</li>\n"));
        string html = File.ReadAllText(report + ".html");
        int bodyStart = html.IndexOf("<body>", StringComparison.Ordinal) + "<body>".Length;
        Write($"{suite.Name}.html", html.Insert(bodyStart, $"\n<ul>\n{facts}</ul>"));
    }
}
