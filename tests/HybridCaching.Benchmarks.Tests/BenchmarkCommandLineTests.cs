namespace HybridCaching.Benchmarks.Tests;

public sealed class BenchmarkCommandLineTests
{
    [Fact]
    public void Parse_OptionsOfBenchmarkDotNet_AreLeft()
    {
        var options = BenchmarkCommandLine.Parse(["--fresh", "--filter", "*Mixed*", "-j", "short", "--keys", "uniform"], out _)!;
        Assert.Equal(["--filter", "*Mixed*", "-j", "short"], options.Rest);
    }

    [Fact]
    public void Parse_PercentagesWithoutSignAndNamesInSmallLetters_AreTaken() => Assert.NotNull(BenchmarkCommandLine.Parse(["--ratios", "10,100%", "--keys", "zipf,hot"], out _));

    [Theory]
    [InlineData("--ratios", "20")]
    [InlineData("--keys", "zipf,none")]
    [InlineData("--matrix", "half")]
    public void Parse_ValueThatTheMatrixLacks_IsRefused(string option, string value)
    {
        Assert.Null(BenchmarkCommandLine.Parse([option, value], out int exitCode));
        Assert.Equal(2, exitCode);
    }

    [Fact]
    public void Parse_Nothing_IsTheDefaultSubset() => Assert.True(BenchmarkCommandLine.Parse([], out _) is { Rest: [], IsFresh: false, Matrix.IsPublishable: true });
}
