using System.Globalization;
using System.Text;

namespace HybridCaching.Throughput.Scale;

/// <summary>The page <c>benchmarks/results/scale.md</c>.</summary>
internal static class ScalePage
{
    /// <summary>What is kept in memory for an entry that is on the disk, at the most.</summary>
    public const double MemoryTarget = 27;

    private const double CostTarget = 1.5;
    private const double PauseTarget = 0.02;

    /// <param name="result">What was measured.</param>
    /// <param name="commandLine">By which command.</param>
    /// <param name="plot">The file of the picture; null if there is none.</param>
    public static string Of(ScaleResult result, string commandLine, string? plot)
    {
        var text = new StringBuilder("# With more and more entries\n\n");
        foreach (string fact in result.Facts) text.Append($"- {fact}\n");
        text.Append($"- Made by `{commandLine}`; every repeat in [scale.json](scale.json)\n\n");
        if (plot is not null) text.Append($"![Cost per get, memory per entry, restarts and pauses]({plot})\n\n");
        AppendSizes(text, result.Sizes);
        AppendTargets(text, result);
        AppendPauses(text, result);
        if (result.Largest is { } largest) AppendClients(text, largest);
        return text.ToString();
    }

    private static void AppendSizes(StringBuilder text, IReadOnlyList<ScaleFigures> sizes)
    {
        text.Append("`FasterCache<long, 16 bytes>`, memory 43 bytes per entry (at least 16 MiB), direct I/O, one client. Gets: nine of ten among a thousandth of the entries, which memory holds, one of ten among all; the cost of a get is compared at the same share of hits in memory. A block of the disk is a random one of the cache's files, read past the page cache by one thread right before and after the gets. "
            + "*Leading* is index and buffers; *growth* is that of the process, log and hot tier included. Restart: closed, opened again by the same process, until the first hit. "
            + string.Create(CultureInfo.InvariantCulture, $"Filled once, then gets and restarts {ScaleChild.Repeats} times: median [min-max].\n\n"));
        text.Append("| entries | memory | ns per set | ns per get | ns per get in memory | ns per block of the disk | hits in memory % | misses % | leading bytes/entry | growth bytes/entry | disk bytes/entry | close s | restart to first hit s | found after it % |\n|---:|---:|---:|---:|---:|---:|---:|---:|---:|---:|---:|---:|---:|---:|\n");
        foreach (var size in sizes)
        {
            double PerEntry(long bytes) => (double)bytes / size.Entries;
            text.Append(CultureInfo.InvariantCulture, $"| {size.Entries:N0} | {new ByteSize(size.Memory):H} | {size.SetNanoseconds:N0} | {OfGets(size, get => get.GetNanoseconds)} | {OfGets(size, get => get.HotGetNanoseconds)} | {OfGets(size, get => get.RawReadNanoseconds)} ");
            text.Append(CultureInfo.InvariantCulture, $"| {OfGets(size, get => 100 * get.MemoryHitShare)} | {OfGets(size, get => 100 * get.MissShare, "N2")} | {PerEntry(size.LeadingBytes):N1} | {PerEntry(size.ResidentGrowth):N1} | {PerEntry(size.DiskBytes):N1} ");
            text.Append($"| {OfRestarts(size, restart => restart.CloseSeconds)} | {OfRestarts(size, restart => restart.FirstHitSeconds)} | {OfRestarts(size, restart => 100 * restart.FoundShare, "N2")} |\n");
        }
    }

    private static string OfGets(ScaleFigures size, Func<GetFigures, double?> figure, string? format = null)
    {
        double[] figures = [.. size.Gets.Select(figure).OfType<double>()];
        return figures.Length > 0 ? Shown(Spread.Of(figures), format) : "";
    }

    private static string OfRestarts(ScaleFigures size, Func<RestartFigures, double> figure, string? format = null) => Shown(Spread.Of(size.Restarts.Select(figure)), format);

    private static string Shown(Spread spread, string? format) => format is null ? spread.ToString() : spread.ToString(format);

    private static void AppendTargets(StringBuilder text, ScaleResult result)
    {
        text.Append("\n| figure | target | value |\n|---|---:|---:|\n");
        if (result.Largest is not { } largest) return;
        string most = $"{largest.Entries / ScaleResult.Million} M";
        if (result.Growth(static get => get.GetNanoseconds) is { } cost)
            Append(text, $"cost per get, {most} / 1 M entries, every repeat by every other", cost.Median, cost.ToString("N3"), CostTarget);
        if (result.Growth(static get => get.RawReadNanoseconds) is { } ofDisk) text.Append($"| the same of a block of the disk, without a cache | | {ofDisk.ToString("N3")} |\n");
        double leading = (double)largest.LeadingBytes / largest.Entries;
        Append(text, $"bytes of memory per entry on disk, {most}: index and buffers", leading, leading.ToString("N3", CultureInfo.InvariantCulture), MemoryTarget);
        foreach (string ours in ScaleRun.OursInPauses)
        {
            foreach (string theirs in ScaleRun.OthersInPauses) AppendPauseRatio(text, result, ours, theirs);
        }
    }

