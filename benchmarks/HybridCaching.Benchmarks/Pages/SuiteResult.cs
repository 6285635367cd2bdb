using System.Text.Encodings.Web;
using System.Text.Json;
using BenchmarkDotNet.Reports;
using HybridCaching.Benchmarks.Reporting;

namespace HybridCaching.Benchmarks.Pages;

/// <summary>All figures of a suite with where they come from: a file of <c>benchmarks/results</c>, a line for each row.</summary>
/// <param name="Suite">The name of the class.</param>
/// <param name="Facts">Machine, commit, date.</param>
/// <param name="Rows">A row for each case.</param>
internal sealed record SuiteResult(string Suite, IReadOnlyList<string> Facts, IReadOnlyList<ResultRow> Rows)
{
    public const string Extension = ".json";

    private static readonly JsonSerializerOptions Json = new(JsonSerializerDefaults.Web) { Encoder = JavaScriptEncoder.UnsafeRelaxedJsonEscaping };

    public string FileName => Suite + Extension;

    public static SuiteResult Of(Summary summary, string suite, IReadOnlyList<string> facts) => new(suite, facts, [.. summary.Reports.Select(Row)]);

    /// <summary>The suites among the results, in the order of their names.</summary>
    public static IReadOnlyList<SuiteResult> ReadAll(string folder) =>
        [.. Directory.EnumerateFiles(folder, "*Benchmarks" + Extension).Order(StringComparer.Ordinal).Select(path => JsonSerializer.Deserialize<SuiteResult>(File.ReadAllText(path), Json)!)];

    public string ToJson() =>
        $$"""
        {"suite":{{JsonSerializer.Serialize(Suite, Json)}},
        "facts":{{JsonSerializer.Serialize(Facts, Json)}},
        "rows":[
        {{string.Join(",\n", Rows.Select(row => JsonSerializer.Serialize(row, Json)))}}
        ]}

        """;

    private static ResultRow Row(BenchmarkReport report)
    {
        var benchmarkCase = report.BenchmarkCase;
        var statistics = report.ResultStatistics!;
        return new ResultRow(
            benchmarkCase.Descriptor.WorkloadMethod.Name,
            benchmarkCase.Parameters.Items.ToDictionary(item => item.Name, item => item.ToDisplayText()),
            Math.Round(statistics.Mean, 3),
            Math.Round(statistics.StandardDeviation, 3),
            report.GcStats.GetBytesAllocatedPerOperation(benchmarkCase),
            FigureColumn.All.Select(column => (column.Figure, Value: FigureColumn.Value(report, column.Figure))).Where(each => each.Value is not null).ToDictionary(each => each.Figure, each => each.Value!.Value));
    }
}
