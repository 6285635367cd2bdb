using System.Globalization;
using HybridCaching.Benchmarks.Pages;

namespace HybridCaching.Benchmarks.Quick;

/// <summary>The table of the README: what has a target, a line per question and comparison.</summary>
internal static class ReadmeFigures
{
    private const string Mark = "figures of bench targets";

    public static void Write(ResultFiles results, IReadOnlyList<Cell> cells, IReadOnlyList<Figure> figures)
    {
        var rows = cells.Where(cell => cell.Target is not null).GroupBy(cell => (cell.Question, cell.Denominator)).Select(Row);
        var others = figures.Where(figure => figure.Target.Length > 0).Select(figure => $"| {figure.What} | | {(new TargetRow("", "", figure.Target, figure.Value).IsMissed ? $"**{figure.Value}**" : figure.Value)} | {figure.Target} |");
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
        string ratios = string.Join(", ", cells.Select(cell => string.Create(CultureInfo.InvariantCulture, $"{Emphasis(cell)}{cell.Ratio:F2}{Emphasis(cell)} ({cell.Threads}t{(cell.IsFar ? "†" : "")})")));
        string targets = string.Join(", ", cells.Select(cell => cell.TargetText).Distinct());
        return $"| {cells.Key.Question} | {cells.Key.Denominator} | {ratios} | {targets} |";
    }

    private static string Emphasis(Cell cell) => cell.IsMissed ? "**" : "";
}
