using System.Globalization;

namespace HybridCaching.Benchmarks.Quick;

/// <summary>The table of the README: what has a target, a line per question and comparison.</summary>
internal static class ReadmeFigures
{
    private const string Mark = "figures of bench targets";

    public static void Write(ResultFiles results, IReadOnlyList<Cell> cells, IReadOnlyList<Figure> figures)
    {
        var rows = cells.Where(cell => cell.Target is not null).GroupBy(cell => (cell.Question, cell.Denominator)).Select(Row);
        var others = figures.Where(figure => figure.Target.Length > 0).Select(figure => $"| {figure.What} | | {Emphasis(figure.IsMissed)}{figure.Value}{Emphasis(figure.IsMissed)} | {figure.Target} |");
        results.WriteToReadme(
            Mark,
            $"""
            {string.Join(" · ", results.Provenance())}

            | what | against | ratio | target |
            |---|---|---:|---:|
            {string.Join("\n", rows.Concat(others))}

            """);
    }

    private static string Row(IGrouping<(string Question, string Denominator), Cell> cells)
    {
        string ratios = string.Join(", ", cells.Select(cell => string.Create(CultureInfo.InvariantCulture, $"{Emphasis(cell.IsMissed)}{cell.Ratio:F2}{Emphasis(cell.IsMissed)} ({cell.Threads}t{(cell.IsFar ? "†" : "")})")));
        string targets = string.Join(", ", cells.Select(cell => cell.TargetText).Distinct());
        return $"| {cells.Key.Question} | {cells.Key.Denominator} | {ratios} | {targets} |";
    }

    private static string Emphasis(bool isMissed) => isMissed ? "**" : "";
}
