using System.Text.Json;
using HybridCaching.Throughput.Cells;
using HybridCaching.Throughput.Contestants;
using HybridCaching.Throughput.Measuring;
using HybridCaching.Throughput.Scale;

namespace HybridCaching.Throughput.Tests;

public sealed class ScaleTests : IDisposable
{
    private const long Million = ScaleResult.Million;
    private const string Plot = "scale.svg";

    private readonly TestDirectory _directory = new();

    public void Dispose() => _directory.Dispose();

    [Fact]
    public void Growth_OfTheMost_IsComparedWithBothOfTheFewest()
    {
        var result = ResultOf([SizeOf(Million, 100, 120), SizeOf(10 * Million, 1_000_000), SizeOf(100 * Million, 120), SizeOf(Million, 150)]);

        Assert.Equal(new Spread(1, 0.8, 1.2), result.Growth(get => get.GetNanoseconds));
    }

    [Fact]
    public void Growth_OfAMillionAlone_IsNone() => Assert.Null(ResultOf([SizeOf(Million, 100)]).Growth(get => get.GetNanoseconds));

    [Fact]
    public void Growth_OfADiskThatCannotBeRead_IsNone() => Assert.Null(ResultOf([SizeOf(Million, 100), SizeOf(10 * Million, 100)]).Growth(get => get.RawReadNanoseconds));

    [Fact]
    public void LongestPauses_OfARepeat_AreThoseOfFillingToo()
    {
        var result = ResultOf([], [PauseOf(Contender.Typed, 0, 3), PauseOf(Contender.Typed, 0, 5, Measurement.Filling), PauseOf(Contender.Typed, 1, 4), PauseOf(Contender.Bytes, 0, 9)]);

        Assert.Equal([5, 4], result.LongestPauses(Contender.Typed).OrderBy(each => each.Key).Select(each => each.Value));
    }

    [Fact]
    public void ToJson_OfAResult_HasEveryPauseWithCollections()
    {
        using var json = JsonDocument.Parse(ResultOf([SizeOf(Million, 100)], [PauseOf(Contender.Dictionary, 2, 645.9)]).ToJson());

        var pause = Assert.Single(json.RootElement.GetProperty("pauses").EnumerateArray());
        Assert.Equal((Contender.Dictionary, 2, 645.9, 1), (pause.GetProperty("contestant").GetString(), pause.GetProperty("repeat").GetInt32(), pause.GetProperty("longestPauseMilliseconds").GetDouble(), pause.GetProperty("collections").GetProperty("gen2").GetInt32()));
    }

    [Fact]
    public void ToJson_OfAResult_HasEveryRepeatOfGets()
    {
        using var json = JsonDocument.Parse(ResultOf([SizeOf(Million, 100, 120, 110)]).ToJson());

        Assert.Equal([100, 120, 110], json.RootElement.GetProperty("sizes")[0].GetProperty("gets").EnumerateArray().Select(get => get.GetProperty("getNanoseconds").GetDouble()));
    }

    [Fact]
    public void Page_OfRepeats_HasMedianAndSpread() => Assert.Contains("| 110 [100-120] |", PageOf([SizeOf(Million, 100, 120, 110)]), StringComparison.Ordinal);

    [Fact]
    public void Page_OfTwoSizes_HasTheRatioOfCostWithSpread() =>
        Assert.Contains("| ≤ 1.5 | 1.250 [1.200-1.300] |", PageOf([SizeOf(Million, 100), SizeOf(10 * Million, 120, 125, 130)]), StringComparison.Ordinal);

    [Fact]
    public void Page_OfACostThatGrewTooMuch_MarksIt() => Assert.Contains("| **1.600 [1.600-1.600]** |", PageOf([SizeOf(Million, 100), SizeOf(10 * Million, 160)]), StringComparison.Ordinal);

