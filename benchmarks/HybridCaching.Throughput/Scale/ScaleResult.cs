using System.Text.Json;

namespace HybridCaching.Throughput.Scale;

/// <summary>All figures with where they come from, as in <c>benchmarks/results/scale.json</c>.</summary>
/// <param name="Facts">Machine, commit, date.</param>
/// <param name="Sizes">In the order in which they were measured.</param>
/// <param name="Pauses">Of each contestant, repeat and workload.</param>
internal sealed record ScaleResult(IReadOnlyList<string> Facts, IReadOnlyList<ScaleFigures> Sizes, IReadOnlyList<PauseFigures> Pauses)
{
    public const int Million = 1_000_000;

    /// <summary>The one with the most entries; null if nothing was measured.</summary>
    public ScaleFigures? Largest => Sizes.MaxBy(size => size.Entries);

    /// <summary>Those with a million, of which there may be two.</summary>
    public IEnumerable<ScaleFigures> Smallest => Sizes.Where(size => size.Entries == Million);

    /// <summary>The ratios of each repeat with the most entries to each with a million; null if there are no more than that.</summary>
    /// <param name="figure">What to compare.</param>
    public Spread? Growth(Func<GetFigures, double?> figure)
    {
        if (Largest is not { Entries: > Million } largest) return null;
        double[] ratios = [.. from many in largest.Gets from few in Smallest.SelectMany(size => size.Gets) let ratio = figure(many) / figure(few) where ratio is not null select ratio.Value];
        return ratios.Length > 0 ? Spread.Of(ratios) : null;
    }

    /// <summary>The longest stop of a contestant in milliseconds, in the order of repeats; filling counts, too.</summary>
    public IReadOnlyDictionary<int, double> LongestPauses(string contestant) =>
        Pauses.Where(each => each.Contestant == contestant).GroupBy(each => each.Repeat).ToDictionary(repeat => repeat.Key, repeat => repeat.Max(each => each.LongestPauseMilliseconds));

    public string ToJson() => JsonSerializer.Serialize(this, JsonSerializerOptions.Web) + "\n";
}
