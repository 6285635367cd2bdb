using System.Globalization;
using System.Text;
using System.Text.Json;
using HybridCaching.Throughput.Cells;
using HybridCaching.Throughput.Contestants;
using Spectre.Console;

namespace HybridCaching.Throughput.Scale;

/// <summary>More and more entries, each number of them in a process of its own; then the pauses of the garbage collector. Written to <c>benchmarks/results/scale.md</c>.</summary>
internal sealed class ScaleRun(ScaleOptions options, Repository repository)
{
    private const int Million = 1_000_000;
    private const int MostForPauses = 10;
    private const double CostTarget = 1.5;
    private const double MemoryTarget = 27;
    private const double PauseTarget = 0.02;
    private const int PauseSeconds = 10;
    private const int PauseRepeats = 3;

    private static readonly string[] OursInPauses = [Contender.Typed, Contender.Bytes];
    private static readonly string[] OthersInPauses = [Contender.Dictionary, Contender.TextDictionary, Contender.Memory];

    private readonly ResultFiles _files = new(repository, options.Millions < MostForPauses ? Path.Combine(repository.Root, "artifacts", ScaleOptions.Command) : null);

    public async Task<bool> RunAsync(string commandLine, CancellationToken cancellationToken)
    {
        var figures = new List<ScaleFigures>();
        var pauses = new List<Measurement>();
        await Terminal.Progress().HideCompleted(true).StartAsync(async progress =>
        {
            foreach (int millions in Sizes())
            {
                string entries = ((long)millions * Million).ToString(CultureInfo.InvariantCulture);
                string[] results = await TryAsync(progress, $"{millions} M entries", async told => await CellProcess.RunAsync([ScaleChild.Command, entries], hasUsualGarbage: false, told, cancellationToken));
                figures.AddRange(results.Select(result => JsonSerializer.Deserialize<ScaleFigures>(result)!));
            }

            foreach (var (repeat, contender) in from repeat in Enumerable.Range(0, PauseRepeats) from contender in OursInPauses.Concat(OthersInPauses) select (repeat, contender))
                pauses.AddRange(await TryAsync<Measurement>(progress, $"pauses, {contender} {repeat + 1}", async told => [.. await CellProcess.MeasureAsync(PausePlan(contender, repeat), told, cancellationToken)]));
        });
        string page = Page(commandLine, figures, pauses);
        _files.Write("scale.md", page);
        _files.Write("scale.json", JsonSerializer.Serialize(figures, JsonSerializerOptions.Web) + "\n");
        Console.WriteLine($"\n{page}");
        return figures.Count > 0;
    }

    /// <summary>Runs a process with a bar. What fails is told, and gives nothing.</summary>
    private static async Task<T[]> TryAsync<T>(ProgressContext progress, string name, Func<Action<double, string>, Task<T[]>> run)
    {
        var bar = progress.AddTask(name, maxValue: 1);
        T[] results = [];
        try
        {
            results = await run((done, _) => bar.Value = done);
        }
        catch (InvalidOperationException e)
        {
            Terminal.Console.WriteLine(e.Message);
        }

        bar.Value = 1;
        bar.StopTask();
        return results;
    }

    /// <summary>The fewest entries come first and once more at the end: disks are not as fast at all times.</summary>
    private IEnumerable<int> Sizes()
    {
        for (int millions = 1; millions <= options.Millions; millions *= 10) yield return millions;
        if (options.Millions >= 10) yield return 1;
    }

    private CellPlan PausePlan(string contender, int repeat)
    {
        long entries = (long)Math.Min(options.Millions, MostForPauses) * Million;
        long data = entries * (Workloads.KeyText.Length + Value100.Length);
        long memory = contender == Contender.Memory ? entries * MemoryCacheContestant.BytesFor(Value100.Length) : data / 2; // what is dropped makes no pauses
        var conditions = new Conditions { ValueBytes = Value100.Length, Memory = memory, Ratio = (double)data / memory, Threads = 2, Seconds = PauseSeconds, WarmUpSeconds = 1, PageCache = PageCacheUse.Budgeted };
        return new CellPlan { Part = Part.Pauses, Contender = contender, Conditions = conditions, Workloads = ["A"], Repeat = repeat, Origin = repository.Commit() };
    }

