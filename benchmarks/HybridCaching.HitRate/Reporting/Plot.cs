using System.Text;
using HybridCaching.HitRate.References;

namespace HybridCaching.HitRate.Reporting;

/// <summary>Miss-ratio curves, drawn by gnuplot: a panel for each trace.</summary>
internal static class Plot
{
    private const int PanelWidth = 340;
    private const int PanelHeight = 270;
    private const int TitleHeight = 50;
    private const int MostColumns = 4;

    /// <summary>Of the palette of M. Okabe and K. Ito, which the colour-blind can tell apart.</summary>
    private static readonly (ReferencePolicy Policy, string Style)[] Lines =
    [
        (ReferencePolicy.Fifo, "lines lw 2 dt 2 lc rgb '#888888'"),
        (ReferencePolicy.Lru, "lines lw 2 lc rgb '#D55E00'"),
        (ReferencePolicy.S3Fifo, "lines lw 2 lc rgb '#0072B2'"),
        (ReferencePolicy.Belady, "lines lw 2 lc rgb '#009E73'"),
    ];

    /// <summary>Shapes of gnuplot's points for the caches, by share of memory: a dot, then larger and larger frames around it.</summary>
    private static readonly int[] Shapes = [7, 4, 6, 8];

    /// <summary>Draws a picture.</summary>
    /// <returns>Null, or why there is none.</returns>
    public static string? Draw(string path, string title, IReadOnlyList<ReferenceFigures> figures, IReadOnlyList<Outcome> outcomes) => Gnuplot.Run(ScriptFor(path, title, figures, outcomes));

    private static string ScriptFor(string path, string title, IReadOnlyList<ReferenceFigures> figures, IReadOnlyList<Outcome> outcomes)
    {
        double[] shares = [.. outcomes.Select(outcome => outcome.Plan.MemoryPercent).Distinct().Order()];
        int columns = Math.Min(MostColumns, figures.Count + 1);
        int rows = (figures.Count + columns) / columns;
        var script = new StringBuilder($"""
            set terminal svg size {columns * PanelWidth},{(rows * PanelHeight) + TitleHeight} font 'sans-serif,12' background '#ffffff'
            set output '{path}'
            set multiplot layout {rows},{columns} title '{title}' font ',16'
            set border 3 lc rgb '#666666'
            set grid ytics lt 1 lw 0.5 lc rgb '#dddddd'
            set xtics nomirror
            set ytics nomirror
            set logscale x
            set xrange [0.9:45]
            set xlabel 'cache size, % of distinct keys' offset 0,0.5
            set ylabel 'miss ratio, %' offset 1,0
            set yrange [0:*]
            unset key

            """);
        script.Append($"set xtics ({string.Join(", ", figures.SelectMany(figure => figure.Curves.Select(point => point.Percent)).Distinct())})\n");
        foreach (var figure in figures) AppendPanel(script, figure, outcomes, shares);
        AppendKey(script, shares);
        return script.Append("unset multiplot\n").ToString();
    }

    private static void AppendPanel(StringBuilder script, ReferenceFigures figure, IReadOnlyList<Outcome> outcomes, double[] shares)
    {
        var ours = outcomes.Where(outcome => outcome.References == figure).ToArray();
        foreach (var (policy, _) in Lines)
        {
            script.Append($"${NameOf(policy)} << EOD\n");
            foreach (var point in figure.Curves.Where(point => point.Policy == policy.Name)) script.Append($"{point.Percent} {100 - figure.Whole.Percent(point.Hits):F3}\n");
            script.Append("EOD\n");
        }

        foreach (var outcome in ours)
            script.Append($"$ours{Array.IndexOf(shares, outcome.Plan.MemoryPercent)} << EOD\n{100.0 * figure.Capacity / figure.Whole.DistinctWeight:F3} {100 - outcome.Hits:F3}\nEOD\n");
        string title = ours.Any(outcome => outcome.IsCut) ? $"{figure.Whole.Name} (caches: the first {figure.Replayed.Requests.Length:N0} requests)" : figure.Whole.Name;
        script.Append($"set title '{title}' offset 0,-0.5\nplot ");
        script.AppendJoin(", ", Lines.Select(line => $"${NameOf(line.Policy)} with {line.Style}").Concat(ours.Select(outcome => OursAt(Array.IndexOf(shares, outcome.Plan.MemoryPercent)))));
        script.Append('\n');
    }

    /// <summary>An empty panel with the names of lines and points.</summary>
    private static void AppendKey(StringBuilder script, double[] shares)
    {
        script.Append("""
            unset border
            unset tics
            unset title
            unset xlabel
            unset ylabel
            unset grid
            set key center center Left reverse samplen 3 spacing 1.5
            set yrange [0:1]
            plot 
            """);
        script.AppendJoin(", ", Lines.Select(line => $"NaN with {line.Style} title '{line.Policy.Name}, all the bytes'").Concat(shares.Select((share, i) => $"NaN with {PointStyle(i)} title 'the cache, memory {share} %'")));
        script.Append('\n');
    }

    private static string OursAt(int share) => $"$ours{share} with {PointStyle(share)}";

    private static string PointStyle(int share) => $"points pt {Shapes[share % Shapes.Length]} ps {0.7 + (0.6 * share):F1} lw 1.5 lc rgb '#000000'";

    private static string NameOf(ReferencePolicy policy) => policy.Name.Replace("-", "", StringComparison.Ordinal);
}
