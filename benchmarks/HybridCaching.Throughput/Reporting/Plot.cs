using System.ComponentModel;
using System.Diagnostics;
using System.Globalization;
using System.Text;
using HybridCaching.Throughput.Cells;

namespace HybridCaching.Throughput.Reporting;

/// <summary>Operations per second in bars, drawn by gnuplot: a panel for each part, a group of bars for each workload, on a logarithmic axis.</summary>
internal static class Plot
{
    private const string Program = "gnuplot";
    private const int PanelWidth = 900;
    private const int PanelHeight = 360;

    /// <summary>Of the palette of M. Okabe and K. Ito, which the colour-blind can tell apart; ours are the dark ones.</summary>
    private static readonly string[] Colours = ["#000000", "#555555", "#E69F00", "#56B4E9", "#009E73", "#F0E442", "#0072B2", "#D55E00", "#CC79A7"];

    /// <returns>Null, or why there is none.</returns>
    public static string? Draw(string path, IReadOnlyList<Measurement> measurements)
    {
        var panels = measurements.Where(each => each.Rate is null && each.Part != Part.Peak).GroupBy(each => (each.Part, each.Conditions.Ratio)).ToArray();
        if (panels.Length == 0) return "nothing was measured in a closed loop";
        try
        {
            using var process = Process.Start(new ProcessStartInfo(Program) { RedirectStandardInput = true, RedirectStandardError = true })!;
            var errors = process.StandardError.ReadToEndAsync();
            process.StandardInput.Write(ScriptFor(path, panels.Select(panel => (FormattableString.Invariant($"{panel.Key.Part}: data {panel.Key.Ratio} times memory"), panel.ToArray()))));
            process.StandardInput.Close();
            process.WaitForExit();
            return process.ExitCode == 0 ? null : $"{Program} failed: {errors.Result.Trim()}";
        }
        catch (Exception e) when (e is Win32Exception or IOException)
        {
            return $"{Program} is missing (on Debian: apt-get install gnuplot-nox)";
        }
    }

    private static string ScriptFor(string path, IEnumerable<(string Title, Measurement[] Measurements)> panels)
    {
        var all = panels.ToArray();
        var script = new StringBuilder($"""
            set terminal svg size {PanelWidth},{all.Length * PanelHeight} font 'sans-serif,12' background '#ffffff'
            set output '{path}'
            set multiplot layout {all.Length},1
            set border 3 lc rgb '#666666'
            set style data histograms
            set style histogram clustered gap 1
            set style fill solid border -1
            set logscale y
            set grid ytics lt 1 lw 0.5 lc rgb '#dddddd'
            set xtics nomirror
            set ytics nomirror
            set ylabel 'operations per second'
            set key outside right top
            set datafile missing '-'

            """);
        for (int i = 0; i < all.Length; i++) AppendPanel(script, i, all[i].Title, all[i].Measurements);
        return script.Append("unset multiplot\n").ToString();
    }

    private static void AppendPanel(StringBuilder script, int panel, string title, Measurement[] measurements)
    {
        string[] contenders = [.. measurements.Select(each => each.Contender).Distinct()];
        script.Append($"$panel{panel} << EOD\n");
        foreach (var workload in measurements.GroupBy(each => each.Workload))
        {
            var bars = contenders.Select(contender => workload.Where(each => each.Contender == contender).Select(each => each.PerSecond).ToArray());
            script.Append($"{workload.Key} {string.Join(' ', bars.Select(repeats => repeats.Length == 0 ? "-" : Spread.Of(repeats).Median.ToString("F0", CultureInfo.InvariantCulture)))}\n");
        }

        script.Append($"EOD\nset title '{title}'\nplot ");
        script.AppendJoin(", ", contenders.Select((contender, i) => $"$panel{panel} using {i + 2}:xtic(1) title '{contender}' lc rgb '{Colours[i % Colours.Length]}'"));
        script.Append('\n');
    }
}
