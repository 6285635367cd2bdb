using HybridCaching.HitRate.Traces;

namespace HybridCaching.HitRate.Tests;

public sealed class TraceGeneratorTests
{
    private static readonly GeneratorSettings Settings = new(Keys: 2000, Requests: 20_000, Seed: 7);

    public static TheoryData<string> Names => [.. TraceGenerator.All.Select(generator => generator.Name)];

    [Theory]
    [MemberData(nameof(Names))]
    public void Create_SameSeed_MakesTheSameTrace(string name)
    {
        var one = Create(name, Settings);
        var other = Create(name, Settings);

        Assert.Equal(one.Requests, other.Requests);
        Assert.Equal(one.Keys, other.Keys);
        Assert.Equal(one.Weights, other.Weights);
    }

    [Theory]
    [InlineData("zipf")]
    [InlineData("scan")]
    [InlineData("shift")]
    [InlineData("sizes")]
    public void Create_OtherSeed_MakesOthers(string name) => Assert.NotEqual(Create(name, Settings).Keys, Create(name, Settings with { Seed = 8 }).Keys);

    [Theory]
    [MemberData(nameof(Names))]
    public void Create_Settings_DecideTheNumberOfRequests(string name) => Assert.Equal(Settings.Requests, Create(name, Settings).Requests.Length);

    /// <summary>Random numbers of a seed are the same in every version of .NET, and so must be what is made of them: results of two days are compared.</summary>
    [Theory]
    [InlineData("zipf", 587, 1322)]
    [InlineData("sizes", 587, 1322)]
    public void Create_KnownSeed_BeginsAsEver(string name, long first, long second) => Assert.Equal((first, second), (Create(name, Settings).Keys[0], Create(name, Settings).Keys[1]));

    [Fact]
    public void Create_Loop_GoesInACircle() => Assert.Equal(Enumerable.Range(0, Settings.Requests).Select(i => i % Settings.Keys), Create("loop", Settings).Requests);

    [Fact]
    public void Create_Scan_AsksHalfTheTimeForKeysThatNeverComeAgain()
    {
        var trace = Create("scan", Settings);

        var scanned = trace.Requests.Select(id => trace.Keys[id]).Where(key => key >= Settings.Keys).ToList();
        Assert.Equal(Settings.Requests / 2, scanned.Count);
        Assert.Equal(scanned.Count, scanned.Distinct().Count());
    }

    [Fact]
    public void Create_Shift_HasAnotherFavouriteInEachTenth()
    {
        var trace = Create("shift", Settings);

        var favourites = trace.Requests.Chunk(Settings.Requests / 10).Select(part => part.CountBy(id => id).MaxBy(pair => pair.Value).Key);
        Assert.Equal(10, favourites.Distinct().Count());
    }

    [Fact]
    public void Create_Sizes_AreBetweenTheirLimits()
    {
        var trace = Create("sizes", Settings);

        Assert.True(trace.IsSized);
        Assert.Equal((64, 64 << 10), (trace.Weights.Min(), trace.Weights.Max()));
    }

    private static Trace Create(string name, GeneratorSettings settings) => TraceGenerator.All.Single(generator => generator.Name == name).Create(settings);
}
