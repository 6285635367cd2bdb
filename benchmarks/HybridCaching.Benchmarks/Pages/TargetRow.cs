using System.Globalization;
using System.Text.RegularExpressions;

namespace HybridCaching.Benchmarks.Pages;

/// <summary>A figure of a page of <c>benchmarks/results</c> beside what we have set ourselves. A target without a sign is the most that it may be.</summary>
/// <remarks>The page knows more digits than it shows, so a figure that is bold there is missed.</remarks>
internal sealed partial record TargetRow(string Page, string What, string Target, string Figure, bool IsMarked = false)
{
    private const string TargetHeading = "target";
    private const char Bold = '*';

    public bool IsMissed
    {
        get
        {
            if (IsMarked) return true;
            var limit = Limit().Match(Target);
            var found = Number().Match(Figure);
            if (!limit.Success || !found.Success) return false;
            double most = Parse(limit), value = Parse(found);
            return limit.Groups["sign"].Value == "≥" ? value < most : value > most;
        }
    }

    /// <summary>Reads the tables of a page that have targets, with the figure in the next column.</summary>
    public static IEnumerable<TargetRow> In(string page, IEnumerable<string> lines)
    {
        int target = -1;
        string[] headings = [];
        foreach (string line in lines)
        {
            if (!line.StartsWith('|'))
            {
                target = -1;
                continue;
            }

            string[] cells = [.. line.Trim('|').Split('|').Select(cell => cell.Trim())];
            if (Array.IndexOf(cells, TargetHeading) is >= 0 and var heading) (target, headings) = (heading, cells);
            else if (target > 0 && target + 1 < cells.Length && Limit().IsMatch(cells[target]))
                yield return new TargetRow(page, Describe(headings[..target], cells), cells[target], cells[target + 1].Trim(Bold), IsMarked: cells[target + 1].StartsWith(Bold));
        }
    }

    public override string ToString() => $"| {What} | {Target} | {(IsMissed ? $"**{Figure}**" : Figure)} |";

    /// <summary>With a link to the page.</summary>
    public string ToLinkedRow() => $"| {What} | {Target} | {Figure} | [{Page}](../benchmarks/results/{Page}) |";

    private static string Describe(string[] headings, string[] cells) =>
        string.Join(", ", headings.Zip(cells, static (heading, cell) => (Heading: heading, Cell: cell)).Where(static each => each.Cell.Length > 0).Select(static (each, i) => i == 0 ? each.Cell : $"{each.Heading} {each.Cell}"));

    private static double Parse(Match match) => UnitOf(match.Groups["unit"].Value) * double.Parse(match.Groups["number"].Value, NumberStyles.AllowThousands | NumberStyles.AllowDecimalPoint | NumberStyles.AllowLeadingSign, CultureInfo.InvariantCulture);

    private static double UnitOf(string name) => name switch
    {
        "KiB" => 1 << 10,
        "MiB" => 1 << 20,
        "GiB" => 1 << 30,
        _ => 1,
    };

    [GeneratedRegex(@"^((?<sign>[≤≥]) )?(?<number>-?[\d.,]*\d)( (?<unit>[KMG]iB))?")]
    private static partial Regex Limit();

    [GeneratedRegex(@"^(?<number>-?[\d.,]*\d)( (?<unit>[KMG]iB))?")]
    private static partial Regex Number();
}
