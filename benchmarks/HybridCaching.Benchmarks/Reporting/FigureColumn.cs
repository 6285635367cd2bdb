using System.Globalization;
using BenchmarkDotNet.Columns;
using BenchmarkDotNet.Reports;
using BenchmarkDotNet.Running;

namespace HybridCaching.Benchmarks.Reporting;

/// <summary>Shows a figure of <see cref="FigureReport"/>, in tables whose suite reports it.</summary>
internal sealed class FigureColumn(string figure, string name, string legend, Func<long, string> format) : IColumn
{
    public const string InUseFigure = "inUse";
    public const string HeapFigure = "heap";
    public const string FromMemoryFigure = "fromMemoryPerMille";
    public const string FromDiskFigure = "fromDiskPerMille";
    public const string MissedFigure = "missedPerMille";

    public static readonly FigureColumn[] All =
    [
        new(InUseFigure, "In use", "Whole memory in use after the operations: the cache's own account, native memory included; the growth of the managed heap for the others", Mebibytes),
        new(HeapFigure, "Heap", "Growth of the managed heap through the contestant, garbage collected", Mebibytes),
        new(FromMemoryFigure, "From memory", "Reads that memory answered", Percent),
        new(FromDiskFigure, "From disk", "Reads that the disk answered", Percent),
        new(MissedFigure, "Missed", "Reads that found no entry, since a cache may drop some", Percent),
    ];

    public string Figure => figure;

    public string Id => nameof(FigureColumn) + "." + figure;

    public string ColumnName => name;

    public bool AlwaysShow => true;

    public ColumnCategory Category => ColumnCategory.Custom;

    public int PriorityInCategory => 0;

    public bool IsNumeric => true;

    public UnitType UnitType => UnitType.Dimensionless;

    public string Legend => legend;

    public bool IsAvailable(Summary summary) => summary.BenchmarksCases.Any(benchmarkCase => Value(summary, benchmarkCase) is not null);

    public bool IsDefault(Summary summary, BenchmarkCase benchmarkCase) => false;

    public string GetValue(Summary summary, BenchmarkCase benchmarkCase) => GetValue(summary, benchmarkCase, SummaryStyle.Default);

    public string GetValue(Summary summary, BenchmarkCase benchmarkCase, SummaryStyle style) => Value(summary, benchmarkCase) is { } value ? format(value) : "-";

    private static string Mebibytes(long bytes) => string.Create(CultureInfo.InvariantCulture, $"{bytes / 1048576.0:F1} MiB");

    private static string Percent(long perMille) => string.Create(CultureInfo.InvariantCulture, $"{perMille / 10.0:F1} %");

    /// <summary>The figure of one row, as it was told.</summary>
    public static long? Value(BenchmarkReport report, string figure) =>
        FigureReport.Find(report.ExecuteResults.SelectMany(result => result.PrefixedLines.Concat(result.StandardOutput)), figure);

    private long? Value(Summary summary, BenchmarkCase benchmarkCase) => summary[benchmarkCase] is { } report ? Value(report, figure) : null;
}
