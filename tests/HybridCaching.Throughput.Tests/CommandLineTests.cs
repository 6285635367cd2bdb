using HybridCaching.Throughput.Contestants;

namespace HybridCaching.Throughput.Tests;

public sealed class CommandLineTests
{
    [Fact]
    public void Parse_Nothing_IsAllPartsWithTenTimesMemory()
    {
        var options = Parse();

        Assert.Equal([10], options.Ratios);
        Assert.Equal(Part.All, options.Parts);
        Assert.False(options.IsUnusual);
    }

    [Theory]
    [InlineData("--ratio", "21")]
    [InlineData("--ratio", "10,x")]
    [InlineData("--contestants", "rocks")]
    [InlineData("--workloads", "AX")]
    [InlineData("--value-bytes", "10")]
    [InlineData("--page-cache", "none")]
    [InlineData("--only", "smaller")]
    [InlineData("--repeats", "0")]
    public void Parse_WhatCannotBe_Throws(string option, string value) => Assert.Throws<CannotStartException>(() => Parse(option, value));

    [Theory]
    [InlineData("--ratio", "5")]
    [InlineData("--contestants", "lmdb")]
    [InlineData("--seconds", "3")]
    public void Parse_OtherMeasurement_IsUnusual(string option, string value) => Assert.True(Parse(option, value).IsUnusual);

    [Fact]
    public void Parse_Full_IsUsualAndHasScans()
    {
        var options = Parse("--full", "--fresh");

        Assert.False(options.IsUnusual);
        Assert.Contains("E", options.Workloads!);
    }

    [Fact]
    public void Closed_WorkloadE_IsForThoseWithOrder()
    {
        var plans = new PlanMaker(Parse("--only", "larger", "--workloads", "E"), "commit", Contender.All).Closed();

        Assert.All(plans, plan => Assert.True(Contender.Named(plan.Contender).HasOrder));
    }

    [Fact]
    public void Closed_TwoRepeats_TakeTurnsAndAnotherBegins()
    {
        var plans = new PlanMaker(Parse("--only", "larger", "--contestants", "lmdb,sqlite", "--repeats", "2"), "commit", Contender.All).Closed();

        Assert.Equal(["lmdb", "sqlite", "sqlite", "lmdb"], plans.Select(plan => plan.Contender));
    }

    [Fact]
    public void Open_TwoRepeats_AreThreeSoThatOneIsInTheMiddle()
    {
        var plans = new PlanMaker(Parse("--only", "open", "--contestants", "rocksdb", "--repeats", "2", "--rate", "1000"), "commit", Contender.All).Open([]);

        Assert.Equal([0, 1, 2], plans.Select(plan => plan.Repeat));
    }

    private static ThroughputOptions Parse(params string[] args) => CommandLine.Parse(args, out _)!;
}
