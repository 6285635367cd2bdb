using BenchmarkDotNet.Configs;
using BenchmarkDotNet.Running;
using HybridCaching.Benchmarks.Contestants;
using HybridCaching.Benchmarks.Matrix;
using HybridCaching.Benchmarks.Reporting;

namespace HybridCaching.Benchmarks.Tests;

public sealed class MatrixChoiceTests
{
    /// <summary>At nine seconds a case on a slow machine, what is left of half an hour beside the seed's two suites.</summary>
    private const int MostByDefault = 115;

    [Theory]
    [InlineData(1, "-", true)]
    [InlineData(6, "10%", true)]
    [InlineData(1, "memory only", true)]
    [InlineData(2, "100%", false)]
    [InlineData(6, "25%", false)]
    [InlineData(1, "50%", false)]
    public void UsualAdds_Case_TakesTheEndsOfEachScale(int threads, string memory, bool isTaken) => Assert.Equal(isTaken, UsualAdds.Takes(threads, memory));

    [Fact]
    public void DefaultChoice_OfBothSuites_IsShort() => Assert.InRange(Cases(new MatrixChoice()).Count, 100, MostByDefault);

    [Fact]
    public void DefaultChoice_OfAnyDimension_HasEveryValue()
    {
        var cases = Cases(new MatrixChoice());
        foreach (var (name, values) in MatrixChoice.Dimensions)
            Assert.Empty(values.Except(cases.Select(each => each.Parameters.Items.FirstOrDefault(item => item.Name == name)?.Value?.ToString())));
    }

    [Fact]
    public void DefaultChoice_WherePercentageIsRun_HasABaseline()
    {
        var groups = Cases(new MatrixChoice()).GroupBy(each => (each.Descriptor.Type, string.Join(' ', each.Parameters.Items.Where(item => item.Name != ContestantOrderer.MemoryParameter).Select(item => item.Value))));
        Assert.All(groups, group => Assert.Contains(group, each => each.Descriptor.Baseline));
    }

    [Fact]
    public void DefaultChoice_CellThatDiffersInTwoThings_IsNotTaken() =>
        Assert.DoesNotContain(Cases(new MatrixChoice()), each => each.Parameters["Threads"] is 6 && each.Parameters["ReadPercent"] is 0);

    /// <summary>A target of its own.</summary>
    [Fact]
    public void DefaultChoice_HalfWritesBySixThreads_IsTakenWithHalfInMemory() =>
        Assert.Equal([MemoryShare.NotApplicable, "50%", "50%"], Cases(new MatrixChoice()).Where(each => each.Parameters["Threads"] is 6 && each.Parameters["ReadPercent"] is 50).Select(each => each.Parameters["Memory"].ToString()).Order());

    [Fact]
    public void NamedChoice_OfTwoDimensions_IsEveryCombinationWithTheUsualRest()
    {
        var cases = Cases(new MatrixChoice(named: new Dictionary<string, string[]> { ["Threads"] = ["1", "6"], ["ReadPercent"] = ["0", "50"], ["Memory"] = ["10%"] }));
        Assert.Equal(4 * (3 + 3), cases.Count);
        Assert.All(cases, each => Assert.Equal("Zipf", each.Parameters["Choice"].ToString()));
    }

    [Fact]
    public void NamedChoice_OfSomething_IsNotPublished() => Assert.False(new MatrixChoice(named: new Dictionary<string, string[]> { ["Threads"] = ["1"] }).IsPublishable);

    [Fact]
    public void FullChoice_OfBothSuites_IsEveryMeaningfulCell()
    {
        int threads = MatrixChoice.ThreadCounts.Count;
        int typed = 3 * 4 * 4 * 4 * threads * (1 + 6 + 6), bytes = 4 * 4 * 4 * threads * (2 + 5);
        Assert.Equal(typed + bytes, Cases(new MatrixChoice(isFull: true)).Count);
    }

    [Fact]
    public void AnyChoice_ContestantsWithAllInMemory_HaveNoShare() =>
        Assert.All(Cases(new MatrixChoice()), each => Assert.Equal(each.Descriptor.WorkloadMethod.Name.StartsWith("Faster", StringComparison.Ordinal), !Equals(each.Parameters["Memory"], MemoryShare.NotApplicable)));

    private static List<BenchmarkCase> Cases(MatrixChoice choice)
    {
        var config = ManualConfig.CreateEmpty().AddFilter(new MeaningfulCases(), choice);
        return [.. ((Type[])[typeof(MixedBenchmarks), typeof(MixedByteBenchmarks)]).SelectMany(suite => BenchmarkConverter.TypeToBenchmarks(suite, config).BenchmarksCases)];
    }
}
