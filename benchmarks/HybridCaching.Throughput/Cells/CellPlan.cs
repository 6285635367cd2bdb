using System.Globalization;
using System.Text.Json.Serialization;
using HybridCaching.Throughput.Contestants;

namespace HybridCaching.Throughput.Cells;

/// <summary>What one process measures: a contestant is opened and filled, then runs workloads one after the other.</summary>
internal sealed record CellPlan
{
    /// <summary>The part of the results that it belongs to.</summary>
    public required string Part { get; init; }

    public required string Contender { get; init; }

    public required Conditions Conditions { get; init; }

    /// <summary>Their letters, in order.</summary>
    public required IReadOnlyList<string> Workloads { get; init; }

    /// <summary>From 0 on.</summary>
    public required int Repeat { get; init; }

    /// <summary>Operations per second in an open loop; null in a closed one.</summary>
    public double? Rate { get; init; }

    /// <summary>Whether the rate was asked for; else it comes from what was measured before.</summary>
    public bool IsRateAsked { get; init; }

    /// <summary>The working copy that it is measured from, the machine, and the folder in which.</summary>
    public required string Origin { get; init; }

    /// <summary>Plans with the same identity measure the same: their results stand for one another. A rate that was measured is not part of it.</summary>
    [JsonIgnore]
    public string Identity => string.Create(
        CultureInfo.InvariantCulture,
        $"{Origin}|{Part}|{Contender}|{string.Concat(Workloads)}|{Repeat}|{(Rate is null ? "closed" : IsRateAsked ? Rate : "open")}|{Conditions.ValueBytes}|{Conditions.Memory}|{Conditions.Ratio}|{Conditions.Threads}|{Conditions.Seconds}|{Conditions.WarmUpSeconds}|{Conditions.PageCache}");
}
