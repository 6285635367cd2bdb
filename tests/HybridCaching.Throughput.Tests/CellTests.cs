using System.Text.Json.Nodes;
using HybridCaching.Throughput.Cells;
using HybridCaching.Throughput.Contestants;
using HybridCaching.Throughput.Measuring;
using HybridCaching.Throughput.Reporting;

namespace HybridCaching.Throughput.Tests;

public sealed class CellTests : IDisposable
{
    private readonly TestDirectory _directory = new();

    private string FilePath => Path.Combine(_directory.Path, "cells.jsonl");

    public void Dispose() => _directory.Dispose();

    [Fact]
    public void Find_AllWorkloadsMeasured_IsFoundByAnotherRun()
    {
        var plan = PlanOf(Contender.Dictionary);
        new CellFile(FilePath).Add([MeasurementOf(plan, Measurement.Filling, 1), MeasurementOf(plan, "A", 5)]);

        Assert.Equal(5, new CellFile(FilePath).Find(plan)!.Single(each => each.Workload == "A").PerSecond);
    }

    [Fact]
    public void Find_LineCutShort_IsNotMeasured()
    {
        var plan = PlanOf(Contender.Dictionary);
        new CellFile(FilePath).Add([MeasurementOf(plan, Measurement.Filling, 1), MeasurementOf(plan, "A", 5)]);
        string text = File.ReadAllText(FilePath);
        File.WriteAllText(FilePath, text[..^20]);

        Assert.Null(new CellFile(FilePath).Find(plan));
    }

    [Fact]
    public void Find_LineWithoutAFigure_IsNotMeasured()
    {
        var plan = PlanOf(Contender.Dictionary);
        new CellFile(FilePath).Add([MeasurementOf(plan, Measurement.Filling, 1), MeasurementOf(plan, "A", 5)]);
        string[] lines = [.. File.ReadLines(FilePath).Select(line => { var measured = JsonNode.Parse(line)!.AsObject(); Assert.True(measured.Remove(nameof(Measurement.Collections))); return measured.ToJsonString(); })];
        File.WriteAllLines(FilePath, lines);

        Assert.Null(new CellFile(FilePath).Find(plan));
    }

    [Fact]
    public void Find_Collections_AreThoseMeasured()
    {
        var plan = PlanOf(Contender.Dictionary);
        new CellFile(FilePath).Add([MeasurementOf(plan, Measurement.Filling, 1), MeasurementOf(plan, "A", 5)]);

        Assert.All(new CellFile(FilePath).Find(plan)!, each => Assert.Equal(new Collections { Gen0 = 3, Gen1 = 2, Gen2 = 1 }, each.Collections));
    }

    [Fact]
    public void Table_OfAMeasurement_HasPausesAndCollectionsInTheirColumns()
    {
        string[] lines = Table.Of([MeasurementOf(PlanOf(Contender.Dictionary), "A", 5) with { LongestPauseMilliseconds = 1.5, AllPausesMilliseconds = 7 }]).Split('\n');
        var columns = lines[0].Split(',').Zip(lines[1].Split(',')).ToDictionary(each => each.First, each => each.Second);

        Assert.Equal(["1.50", "7.00", "3", "2", "1"], ((string[])["longest_pause_ms", "all_pauses_ms", "gen0_collections", "gen1_collections", "gen2_collections"]).Select(name => columns[name]));
    }

    [Fact]
    public void ResultPage_OfAMeasurement_HasAsManyCellsAsHeadings()
    {
        string[] lines = new ResultPage([MeasurementOf(PlanOf(Contender.Dictionary), "A", 5)]).Write([], []).Split('\n');
        int heading = Array.FindIndex(lines, line => line.StartsWith("| contestant | op/s", StringComparison.Ordinal));

        Assert.Equal([lines[heading].Split('|').Length], lines.Skip(heading + 1).Take(2).Select(line => line.Split('|').Length).Distinct());
        Assert.Contains("| 3 / 2 / 1 |", lines[heading + 2], StringComparison.Ordinal);
    }

    [Fact]
    public void Find_OtherOrigin_IsNotMeasured()
    {
        var plan = PlanOf(Contender.Dictionary);
        new CellFile(FilePath).Add([MeasurementOf(plan, Measurement.Filling, 1), MeasurementOf(plan, "A", 5)]);

        Assert.Null(new CellFile(FilePath).Find(plan with { Origin = "other" }));
    }

    [Fact]
    public void Judge_TwoRepeats_ComparesWithinEach()
    {
        var measurements = new[] { (Contender.Typed, 0, 10), (Contender.Dictionary, 0, 20), (Contender.Typed, 1, 30), (Contender.Dictionary, 1, 30) }
            .Select(each => MeasurementOf(PlanOf(each.Item1) with { Repeat = each.Item2 }, "A", each.Item3)).ToArray();

        var (_, _, _, ratio) = Assert.Single(Target.All.Single(target => target.Other == Contender.Dictionary).Judge(measurements));

        Assert.Equal(new Spread(0.75, 0.5, 1), ratio);
    }

    [Fact]
    public void Measure_Dictionary_DoesAllItWasAskedFor()
    {
        using var run = new CellRun(PlanOf(Contender.Dictionary), static (_, _) => { });

        Measurement[] measured = [.. run.Measure()];

        Assert.Equal([Measurement.Filling, "A"], measured.Select(each => each.Workload));
        Assert.All(measured, each => Assert.True(each.Operations > 0 && each.Misses == 0));
    }

    private static CellPlan PlanOf(string contender) => new()
    {
        Part = Part.Half,
        Contender = contender,
        Conditions = new Conditions { ValueBytes = Value100.Length, Memory = 1 << 20, Ratio = 2, Threads = 2, Seconds = 0.2, WarmUpSeconds = 0.1, PageCache = PageCacheUse.Free },
        Workloads = ["A"],
        Repeat = 0,
        Origin = "commit",
    };

    private static Measurement MeasurementOf(CellPlan plan, string workload, long operations) => new()
    {
        Identity = plan.Identity,
        Part = plan.Part,
        Contender = plan.Contender,
        Workload = workload,
        Repeat = plan.Repeat,
        Rate = plan.Rate,
        Conditions = plan.Conditions,
        Settings = "",
        Seconds = 1,
        Operations = operations,
        Misses = 0,
        Reads = default,
        Writes = default,
        CpuSeconds = 0,
        WrittenBytes = 0,
        ReadBytes = 0,
        DiskBytes = 0,
        ResidentGrowth = 0,
        PageCacheBytes = 0,
        MemoryInUse = null,
        LongestPauseMilliseconds = 0,
        AllPausesMilliseconds = 0,
        Collections = new Collections { Gen0 = 3, Gen1 = 2, Gen2 = 1 },
    };
}
