using BenchmarkDotNet.Filters;
using BenchmarkDotNet.Running;
using HybridCaching.Benchmarks.Contestants;

namespace HybridCaching.Benchmarks.Reporting;

/// <summary>What is run of the adds when no suite is named: one thread and six, and the ends of the scale of memory, which makes little difference to them.</summary>
internal sealed class UsualAdds : IFilter
{
    public bool Predicate(BenchmarkCase benchmarkCase)
    {
        if (benchmarkCase.Descriptor.Type != typeof(AddBenchmarks)) return true;
        var values = benchmarkCase.Parameters.Items.ToDictionary(item => item.Name, item => item.Value);
        return Takes((int)values[nameof(AddBenchmarks.Threads)], (string)values[nameof(AddBenchmarks.Memory)]);
    }

    /// <param name="threads">How many add.</param>
    /// <param name="memory">The share of memory, <see cref="MemoryShare.NotApplicable"/> for those who have no choice.</param>
    public static bool Takes(int threads, string memory) => threads != 2 && memory is not ("25%" or "50%" or "90%");
}
