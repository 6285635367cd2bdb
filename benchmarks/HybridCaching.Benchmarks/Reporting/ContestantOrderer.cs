using System.Collections.Immutable;
using BenchmarkDotNet.Configs;
using BenchmarkDotNet.Order;
using BenchmarkDotNet.Reports;
using BenchmarkDotNet.Running;

namespace HybridCaching.Benchmarks.Reporting;

/// <summary>Fastest to slowest within a question. The memory of a contestant belongs to the contestant: all memories of one workload stand in one group, with one baseline.</summary>
internal sealed class ContestantOrderer : IOrderer
{
    public const string MemoryParameter = "Memory";

    private readonly DefaultOrderer _default = new(SummaryOrderPolicy.FastestToSlowest);

    public bool SeparateLogicalGroups => true;

    public IEnumerable<BenchmarkCase> GetExecutionOrder(ImmutableArray<BenchmarkCase> benchmarksCase, IEnumerable<BenchmarkLogicalGroupRule>? order = null) =>
        _default.GetExecutionOrder(benchmarksCase, order);

    public IEnumerable<BenchmarkCase> GetSummaryOrder(ImmutableArray<BenchmarkCase> benchmarksCases, Summary summary) =>
        benchmarksCases
            .GroupBy(benchmarkCase => GetLogicalGroupKey(benchmarksCases, benchmarkCase))
            .SelectMany(group => group.OrderBy(benchmarkCase => summary[benchmarkCase]?.ResultStatistics?.Mean ?? double.MaxValue));

    public string? GetHighlightGroupKey(BenchmarkCase benchmarkCase) => null;

    public string GetLogicalGroupKey(ImmutableArray<BenchmarkCase> allBenchmarksCases, BenchmarkCase benchmarkCase) =>
        benchmarkCase.Job.DisplayInfo + "/" + string.Join("/", benchmarkCase.Parameters.Items.Where(item => item.Name != MemoryParameter).Select(item => item.ToDisplayText()));

    public IEnumerable<IGrouping<string, BenchmarkCase>> GetLogicalGroupOrder(
        IEnumerable<IGrouping<string, BenchmarkCase>> logicalGroups, IEnumerable<BenchmarkLogicalGroupRule>? order = null) => logicalGroups;
}