    [Fact]
    public void Page_OfPauses_ComparesWithinEachTurn()
    {
        string page = PageOf([SizeOf(Million, 100)], [.. Pauses(Contender.Typed, 2, 4, 3), .. Pauses(Contender.Dictionary, 200, 200, 600)]);

        Assert.Contains("| ≤ 0.02 | 0.010 [0.005-0.020] |", page, StringComparison.Ordinal);
    }

    [Fact]
    public void Page_OfATurnThatFailed_LeavesItOut()
    {
        string page = PageOf([SizeOf(Million, 100)], [.. Pauses(Contender.Typed, 2, 4), PauseOf(Contender.Dictionary, 1, 400)]);

        Assert.Contains("| ≤ 0.02 | 0.010 [0.010-0.010] |", page, StringComparison.Ordinal);
    }

    [Theory]
    [InlineData(Plot, true)]
    [InlineData(null, false)]
    public void Page_WithAPlot_ShowsIt(string? plot, bool isShown) => Assert.Equal(isShown, ScalePage.Of(ResultOf([SizeOf(Million, 100)]), "command", plot).Contains($"]({Plot})", StringComparison.Ordinal));

    [Theory]
    [InlineData("cost of a get")]
    [InlineData("memory for an entry")]
    [InlineData("restart")]
    [InlineData("longest pause of the garbage collector")]
    [InlineData("100 M")]
    public void Plot_OfThreeSizesAndPauses_ShowsThem(string text)
    {
        string[] drawn = Drawn(ResultOf([SizeOf(Million, 90, 110), SizeOf(10 * Million, 120), SizeOf(100 * Million, 150), SizeOf(Million, 100)], Pauses(Contender.Typed, 2, 4, 3)));

        Assert.Contains(drawn, line => line.Contains(text, StringComparison.Ordinal));
    }

    [Fact]
    public void Plot_OfOneSizeWithoutPauses_IsDrawn() => Assert.Contains(Drawn(ResultOf([SizeOf(Million, 100)])), line => line.Contains("cost of a get", StringComparison.Ordinal));

    private static string PageOf(ScaleFigures[] sizes, PauseFigures[]? pauses = null) => ScalePage.Of(ResultOf(sizes, pauses), "command", plot: null);

    private static ScaleResult ResultOf(ScaleFigures[] sizes, PauseFigures[]? pauses = null) => new(["Machine: one"], sizes, pauses ?? []);

    private static ScaleFigures SizeOf(long entries, params double[] getNanoseconds) => new()
    {
        Entries = entries,
        Memory = 43 * entries,
        SetNanoseconds = 1000,
        Gets = [.. getNanoseconds.Select(nanoseconds => new GetFigures { GetNanoseconds = nanoseconds, HotGetNanoseconds = 50, RawReadNanoseconds = null, MemoryHitShare = 0.9, MissShare = 0 })],
        LeadingBytes = 16 * entries,
        ResidentGrowth = 30 * entries,
        DiskBytes = 53 * entries,
        Restarts = [new RestartFigures(CloseSeconds: 0.5, FirstHitSeconds: 0.25, FoundShare: 1)],
        Clients = [new ClientFigures(1, [100, 100, 100], [1000, 1000, 1000])],
    };

    private static PauseFigures[] Pauses(string contestant, params double[] longest) => [.. longest.Select((milliseconds, repeat) => PauseOf(contestant, repeat, milliseconds))];

    private static PauseFigures PauseOf(string contestant, int repeat, double longest, string workload = "A") =>
        new(contestant, 10 * ScaleResult.Million, workload, repeat, Seconds: 10, longest, AllPausesMilliseconds: longest, new Collections { Gen0 = 3, Gen1 = 2, Gen2 = 1 });

    private string[] Drawn(ScaleResult result)
    {
        if (Gnuplot.Run("") is { } problem) Assert.Skip(problem);
        string path = Path.Combine(_directory.Path, Plot);
        Assert.Null(Gnuplot.Run(ScalePlot.ScriptFor(path, result)));
        return File.ReadAllLines(path);
    }
}
