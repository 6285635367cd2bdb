using System.Globalization;
using System.Text;

namespace HybridCaching.Throughput.Scale;

/// <summary>The picture <c>scale.svg</c> of gnuplot: over the number of entries what a get costs, the memory for an entry and the time of a restart, as medians with the least and the most; and the longest pause beside caches in memory.</summary>
internal static class ScalePlot
{
    private const int Width = 1000;
    private const int Height = 760;

    /// <summary>Of the palette of M. Okabe and K. Ito, which the colour-blind can tell apart.</summary>
    private static readonly string[] Colours = ["#0072B2", "#009E73", "#D55E00"];

    public static string ScriptFor(string path, ScaleResult result)
    {
        var script = new StringBuilder(string.Create(CultureInfo.InvariantCulture, $"""
            set terminal svg size {Width},{Height} font 'sans-serif,12' background '#ffffff'
            set output '{path}'
            set multiplot layout 2,2
            set border 3 lc rgb '#666666'
            set grid ytics lt 1 lw 0.5 lc rgb '#dddddd'
            set xtics nomirror
            set ytics nomirror
            set bars small
            set key outside bottom center horizontal samplen 2
            set logscale x
            set format x '%.0s %c'
            set xlabel 'entries' offset 0,0.5
            set xrange [{result.Sizes.Min(size => size.Entries) / 2}:{result.Sizes.Max(size => size.Entries) * 2}]
            set logscale y

            """));
        AppendCurves(script, result, "cost of a get", "ns", [
            new("per get, one of ten among all", size => size.Gets.Select(get => get.GetNanoseconds)),
            new("per get in memory", size => size.Gets.Select(get => get.HotGetNanoseconds)),
            new("per block of the disk", size => size.Gets.Select(get => get.RawReadNanoseconds).OfType<double>())]);
        script.Append("unset logscale y\nset yrange [0:*]\n");
        AppendCurves(script, result, "memory for an entry", "bytes", [
            new("index and buffers", size => [(double)size.LeadingBytes / size.Entries]),
            new("growth of the process", size => [(double)size.ResidentGrowth / size.Entries])],
            string.Create(CultureInfo.InvariantCulture, $", {ScalePage.MemoryTarget} with lines dt 2 lc rgb '#333333' title 'target of index and buffers'"));
        script.Append("set logscale y\nset yrange [*:*]\n");
        AppendCurves(script, result, "restart", "seconds", [
            new("opened, until the first hit", size => size.Restarts.Select(restart => restart.FirstHitSeconds)),
            new("closed", size => size.Restarts.Select(restart => restart.CloseSeconds))]);
        AppendPauses(script, result);
        return script.Append("unset multiplot\n").ToString();
    }

    /// <summary>What was measured more than once with as many entries is one point.</summary>
    private static void AppendCurves(StringBuilder script, ScaleResult result, string title, string axis, Curve[] curves, string more = "")
    {
        Curve[] known = [.. curves.Where(curve => result.Sizes.Any(size => curve.Of(size).Any()))];
        for (int i = 0; i < known.Length; i++)
        {
            script.Append($"$curve{i} << EOD\n");
            foreach (var same in result.Sizes.GroupBy(size => size.Entries).OrderBy(group => group.Key))
            {
                double[] figures = [.. same.SelectMany(known[i].Of)];
                if (figures.Length > 0) AppendRow(script, same.Key.ToString(CultureInfo.InvariantCulture), Spread.Of(figures));
            }

            script.Append("EOD\n");
        }

        script.Append($"set title '{title}'\nset ylabel '{axis}'\nplot ");
        script.AppendJoin(", ", known.Select((curve, i) => $"$curve{i} using 1:2:3:4 with yerrorlines pt 7 ps 0.6 lw 2 lc rgb '{Colours[i]}' title '{curve.Name}'")).Append($"{more}\n");
    }

    private static void AppendPauses(StringBuilder script, ScaleResult result)
    {
        string[] contestants = [.. ScaleRun.OursInPauses.Concat(ScaleRun.OthersInPauses).Where(contestant => result.LongestPauses(contestant).Count > 0)];
        if (contestants.Length == 0) return;
        script.Append("$pauses << EOD\n");
        foreach (string contestant in contestants) AppendRow(script, contestant, Spread.Of(result.LongestPauses(contestant).Values));
        script.Append(CultureInfo.InvariantCulture, $"""
            EOD
            unset logscale x
            set autoscale x
            set format x '%g'
            unset xlabel
            set xtics rotate by -20
            set yrange [0.1:*]
            set style data histograms
            set style histogram errorbars gap 1 lw 1
            set style fill solid 0.9 noborder
            set title 'longest pause of the garbage collector, {ScalePage.MillionsOf(result.Pauses)} M entries'
            set ylabel 'ms'
            plot $pauses using 2:3:4:xtic(1) lc rgb '{Colours[0]}' notitle

            """);
    }

    private static void AppendRow(StringBuilder script, string where, Spread spread) =>
        script.Append(CultureInfo.InvariantCulture, $"{where} {spread.Median:F3} {spread.Least:F3} {spread.Most:F3}\n");

    /// <param name="Name">What it shows.</param>
    /// <param name="Of">Every figure of it, with so many entries.</param>
    private sealed record Curve(string Name, Func<ScaleFigures, IEnumerable<double>> Of);
}
