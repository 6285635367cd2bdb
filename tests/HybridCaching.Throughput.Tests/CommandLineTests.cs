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
    [InlineData("--open-workloads", "X")]
    [InlineData("--value-bytes", "10")]
    [InlineData("--page-cache", "none")]
    [InlineData("--only", "smaller")]
    [InlineData("--repeats", "0")]
    public void Parse_WhatCannotBe_Throws(string option, string value) => Assert.Throws<CannotStartException>(() => Parse(option, value));

    [Theory]
    [InlineData("--ratio", "5")]
    [InlineData("--contestants", "lmdb")]
    [InlineData("--seconds", "3")]
    [InlineData("--open-workloads", "C")]
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

    [Fact]
    public void Open_NoWorkloadsAskedFor_IsB() => Assert.Equal("B", OpenWorkloadsOf("--contestants", "rocksdb"));

    [Fact]
    public void Open_Full_IsAllButScans() => Assert.Equal("ABCFD", OpenWorkloadsOf("--full", "--contestants", "rocksdb"));

    [Theory]
    [InlineData("A")]
    [InlineData("B")]
    [InlineData("C")]
    [InlineData("D")]
    [InlineData("E")]
    [InlineData("F")]
    [InlineData("FAE")]
    public void Open_WorkloadsAskedFor_IsThese(string workloads) => Assert.Equal(workloads, OpenWorkloadsOf("--workloads", "C", "--contestants", "rocksdb", "--open-workloads", workloads));

    [Fact]
    public void Open_ScansAskedFor_AreForThoseWithOrder() =>
        Assert.All(new PlanMaker(Parse("--open-workloads", "E", "--rate", "1000", "--contestants", "ours-bytes,rocksdb"), "commit", Contender.All).Open([]), plan => Assert.Equal(Contender.RocksDb, plan.Contender));

    [Fact]
    public void Closed_OpenWorkloadsAskedFor_ArePeaks() =>
        Assert.Equal("AC", Assert.Single(new PlanMaker(Parse("--only", "open", "--open-workloads", "CA", "--contestants", "rocksdb", "--repeats", "1"), "commit", Contender.All).Closed().Select(plan => string.Concat(plan.Workloads))));

    [Fact]
    public void Closed_OpenWorkloadsAskedFor_LeavesOtherPartsAsTheyAre()
    {
        var plans = new PlanMaker(Parse("--only", "larger", "--open-workloads", "C", "--contestants", "rocksdb", "--repeats", "1"), "commit", Contender.All).Closed();

        Assert.Equal("ABCFD", string.Concat(Assert.Single(plans).Workloads));
    }

    /// <summary>Each in a process of its own, in their order.</summary>
    private static string OpenWorkloadsOf(params string[] args) =>
        string.Concat(new PlanMaker(Parse(["--only", "open", "--rate", "1000", "--repeats", "1", .. args]), "commit", Contender.All).Open([]).Select(plan => Assert.Single(plan.Workloads)));

    private static ThroughputOptions Parse(params string[] args) => CommandLine.Parse(args, out _)!;
}
