using System.Globalization;

namespace HybridCaching.Benchmarks.Pages;

/// <summary>What we have set ourselves for cells of the suites.</summary>
internal static class SuiteTargets
{
    private const string Suite = "MixedBenchmarks";
    private const string Workload = "Int64 keys, 32 B, Zipf, 50 % reads, 6 threads";
    private const string Memory = "50%";
    private const string Opponent = "ConcurrentDictionary";
    private const double Least = 0.7;

    public static IEnumerable<TargetRow> Of(IEnumerable<SuiteResult> suites) =>
        from suite in suites
        where suite.Suite == Suite
        from comparison in Comparison.Of(suite)
        where comparison.Ours.Workload == Workload && comparison.Ours.Memory == Memory && comparison.Opponent == Opponent
        select new TargetRow($"{Suite}.md", $"{Workload}, memory {Memory}: operations per second / {Opponent}", string.Create(CultureInfo.InvariantCulture, $"≥ {Least}"), (1 / comparison.Ratio).ToString("N3", CultureInfo.InvariantCulture)); // 0.697 is less than 0.7
}
