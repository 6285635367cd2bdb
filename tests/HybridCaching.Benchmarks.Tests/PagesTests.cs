using HybridCaching.Benchmarks.Pages;

namespace HybridCaching.Benchmarks.Tests;

public sealed class PagesTests : IDisposable
{
    private static readonly Dictionary<string, long> NoFigures = [];

    private readonly TestDirectory _directory = new();

    [Fact]
    public void SuiteResult_WrittenAndRead_IsTheSame()
    {
        var suite = Suite(Row("FasterCache", 12.5, "10%"));
        File.WriteAllText(Path.Combine(_directory.Path, suite.FileName), suite.ToJson());
        Assert.Equal(suite.ToJson(), Assert.Single(SuiteResult.ReadAll(_directory.Path)).ToJson());
    }

    [Fact]
    public void Comparison_OfAShareOfMemory_IsWithTheSameShareAndWithTheDictionary()
    {
        var suite = Suite(Row("ConcurrentDictionary", 10, "-"), Row("FasterCache", 20, "10%"), Row("FasterKV", 80, "10%"), Row("FasterKV", 40, "50%"));
        Assert.Equal([2, 0.25], Comparison.Of(suite).Select(each => each.Ratio));
    }

    [Fact]
    public void Comparison_OfContestantsWithTheirMemoryInTheirNames_IsWithTheSameOne()
    {
        var suite = Suite(Row("FasterCacheHalfInMemory", 20, "-"), Row("FasterKVHalfInMemory", 80, "-"), Row("FasterKVMemoryOnly", 40, "-"), Row("ConcurrentDictionarySized", 10, "-"));
        Assert.Equal(["FasterKVHalfInMemory", "ConcurrentDictionarySized"], Comparison.Of(suite).Select(each => each.Theirs.Contestant));
    }

    [Fact]
    public void Comparison_OfAnotherWorkload_IsNone() => Assert.Empty(Comparison.Of(Suite(Row("ConcurrentDictionary", 10, "-", threads: "1"), Row("FasterCache", 20, "10%", threads: "2"))));

    [Fact]
    public void BenchmarkPage_OfASuite_SaysWhereWeLose()
    {
        Write(Suite(Row("ConcurrentDictionary", 10, "-"), Row("FasterCache", 125, "10%"), Row("FasterCache", 20, "100%")));
        Assert.Contains("slower in 2 of 2 cells, median ratio 12, worst 12: 1 thread, memory 10%, 125.0 ns against 10.0 ns", BenchmarkPage.Of(_directory.Path), StringComparison.Ordinal);
    }

    [Fact]
    public void BenchmarkPage_OfASuiteWeWinThroughout_DoesNotSayThatACellIsLost()
    {
        Write(Suite(Row("FasterKV", 100, "10%"), Row("FasterCache", 25, "10%")));
        Assert.Contains("slower in 0 of 1 cells, median ratio 0.25, closest 0.25", BenchmarkPage.Of(_directory.Path), StringComparison.Ordinal);
    }

    [Fact]
    public void ReadmeSummary_OfASuite_IsTheTwoBestBesideDifferentOnesAndTheWorst()
    {
        Write(Suite(Row("ConcurrentDictionary", 10, "-"), Row("FasterCache", 9, "100%"), Row("FasterCache", 20, "10%"), Row("FasterKV", 80, "100%"), Row("FasterKV", 100, "10%")));
        string[] rows = [.. ReadmeSummary.Of(_directory.Path).Split('\n').Where(line => line.StartsWith("| best", StringComparison.Ordinal) || line.StartsWith("| worst", StringComparison.Ordinal))];
        Assert.Equal(3, rows.Length);
        Assert.Contains("| FasterKV | 9.0 | 80.0 | 0.11 |", rows[0], StringComparison.Ordinal);
        Assert.Contains("| ConcurrentDictionary | 9.0 | 10.0 | 0.90 |", rows[1], StringComparison.Ordinal);
        Assert.Contains("| ConcurrentDictionary | 20.0 | 10.0 | 2.00 |", rows[2], StringComparison.Ordinal);
    }