    private static void AppendPauseRatio(StringBuilder text, ScaleResult result, string ours, string theirs)
    {
        var (own, other) = (result.LongestPauses(ours), result.LongestPauses(theirs));
        int[] both = [.. own.Keys.Intersect(other.Keys)];
        if (both.Length == 0) return;
        var ratio = Spread.OfRatios(both.Select(repeat => own[repeat]), both.Select(repeat => other[repeat]));
        string what = string.Create(CultureInfo.InvariantCulture, $"longest pause with {MillionsOf(result.Pauses)} M entries of 100 bytes, {ours} / {theirs} ({Spread.Of(own.Values).Median:N1} / {Spread.Of(other.Values).Median:N1} ms)");
        Append(text, what, ratio.Median, ratio.ToString("N3"), PauseTarget);
    }

    /// <summary>Entries are as many as fit their share of memory, one less than meant now and then.</summary>
    public static double MillionsOf(IReadOnlyList<PauseFigures> pauses) => Math.Round((double)pauses[0].Entries / ScaleResult.Million);

    private static void AppendPauses(StringBuilder text, ScaleResult result)
    {
        if (result.Pauses.Count == 0) return;
        text.Append(CultureInfo.InvariantCulture, $"\n## Pauses of the garbage collector\n\nWhile {MillionsOf(result.Pauses)} M entries are stored, and in {ScaleRun.PauseSeconds} s of half reads, half updates by two clients; median of {ScaleRun.PauseRepeats} runs in turns [min-max], ratios above within the same turn. The dictionary holds values as structs in its nodes, by integer keys, as ours-typed, dictionary-text and MemoryCache arrays by text, as ours-bytes; ours have memory for half of the data. The garbage collector has its default settings. Collections by the oldest generation that they looked at. The longest pause may be one for which the runtime had another reason; all pauses are those of collections.\n\n");
        text.Append("| contestant | workload | longest pause ms | all pauses ms | collections 0 / 1 / 2 |\n|---|---|---:|---:|---:|\n");
        foreach (var same in result.Pauses.GroupBy(each => (each.Contestant, each.Workload)).OrderBy(group => Rank(group.Key.Contestant)))
        {
            string Of(Func<PauseFigures, double> figure) => Spread.Of(same.Select(figure)).ToString("N1");
            string Middle(Func<PauseFigures, double> figure) => Spread.Of(same.Select(figure)).Median.ToString("N0", CultureInfo.InvariantCulture);
            text.Append($"| {same.Key.Contestant} | {same.Key.Workload} | {Of(each => each.LongestPauseMilliseconds)} | {Of(each => each.AllPausesMilliseconds)} | {Middle(each => each.Collections.Gen0)} / {Middle(each => each.Collections.Gen1)} / {Middle(each => each.Collections.Gen2)} |\n");
        }

        static int Rank(string contestant) => Array.IndexOf([.. ScaleRun.OursInPauses, .. ScaleRun.OthersInPauses], contestant);
    }

    private static void AppendClients(StringBuilder text, ScaleFigures figures)
    {
        text.Append(CultureInfo.InvariantCulture, $"\n## More and more clients\n\n{figures.Entries / ScaleResult.Million} M entries, up to four clients for each of {Environment.ProcessorCount} cores, {ScaleChild.Repeats} times in turns; gets per second of all together, median [min-max], and how many times as many as one client's.\n\n| clients | one of ten among all | times | in memory | times |\n|---:|---:|---:|---:|---:|\n");
        var one = figures.Clients[0];
        foreach (var each in figures.Clients)
        {
            text.Append(CultureInfo.InvariantCulture, $"| {each.Clients} | {Spread.Of(each.MixedPerSecond)} | {Spread.OfRatios(each.MixedPerSecond, one.MixedPerSecond)} | {Spread.Of(each.HotPerSecond)} | {Spread.OfRatios(each.HotPerSecond, one.HotPerSecond)} |\n");
        }
    }

    private static void Append(StringBuilder text, string what, double value, string shown, double target)
    {
        string mark = value <= target ? "" : "**";
        text.Append(CultureInfo.InvariantCulture, $"| {what} | ≤ {target} | {mark}{shown}{mark} |\n");
    }
}
