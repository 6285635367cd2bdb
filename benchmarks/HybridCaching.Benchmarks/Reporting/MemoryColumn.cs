using System.Globalization;
using BenchmarkDotNet.Columns;
using BenchmarkDotNet.Reports;
using BenchmarkDotNet.Running;

namespace HybridCaching.Benchmarks.Reporting;

/// <summary>Shows a figure of <see cref="MemoryReport"/>.</summary>
internal sealed class MemoryColumn(string figure, string name, string legend) : IColumn
{
    /// <summary>The whole memory in use: by the contestant's own account, or the growth of the managed heap where it has none.</summary>
    public static readonly MemoryColumn InUse = new("inUse", "In use", "Whole memory in use after the operations: the cache's own account, native memory included; the growth of the managed heap for the others");

    /// <summary>The growth of the managed heap, whatever the contestant says.</summary>
    public static readonly MemoryColumn ManagedHeap = new("heap", "Heap", "Growth of the managed heap through the contestant, garbage collected");

    public string Id => nameof(MemoryColumn) + "." + figure;

    public string ColumnName => name;

    public bool AlwaysShow => true;

    public ColumnCategory Category => ColumnCategory.Custom;

    public int PriorityInCategory => 0;

    public bool IsNumeric => true;

    public UnitType UnitType => UnitType.Size;

    public string Legend => legend;

    public bool IsAvailable(Summary summary) => summary.BenchmarksCases.Any(benchmarkCase => Value(summary, benchmarkCase) is not null);

    public bool IsDefault(Summary summary, BenchmarkCase benchmarkCase) => false;

    public string GetValue(Summary summary, BenchmarkCase benchmarkCase) => GetValue(summary, benchmarkCase, SummaryStyle.Default);

    public string GetValue(Summary summary, BenchmarkCase benchmarkCase, SummaryStyle style) =>
        Value(summary, benchmarkCase) is { } bytes ? string.Create(CultureInfo.InvariantCulture, $"{bytes / 1048576.0:F1} MiB") : "-";

    private long? Value(Summary summary, BenchmarkCase benchmarkCase) =>
        summary[benchmarkCase] is { } report
            ? MemoryReport.Find(report.ExecuteResults.SelectMany(result => result.PrefixedLines.Concat(result.StandardOutput)), figure)
            : null;
}