    [Fact]
    public void BenchmarkPage_OfAPageWithAPlot_ShowsIt()
    {
        File.WriteAllText(Path.Combine(_directory.Path, "scale.md"), "# With more and more entries\n\n- Machine: one\n- Made by `./build.sh bench scale`\n\n![cost per get](scale.svg)\n");
        Assert.Contains("\n## With more and more entries\n\none, commit , , by `./build.sh bench scale`; all of it, and how it was measured: [scale.md](../benchmarks/results/scale.md).\n\n![cost per get](../benchmarks/results/scale.svg)\n", BenchmarkPage.Of(_directory.Path), StringComparison.Ordinal);
    }

    [Theory]
    [InlineData("| a | b | ≤ 1.00 | 1.01 |", true)]
    [InlineData("| a | b | ≤ 1.00 | 1.00 |", false)]
    [InlineData("| a | b | ≥ 0.85 | 0.79 [0.74-0.83] (61,506 / 74,641) |", true)]
    [InlineData("| a | b | ≤ 2,000 | 347 [345-446] |", false)]
    [InlineData("| a | b | ≤ 64 MiB | 24,004 KiB |", false)]
    [InlineData("| a | b | ≤ 64 MiB | 1 GiB |", true)]
    [InlineData("| a | b | ≥ 3 | **1.36 [1.15-1.56]** |", true)]
    [InlineData("| a | b | ≥ 1.5 | **1.50 [1.41-1.58]** |", true)]
    [InlineData("| a | b |  | 9.00 |", false)]
    [InlineData("| a | b | ≤ 0.10 | not measured |", false)]
    [InlineData("| a | b | 0 | 0 of 4869 |", false)]
    [InlineData("| a | b | 0 | 2 of 4869 |", true)]
    [InlineData("| a | b | 1,048 | 1,048.0 |", false)]
    public void TargetRow_OfATable_IsMissedBeyondItsTarget(string row, bool isMissed) =>
        Assert.Equal(isMissed, TargetRow.In("page.md", ["| what | compared with | target | ratio |", "|---|---|---:|---:|", row]).Any(each => each.IsMissed));

    [Fact]
    public void TargetRow_MoreColumns_SaysWhatTheyAre() =>
        Assert.Equal("gets, clients 8, workload C", Assert.Single(TargetRow.In("page.md", ["| what | clients | with | workload | target | ratio |", "| gets | 8 |  | C | ≥ 3 | **1** |"])).What);

    [Fact]
    public void TargetRow_OfATableWithoutTargets_IsNone() =>
        Assert.Equal("a", Assert.Single(TargetRow.In("page.md", ["| what | target | figure |", "| a | ≤ 1 | 0 |", "", "| what | least | ratio |", "| b | ≤ 1 | 2 |"])).What);

    [Fact]
    public void SuitePlots_OfASuiteWithShares_AreDrawn()
    {
        if (Gnuplot.Run("") is { } problem) Assert.Skip(problem);
        string[] shares = ["10%", "50%", "100%"];
        var inUse = new Dictionary<string, long> { ["inUse"] = 64 << 20 };
        var suite = Suite([Row("ConcurrentDictionary", 10, "-", figures: inUse), .. shares.SelectMany(share => new[] { Row("FasterCache", 20, share, figures: inUse), Row("FasterKV", 80, share, figures: inUse) })]);
        Assert.Null(SuitePlots.Draw(suite, _directory.Path));
        Assert.All(SuitePlots.NamesFor(suite), name => Assert.Contains("FasterCache", File.ReadAllText(Path.Combine(_directory.Path, name)), StringComparison.Ordinal));
    }

    public void Dispose() => _directory.Dispose();

    private static SuiteResult Suite(params ResultRow[] rows) => new("SomeBenchmarks", ["Machine: one", "Commit: 1234567"], rows);

    private static ResultRow Row(string contestant, double nanoseconds, string memory, string threads = "1", Dictionary<string, long>? figures = null) =>
        new(contestant, new Dictionary<string, string> { ["Threads"] = threads, ["Memory"] = memory }, nanoseconds, Deviation: 1, AllocatedBytes: null, figures ?? NoFigures);

    private void Write(SuiteResult suite) => File.WriteAllText(Path.Combine(_directory.Path, suite.FileName), suite.ToJson());
}
