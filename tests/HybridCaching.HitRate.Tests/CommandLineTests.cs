namespace HybridCaching.HitRate.Tests;

public sealed class CommandLineTests : IDisposable
{
    private readonly TestDirectory _directory = new();

    public void Dispose() => _directory.Dispose();

    [Fact]
    public void Parse_Nothing_IsTwoAndTenPercentOfATenth()
    {
        var options = Parse();

        Assert.Equal(10, options.TotalPercent);
        Assert.Equal([2, 10], options.MemoryPercents);
        Assert.False(options.IsUnusual);
    }

    [Theory]
    [InlineData("--memory", "0")]
    [InlineData("--memory", "2,x")]
    [InlineData("--total", "5,10")]
    [InlineData("--total", "100")]
    [InlineData("--generate", "noise")]
    [InlineData("--requests", "-1")]
    [InlineData("--typical", "large")]
    [InlineData("--disk-write-budget", "little")]
    [InlineData("--colour", "red")]
    public void Parse_WhatCannotBe_SaysWhich(string option, string value)
    {
        var thrown = Assert.Throws<CannotStartException>(() => Parse(option, value));

        Assert.Contains(option, thrown.Message, StringComparison.Ordinal);
    }

    [Theory]
    [InlineData("--memory", "5")]
    [InlineData("--turnovers", "1")]
    [InlineData("--only", "web07")]
    public void Parse_OtherMeasurement_IsUnusual(string option, string value) => Assert.True(Parse(option, value).IsUnusual);

    [Fact]
    public void Parse_WriteBudget_IsUsualAndHasAPageOfItsOwn()
    {
        var options = Parse("--disk-write-budget", "1KB", "--generate", "all");
        Assert.False(options.IsUnusual);
        Assert.Equal("hitrate-generators-write-budget", TraceChoice.For(options, Repository.Find()).Publication);
    }

    [Fact]
    public void Parse_OtherFolder_IsUsual() => Assert.False(Parse("--work", _directory.Path, "--workers", "1").IsUnusual);

    [Fact]
    public void Choice_FolderWithoutTraces_CannotStart()
    {
        var thrown = Assert.Throws<CannotStartException>(() => TraceChoice.For(Parse("--traces", _directory.Path), Repository.Find()));

        Assert.Contains(_directory.Path, thrown.Message, StringComparison.Ordinal);
    }

    [Fact]
    public void Choice_FolderWithTraces_IsAllOfThemByName()
    {
        foreach (string name in (string[])["b.keys", "A.keysizes", "notes.txt"]) File.WriteAllBytes(Path.Combine(_directory.Path, name), TraceFile.Keys(1));

        var choice = TraceChoice.For(Parse("--traces", _directory.Path), Repository.Find());

        Assert.Equal(["A", "b"], choice.Sources.Select(source => source.Name));
    }

    [Fact]
    public void Choice_TraceFile_IsNotPublished() => Assert.Null(TraceChoice.For(Parse("--trace", "some.keys"), Repository.Find()).Publication);

    [Fact]
    public void Choice_AllGenerators_IsPublished() => Assert.Equal("hitrate-generators", TraceChoice.For(Parse("--generate", "all"), Repository.Find()).Publication);

    [Theory]
    [InlineData("--generate", "zipf")]
    [InlineData("--generate", "all", "--seed", "2")]
    public void Choice_OtherGenerators_AreNotPublished(params string[] args) => Assert.Null(TraceChoice.For(Parse(args), Repository.Find()).Publication);

    private static HitRateOptions Parse(params string[] args) => CommandLine.Parse(args, out _)!;
}
