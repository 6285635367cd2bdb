using System.Globalization;

namespace HybridCaching.Benchmarks.Contestants;

/// <summary>How much of the data may lie in memory: a percentage, as much as a dictionary takes for it, or all of it without a disk behind.</summary>
internal readonly record struct MemoryShare
{
    public const string MemoryOnlyText = "memory only";

    public const string AsDictionaryText = "as CD()";

    /// <summary>Stands in tables for contestants that have no choice.</summary>
    public const string NotApplicable = "-";

    public double Ratio { get; private init; }

    public bool IsMemoryOnly { get; private init; }

    /// <summary>Whether a ConcurrentDictionary of the same entries says how much; there is no ratio then.</summary>
    public bool IsAsDictionary { get; private init; }

    public static MemoryShare Parse(string text) => text switch
    {
        MemoryOnlyText => new MemoryShare { Ratio = 1, IsMemoryOnly = true },
        AsDictionaryText => new MemoryShare { Ratio = double.NaN, IsAsDictionary = true },
        _ => new MemoryShare { Ratio = double.Parse(text.AsSpan().TrimEnd("% "), CultureInfo.InvariantCulture) / 100 },
    };
}
