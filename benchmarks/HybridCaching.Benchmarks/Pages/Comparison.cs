using System.Globalization;
using HybridCaching.Benchmarks.Reporting;

namespace HybridCaching.Benchmarks.Pages;

/// <summary>A cell in which the library stands beside another contestant. Below 1 it is faster.</summary>
internal sealed record Comparison(SuiteResult Suite, ResultRow Ours, ResultRow Theirs)
{
    public double Ratio => Ours.Nanoseconds / Theirs.Nanoseconds;

    /// <summary>Whether both times are worth a headline: neither varied by more than a quarter, and the other contestant does not have to read its files each time for want of a read cache.</summary>
    public bool IsTelling => Ours.IsSteady && Theirs.IsSteady && !Theirs.IsWithoutReadCache;

    /// <summary>Whom the library stands beside.</summary>
    public string Opponent => ResultRow.Kind(Theirs.Contestant);

    /// <summary>Where reads of the library were answered, if some of them waited for the disk or found nothing.</summary>
    public string Tiers
    {
        get
        {
            long disk = Ours.Figures.GetValueOrDefault(FigureColumn.FromDiskFigure), missed = Ours.Figures.GetValueOrDefault(FigureColumn.MissedFigure);
            string[] parts = [.. ((string?[])[disk > 0 ? $"{Percent(disk)} of ours from the files" : null, missed > 0 ? $"{Percent(missed)} missed" : null]).OfType<string>()];
            return string.Join(", ", parts);
        }
    }

    /// <summary>Every one that a suite has.</summary>
    public static IEnumerable<Comparison> Of(SuiteResult suite) =>
        from ours in suite.Rows
        from theirs in suite.Rows
        where ours.IsComparableWith(theirs)
        select new Comparison(suite, ours, theirs);

    public static string Nanoseconds(double value) => string.Create(CultureInfo.InvariantCulture, $"{value:N1}");

    /// <summary>A ratio in as many digits as say something.</summary>
    public static string Show(double ratio) => ratio.ToString(ratio < 0.1 ? "F3" : ratio < 10 ? "F2" : "F0", CultureInfo.InvariantCulture);

    /// <summary>A row of a table: suite, workload, opponent, both times, ratio.</summary>
    public string ToTableRow() =>
        $"| {Suite.Suite} | {Ours.Contestant}, {Ours.Cell} | {Theirs.Contestant} | {Nanoseconds(Ours.Nanoseconds)} | {Nanoseconds(Theirs.Nanoseconds)} | {Show(Ratio)} | {Tiers} |";

    private static string Percent(long perMille) => string.Create(CultureInfo.InvariantCulture, $"{perMille / 10.0:F1} %");
}
