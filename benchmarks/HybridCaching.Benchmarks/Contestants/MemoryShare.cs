using System.Globalization;

namespace HybridCaching.Benchmarks.Contestants;

/// <summary>How much of the data may lie in memory: a percentage, or all of it without a disk behind.</summary>
internal readonly record struct MemoryShare
{
    public const string MemoryOnlyText = "memory only";

    /// <summary>Stands in tables for contestants that have no choice.</summary>
    public const string NotApplicable = "-";

    public double Ratio { get; private init; }

    public bool IsMemoryOnly { get; private init; }

    public static MemoryShare Parse(string text) =>
        text == MemoryOnlyText
            ? new MemoryShare { Ratio = 1, IsMemoryOnly = true }
            : new MemoryShare { Ratio = double.Parse(text.AsSpan().TrimEnd("% "), CultureInfo.InvariantCulture) / 100 };
}
