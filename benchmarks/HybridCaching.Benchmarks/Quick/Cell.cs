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
    public double Ratio => Ratios.Median;

    public bool IsFar => HandOver > Quick.HandOver.Far;

    public bool IsMissed => Ratio > Target;

    public override string ToString() =>
        string.Create(CultureInfo.InvariantCulture, $"{Question} {Threads}t vs {Denominator} ratio {Ratio:F2} [{Ratios.Least:F2}-{Ratios.Most:F2}]{(Target is null ? "" : $", target {Target:F2}")}{(IsFar ? " (cores far apart)" : "")}");

    public string ToTableRow() =>
        string.Create(CultureInfo.InvariantCulture, $"| {Question} {Threads}t | {Denominator} | {TargetText} | {Ratio:F2} | {Ratios.Least:F2}-{Ratios.Most:F2} | {Spread.Of(Ours).Median:N1} | {Spread.Of(Theirs).Median:N1} | {HandOver:F0} |");

    /// <summary>The target, or nothing.</summary>
    public string TargetText => Target is null ? "" : string.Create(CultureInfo.InvariantCulture, $"≤ {Target:F2}");

    private Spread Ratios => Spread.OfRatios(Ours, Theirs);
}
