using BenchmarkDotNet.Filters;
using BenchmarkDotNet.Running;
using HybridCaching.Benchmarks.Contestants;

namespace HybridCaching.Benchmarks.Reporting;

/// <summary>Lets a dictionary run once per workload: it has no memory setting. The others run at each setting.</summary>
internal sealed class MeaningfulCases : IFilter
{
    public bool Predicate(BenchmarkCase benchmarkCase)
    {
        object? memory = benchmarkCase.Parameters.Items.FirstOrDefault(item => item.Name == ContestantOrderer.MemoryParameter)?.Value;
        bool isDictionary = benchmarkCase.Descriptor.WorkloadMethod.Name.StartsWith("ConcurrentDictionary", StringComparison.Ordinal);
        return memory is null || isDictionary == (memory is MemoryShare.NotApplicable);
    }
}
