using System.Globalization;
using HybridCaching.Benchmarks.Pages;

namespace HybridCaching.Benchmarks.Quick;

/// <summary>A figure that is no time: what it says, what it shall not exceed, what it is.</summary>
internal sealed record Figure(string What, string Target, string Value)
{
    public bool IsMissed => new TargetRow("", What, Target, Value).IsMissed;

    public static Figure Of(string what, double value, double target) =>
        new(what, string.Create(CultureInfo.InvariantCulture, $"≤ {target:F2}"), value.ToString("F2", CultureInfo.InvariantCulture));

    public override string ToString() => $"{What}: {Value}, target {Target}";

    public string ToTableRow() => $"| {What} | {Target} | {Value} |";
}
