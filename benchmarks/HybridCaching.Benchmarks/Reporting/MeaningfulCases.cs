using BenchmarkDotNet.Filters;
using BenchmarkDotNet.Running;
using HybridCaching.Benchmarks.Contestants;

namespace HybridCaching.Benchmarks.Reporting;

/// <summary>Lets a contestant without a memory setting run once per workload. The others run at each setting.</summary>
internal sealed class MeaningfulCases : IFilter
{
    public bool Predicate(BenchmarkCase benchmarkCase)
    {
        object? memory = benchmarkCase.Parameters.Items.FirstOrDefault(item => item.Name == ContestantOrderer.MemoryParameter)?.Value;
        string contestant = benchmarkCase.Descriptor.WorkloadMethod.Name;
        bool hasNoSetting = contestant is DistributedContestant.Memory or MemoryCacheContestant.Class || contestant.StartsWith("ConcurrentDictionary", StringComparison.Ordinal);
        return memory is null || hasNoSetting == (memory is MemoryShare.NotApplicable);
    }
}
