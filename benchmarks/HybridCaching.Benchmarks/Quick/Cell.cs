using System.Globalization;

namespace HybridCaching.Benchmarks.Quick;

/// <summary>One comparison: how the library's time relates to that of a denominator.</summary>
/// <param name="Question">What was done, on how much memory.</param>
/// <param name="Threads">By how many threads.</param>
/// <param name="Denominator">What it is compared with.</param>
/// <param name="Ours">Nanoseconds per operation of the library, a figure per repetition.</param>
/// <param name="Theirs">Nanoseconds per operation of the denominator in the same repetitions.</param>
/// <param name="Target">What the ratio shall not exceed; null where nobody has set a target.</param>
/// <param name="HandOver">With several threads: nanoseconds that a cache line took from core to core, see <see cref="Quick.HandOver"/>.</param>
internal sealed record Cell(string Question, int Threads, string Denominator, IReadOnlyList<double> Ours, IReadOnlyList<double> Theirs, double? Target = null, double? HandOver = null)
{
    public double Ratio => Median(Ours) / Median(Theirs);

    public double Lowest => Ours.Zip(Theirs, static (ours, theirs) => ours / theirs).Min();

    public double Highest => Ours.Zip(Theirs, static (ours, theirs) => ours / theirs).Max();

    public bool IsFar => HandOver > Quick.HandOver.Far;

    public bool IsMissed => Ratio > Target;

    public override string ToString() =>
        string.Create(CultureInfo.InvariantCulture, $"{Question} {Threads}t vs {Denominator} ratio {Ratio:F2} [{Lowest:F2}-{Highest:F2}]{(Target is null ? "" : $", target {Target:F2}")}{(IsFar ? " (cores far apart)" : "")}");

    public string ToTableRow() =>
        string.Create(CultureInfo.InvariantCulture, $"| {Question} {Threads}t | {Denominator} | {TargetText} | {Ratio:F2} | {Lowest:F2}-{Highest:F2} | {Median(Ours):N1} | {Median(Theirs):N1} | {HandOver:F0} |");

    /// <summary>The target, or nothing.</summary>
    public string TargetText => Target is null ? "" : string.Create(CultureInfo.InvariantCulture, $"≤ {Target:F2}");

    private static double Median(IReadOnlyList<double> values) => values.Order().ElementAt(values.Count / 2);
}
