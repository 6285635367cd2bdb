using System.Globalization;
using System.Text;
using HybridCaching.Benchmarks.Contestants;
using HybridCaching.Benchmarks.Reporting;

namespace HybridCaching.Benchmarks.Pages;

/// <summary>Pictures of a suite with shares of memory: bars for each share, and time over the memory that was in use.</summary>
internal static class SuitePlots
{
    private const int PanelWidth = 420;
    private const int PanelHeight = 320;
    private const int TitleHeight = 40;
    private const int MostColumns = 2;

    /// <summary>Fewer shares are no curve, and few bars.</summary>
    private const int FewestShares = 3;

    /// <summary>Of the palette of M. Okabe and K. Ito, which the colour-blind can tell apart; ours first.</summary>
    private static readonly string[] Colours = ["#0072B2", "#D55E00", "#009E73", "#E69F00"];

    private enum Kind
    {
        Bars,
        Curves,
    }

    public static IReadOnlyList<string> NamesFor(SuiteResult suite) => [.. Enum.GetValues<Kind>().Select(kind => NameOf(suite, kind))];

    /// <summary>Draws both into a folder.</summary>
    /// <returns>Null, or why there are none.</returns>
    public static string? Draw(SuiteResult suite, string folder)
    {
        ResultRow[][] panels = [.. suite.Rows.GroupBy(row => row.Workload).Where(group => Shares(group).Length >= FewestShares).Select(group => group.ToArray())];
        if (panels.Length == 0) return null;
        foreach (var kind in Enum.GetValues<Kind>())
        {
            bool hasMemory = suite.Rows.All(row => row.Figures.ContainsKey(FigureColumn.InUseFigure));
            if (kind == Kind.Curves && !hasMemory) continue;
            if (Gnuplot.Run(Script(suite, kind, panels, Path.Combine(folder, NameOf(suite, kind)))) is { } problem) return problem;
        }

        return null;
    }

    /// <summary>Sorts shares of memory: percentages by size, then those in words.</summary>
    public static double Rank(string memory) => double.TryParse(memory.TrimEnd('%'), NumberStyles.AllowDecimalPoint, CultureInfo.InvariantCulture, out double percent) ? percent : double.MaxValue;

    private static string NameOf(SuiteResult suite, Kind kind) => $"{suite.Suite}-{kind.ToString().ToLowerInvariant()}.svg";

    private static string[] Shares(IEnumerable<ResultRow> rows) => [.. rows.Select(row => row.Memory).Where(memory => memory != MemoryShare.NotApplicable).Distinct().OrderBy(Rank)];

    private static string Script(SuiteResult suite, Kind kind, ResultRow[][] panels, string path)
    {
        int columns = Math.Min(MostColumns, panels.Length), rows = (panels.Length + columns - 1) / columns;
        var script = new StringBuilder($"""
            set terminal svg size {columns * PanelWidth},{rows * PanelHeight + TitleHeight} font 'sans-serif,12' background '#ffffff'
            set output '{path}'
            set multiplot layout {rows},{columns} title '{suite.Suite}: time by {(kind == Kind.Bars ? "share of the data in memory" : "memory in use")}' font ',15'
            set border 3 lc rgb '#666666'
            set grid ytics lt 1 lw 0.5 lc rgb '#dddddd'
            set xtics nomirror
            set ytics nomirror
            set logscale y
            set ylabel 'ns per operation'
            set key outside bottom center horizontal samplen 2

            """);
        if (kind == Kind.Bars) script.Append("set style data histograms\nset style histogram clustered gap 1\nset style fill solid 0.9 noborder\nset boxwidth 0.9\n");
        else script.Append("set xlabel 'memory in use, MiB'\nset xrange [0:*]\n");
        foreach (var panel in panels)
        {
            script.Append($"set title '{panel[0].Workload}' font ',12'\n");
            if (kind == Kind.Bars) AppendBars(script, panel);
            else AppendCurves(script, panel);
        }

        return script.Append("unset multiplot\n").ToString();
    }

    /// <summary>Contestants without a choice of memory are lines across.</summary>
    private static void AppendBars(StringBuilder script, ResultRow[] rows)
    {
        var (chosen, others) = Contestants(rows);
        script.Append("$bars << EOD\n");
        foreach (string share in Shares(rows)) script.Append($"\"{share}\" {string.Join(' ', chosen.Select(contestant => TimeOf(rows, contestant, share)))}\n");
        script.Append("EOD\n");
        var bars = chosen.Select((contestant, i) => $"$bars using {i + 2}:xtic(1) title '{contestant}' lc rgb '{Colours[i]}'");
        var lines = others.Select((contestant, i) => $"{TimeOf(rows, contestant, MemoryShare.NotApplicable)} with lines lw 2 dt {i + 1} lc rgb '#333333' title '{contestant}'");
        script.Append($"plot {string.Join(", ", bars.Concat(lines))}\n");
    }

    /// <summary>Contestants without a choice of memory are points.</summary>
    private static void AppendCurves(StringBuilder script, ResultRow[] rows)
    {
        var (chosen, others) = Contestants(rows);
        string[] all = [.. chosen, .. others];
        for (int i = 0; i < all.Length; i++)
        {
            script.Append($"$curve{i} << EOD\n");
            foreach (var row in rows.Where(row => row.Contestant == all[i]).OrderBy(row => row.Figures[FigureColumn.InUseFigure]))
                script.Append(CultureInfo.InvariantCulture, $"{row.Figures[FigureColumn.InUseFigure] / 1048576.0:F1} {row.Nanoseconds:F1}\n");
            script.Append("EOD\n");
        }

        var curves = all.Select((contestant, i) => i < chosen.Length
            ? $"$curve{i} with linespoints pt 7 ps 0.6 lw 2 lc rgb '{Colours[i]}' title '{contestant}'"
            : $"$curve{i} with points pt {i - chosen.Length + 8} ps 1.2 lc rgb '#333333' title '{contestant}'");
        script.Append($"plot {string.Join(", ", curves)}\n");
    }

    private static (string[] WithChoice, string[] Others) Contestants(ResultRow[] rows)
    {
        string[] Names(bool hasChoice) => [.. rows.Where(row => row.Memory != MemoryShare.NotApplicable == hasChoice).Select(row => row.Contestant).Distinct().Order(StringComparer.Ordinal)];
        return (Names(hasChoice: true), Names(hasChoice: false));
    }

    private static string TimeOf(ResultRow[] rows, string contestant, string memory) =>
        rows.FirstOrDefault(row => row.Contestant == contestant && row.Memory == memory)?.Nanoseconds.ToString("F1", CultureInfo.InvariantCulture) ?? "NaN";
}