    private string Page(string commandLine, List<ScaleFigures> figures, List<Measurement> pauses)
    {
        var text = new StringBuilder("# With more and more entries\n\n");
        foreach (string fact in _files.Provenance()) text.Append($"- {fact}\n");
        text.Append(CultureInfo.InvariantCulture, $"- Made by `{commandLine}`\n\n");
        text.Append("`FasterCache<long, 16 bytes>`, memory 43 bytes per entry (at least 16 MiB), direct I/O, one client. Gets: nine of ten among a thousandth of the entries, which memory holds, one of ten among all; the cost of a get is compared at the same share of hits in memory. A block of the disk is a random one of the cache's files, read past the page cache by one thread right before and after the gets. "
            + "*Leading* is index and buffers; *growth* is that of the process, log and hot tier included. Restart: closed, opened again by the same process, until the first hit.\n\n");
        text.Append("| entries | memory | ns per set | ns per get | ns per get in memory | ns per block of the disk | hits in memory % | misses % | leading bytes/entry | growth bytes/entry | disk bytes/entry | close s | restart to first hit s | found after it % |\n|---:|---:|---:|---:|---:|---:|---:|---:|---:|---:|---:|---:|---:|---:|\n");
        foreach (var f in figures)
        {
            text.Append(CultureInfo.InvariantCulture, $"| {f.Entries:N0} | {new ByteSize(f.Memory):H} | {f.SetNanoseconds:N0} | {f.GetNanoseconds:N0} | {f.HotGetNanoseconds:N0} | {f.RawReadNanoseconds:N0} | {100 * f.MemoryHitShare:N1} | {100 * f.MissShare:N2} ");
            text.Append(CultureInfo.InvariantCulture, $"| {(double)f.LeadingBytes / f.Entries:N1} | {(double)f.ResidentGrowth / f.Entries:N1} | {(double)f.DiskBytes / f.Entries:N1} | {f.CloseSeconds:N2} | {f.FirstHitSeconds:N2} | {100 * f.FoundShare:N2} |\n");
        }

        text.Append("\n| figure | target | value |\n|---|---:|---:|\n");
        var most = figures.MaxBy(f => f.Entries);
        ScaleFigures[] fewest = [.. figures.Where(f => f.Entries == Million)];
        if (most?.Entries > Million && fewest.Length > 0)
        {
            Append(text, $"cost per get, {most.Entries / Million} M / 1 M entries{(fewest.Length > 1 ? " (mean of before and after)" : "")}", most.GetNanoseconds / fewest.Average(f => f.GetNanoseconds), CostTarget);
            if (most.RawReadNanoseconds / fewest.Average(f => f.RawReadNanoseconds) is { } ofDisk) text.Append(CultureInfo.InvariantCulture, $"| the same of a block of the disk, without a cache | | {ofDisk:N3} |\n");
        }

        if (most is not null) Append(text, $"bytes of memory per entry on disk, {most.Entries / Million} M: index and buffers", (double)most.LeadingBytes / most.Entries, MemoryTarget);

        foreach (string ours in OursInPauses)
        {
            foreach (string theirs in OthersInPauses.Where(theirs => IsMeasured(ours) && IsMeasured(theirs)))
                Append(text, FormattableString.Invariant($"longest pause with {Math.Min(options.Millions, MostForPauses)} M entries of 100 bytes, {ours} / {theirs} ({Longest(ours):N1} / {Longest(theirs):N1} ms)"), Longest(ours) / Longest(theirs), PauseTarget);
        }

        text.Append($"\nPauses: the longest while the entries are stored and {PauseSeconds} s of half reads, half updates by two clients, median of {PauseRepeats} runs in turns; the dictionary holds values as structs in its nodes, by integer keys, as ours-typed, dictionary-text and MemoryCache arrays by text, as ours-bytes; ours have memory for half of the data. The garbage collector has its default settings.\n");
        if (most is not null) AppendClients(text, most);
        return text.ToString();

        bool IsMeasured(string contender) => pauses.Any(each => each.Contender == contender);

        double Longest(string contender) => Spread.Of(pauses.Where(each => each.Contender == contender).GroupBy(each => each.Repeat).Select(run => run.Max(each => each.LongestPauseMilliseconds))).Median;
    }

    private static void AppendClients(StringBuilder text, ScaleFigures figures)
    {
        text.Append(CultureInfo.InvariantCulture, $"\n## More and more clients\n\n{figures.Entries / Million} M entries, up to four clients for each of {Environment.ProcessorCount} cores; gets per second of all together, and how many times as many as one client's.\n\n| clients | one of ten among all | times | in memory | times |\n|---:|---:|---:|---:|---:|\n");
        var one = figures.Clients[0];
        foreach (var each in figures.Clients)
            text.Append(CultureInfo.InvariantCulture, $"| {each.Clients} | {each.MixedPerSecond:N0} | {each.MixedPerSecond / one.MixedPerSecond:N2} | {each.HotPerSecond:N0} | {each.HotPerSecond / one.HotPerSecond:N2} |\n");
    }

    private static void Append(StringBuilder text, string what, double value, double target)
    {
        string mark = value <= target ? "" : "**";
        text.Append(CultureInfo.InvariantCulture, $"| {what} | ≤ {target} | {mark}{value:N3}{mark} |\n");
    }
}
