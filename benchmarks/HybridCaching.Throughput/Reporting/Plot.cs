using System.Globalization;
using System.Text;
using HybridCaching.Throughput.Cells;
using HybridCaching.Throughput.Measuring;

namespace HybridCaching.Throughput.Reporting;

/// <summary>Pictures drawn by gnuplot, groups of bars on a logarithmic axis: operations per second, a panel for each part and a group for each workload; latencies of reads, a panel for each workload and a group for each percentile.</summary>
internal static class Plot
{
    private const int PanelWidth = 900;
    private const int PanelHeight = 360;

    /// <summary>Of the palette of M. Okabe and K. Ito, which the colour-blind can tell apart; ours are the dark ones.</summary>
    private static readonly string[] Colours = ["#000000", "#555555", "#E69F00", "#56B4E9", "#009E73", "#F0E442", "#0072B2", "#D55E00", "#CC79A7"];

    private static readonly (string Name, Func<LatencyFigures, double> Of)[] Percentiles = [("p50", static l => l.P50), ("p99", static l => l.P99), ("p99.9", static l => l.P999), ("max", static l => l.Max)];

    /// <summary>What there is to see: what it shows, what stands behind the name of its file, and the script for a path.</summary>
    public static IEnumerable<(string Title, string File, Func<string, string> Script)> All(IReadOnlyList<Measurement> measurements)
    {
        var rates = RatesOf(measurements).ToArray();
        if (rates.Length > 0) yield return ("Operations per second", "", path => ScriptFor(path, "operations per second", rates));
        var latencies = LatenciesOf(measurements).ToArray();
        if (latencies.Length > 0) yield return ("Latencies of reads", "-latencies", path => ScriptFor(path, "latency of reads, µs", latencies));
    }

    private static IEnumerable<Panel> RatesOf(IReadOnlyList<Measurement> measurements) =>
        from each in measurements
        where each.Rate is null && each.Part != Part.Peak
        group each by (each.Part, each.Conditions.Ratio) into part
        select new Panel(FormattableString.Invariant($"{part.Key.Part}: data {part.Key.Ratio} times memory"), [.. part.GroupBy(each => each.Workload).Select(workload => new Group(workload.Key, [.. workload.Select(each => (each.Contender, each.PerSecond))]))]);

    /// <summary>At a fixed rate all; in a closed loop those of the few clients.</summary>
    private static IEnumerable<Panel> LatenciesOf(IReadOnlyList<Measurement> measurements) =>
        from each in measurements
        where each.Part is Part.Open or Part.Larger && each.Reads.Count > 0
        group each by (each.Part, each.Conditions.Ratio, each.Workload) into same
        orderby same.Key.Part descending
        let rate = same.First().Rate is { } asked ? $"{asked.ToString("N0", CultureInfo.InvariantCulture)} operations per second offered" : "closed loop"
        select new Panel(
            FormattableString.Invariant($"{same.Key.Workload}: {rate}, data {same.Key.Ratio} times memory"),
            [.. Percentiles.Select(percentile => new Group(percentile.Name, [.. same.Select(each => (each.Contender, percentile.Of(each.Reads)))]))]);

    private static string ScriptFor(string path, string axis, Panel[] panels)
    {
        var script = new StringBuilder($"""
            set terminal svg size {PanelWidth},{panels.Length * PanelHeight} font 'sans-serif,12' background '#ffffff'
            set output '{path}'
            set multiplot layout {panels.Length},1
            set border 3 lc rgb '#666666'
            set style data histograms
            set style histogram clustered gap 1
            set style fill solid border -1
            set logscale y
            set grid ytics lt 1 lw 0.5 lc rgb '#dddddd'
            set xtics nomirror
            set ytics nomirror
            set ylabel '{axis}'
            set key outside right top
            set datafile missing '-'

            """);
        for (int i = 0; i < panels.Length; i++) AppendPanel(script, i, panels[i]);
        return script.Append("unset multiplot\n").ToString();
    }

    private static void AppendPanel(StringBuilder script, int number, Panel panel)
    {
        string[] contenders = [.. panel.Groups.SelectMany(group => group.Bars).Select(bar => bar.Contender).Distinct()];
        script.Append($"$panel{number} << EOD\n");
        foreach (var group in panel.Groups)
        {
            var bars = contenders.Select(contender => group.Bars.Where(bar => bar.Contender == contender).Select(bar => bar.Figure).ToArray());
            script.Append($"{group.Name} {string.Join(' ', bars.Select(repeats => repeats.Length == 0 ? "-" : Spread.Of(repeats).Median.ToString("F1", CultureInfo.InvariantCulture)))}\n");
        }

        script.Append($"EOD\nset title '{panel.Title}'\nplot ");
        script.AppendJoin(", ", contenders.Select((contender, i) => $"$panel{number} using {i + 2}:xtic(1) title '{contender}' lc rgb '{Colours[i % Colours.Length]}'"));
        script.Append('\n');
    }

    /// <param name="Title">What stands above.</param>
    /// <param name="Groups">From left to right.</param>
    private sealed record Panel(string Title, IReadOnlyList<Group> Groups);

    /// <param name="Name">What stands below.</param>
    /// <param name="Bars">The figure of each repeat; the bar of a contestant is the median of his.</param>
    private sealed record Group(string Name, IReadOnlyList<(string Contender, double Figure)> Bars);
}
