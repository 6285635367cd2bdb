using System.CommandLine;
using System.Globalization;
using HybridCaching.Throughput.Contestants;
using HybridCaching.Throughput.Workloads;
using static Samples.Shared.CommandLineParts;

namespace HybridCaching.Throughput;

/// <summary>Reads the command line.</summary>
internal static class CommandLine
{
    private const int MostThreads = 256;
    private const int MostSeconds = 3600;
    private const int MostRepeats = 100;
    private const int QuickSeconds = 2;
    private const int FullSeconds = 5;
    private const int QuickRepeats = 2;
    private const int FullRepeats = 3;

    private static readonly Option<string[]> Only = new("--only") { HelpName = "part", Description = $"Only this part, may be repeated: {Part.Larger} (data larger than memory), {Part.Many} (the same with four clients for each core), {Part.Half} (memory for half of the data), {Part.Open} (latency at a fixed rate)" };
    private static readonly Option<string> Contenders = new("--contestants") { HelpName = "names", Description = $"Only these, with commas in between: {string.Join(", ", Contender.All.Select(each => each.Name))}" };
    private static readonly Option<string> Workloads = new("--workloads") { HelpName = "letters", Description = $"Only these: {string.Join("; ", Mix.All.Select(mix => $"{mix.Name} {mix.Description}"))}" };
    private static readonly Option<string> OpenWorkloads = new("--open-workloads") { HelpName = "letters", Description = $"Only these at a fixed rate, each in a process of its own; E too, for those that know the order of keys [default: those of {Workloads.Name} but for E, else B]" };
    private static readonly Option<string> Ratio = new("--ratio") { HelpName = "times", Description = "Data as a multiple of memory, 1 to 20, some with commas in between", DefaultValueFactory = _ => "10" };
    private static readonly Option<ByteSize> Memory = Size("--memory", "64MB", "Memory of each contestant");
    private static readonly Option<int> ValueBytes = new("--value-bytes") { HelpName = "n", Description = $"{Value100.Length} or {Value1000.Length}", DefaultValueFactory = _ => Value1000.Length };
    private static readonly Option<int> Threads = Count("--threads", 2, 1, MostThreads, "Clients, each on a thread of its own; unless given four for each core where there are many, and 6 where memory is for half of the data");
    private static readonly Option<int> Seconds = Count("--seconds", QuickSeconds, 1, MostSeconds, "How long each workload is measured; five times as long at a fixed rate");
    private static readonly Option<int> WarmUp = Count("--warm-up", 1, 0, MostSeconds, $"How long it runs before; {Conditions.SettlingWarmUps} times as long where other entries become the popular ones: after filling, and before D and E");
    private static readonly Option<int> Repeats = Count("--repeats", QuickRepeats, 1, MostRepeats, "How often, contestants taking turns");
    private static readonly Option<int> Rate = Count("--rate", 0, 0, int.MaxValue, "Operations per second at a fixed rate; 0 for half of what the slower one can do");
    private static readonly Option<string> PageCacheOption = new("--page-cache") { HelpName = "use", Description = "budgeted: past it, or within the memory of the contestant; free: as much as the machine has", DefaultValueFactory = _ => "budgeted" };
    private static readonly Option<bool> Full = new("--full") { Description = $"{FullSeconds} seconds each, {FullRepeats} times, and workload E" };
    private static readonly Option<bool> Fresh = new("--fresh") { Description = "Measures again what an earlier run of the same commit has measured" };
    private static readonly Option<string> Work = new("--work") { HelpName = "dir", Description = "Where the files of contestants go [default: the system's temporary folder]" };

    /// <summary>Options that do not change what is measured.</summary>
    private static readonly Option[] Surroundings = [Full, Fresh, Work];

    /// <summary>The options, or null when the command line asked for help or the version and got it.</summary>
    /// <exception cref="CannotStartException">Something is wrong with it.</exception>
    public static ThroughputOptions? Parse(string[] args, out int exitCode)
    {
        var root = new RootCommand("Runs the workloads of YCSB on the caches of the library and on other caches and key-value stores, with equal memory, and compares them.")
        {
            Only, Contenders, Workloads, OpenWorkloads, Ratio, Memory, ValueBytes, Threads, Seconds, WarmUp, Repeats, Rate, PageCacheOption, Full, Fresh, Work,
        };
        if (CommandLineParts.Parse(root, args, out exitCode) is not { } result) return null;
        ThrowOnErrors(result);
        bool isFull = result.GetValue(Full);
        return new ThroughputOptions
        {
            Parts = PartsOf(result.GetValue(Only)),
            Contenders = result.GetValue(Contenders)?.Split(',').Select(Contender.Named).ToArray(),
            Workloads = WorkloadsOf(result.GetValue(Workloads)) ?? (isFull ? [.. Mix.All.Select(mix => mix.Name)] : null),
            OpenWorkloads = WorkloadsOf(result.GetValue(OpenWorkloads)),
            Ratios = RatiosOf(result.GetValue(Ratio)!),
            Memory = result.GetValue(Memory),
            ValueBytes = ValueBytesOf(result.GetValue(ValueBytes)),
            Threads = Chosen(result, Threads),
            Seconds = Chosen(result, Seconds) ?? (isFull ? FullSeconds : QuickSeconds),
            WarmUpSeconds = result.GetValue(WarmUp),
            Repeats = Chosen(result, Repeats) ?? (isFull ? FullRepeats : QuickRepeats),
            Rate = Chosen(result, Rate) is > 0 and var rate ? rate : null,
            PageCache = PageCacheOf(result.GetValue(PageCacheOption)!),
            Fresh = result.GetValue(Fresh),
            Work = result.GetValue(Work) is { } path ? FullPath(Work.Name, path) : null,
            IsUnusual = root.Options.Except(Surroundings).Any(option => result.GetResult(option) is { Implicit: false }),
        };
    }

    private static int? Chosen(ParseResult result, Option<int> option) => result.GetResult(option) is { Implicit: false } ? result.GetValue(option) : null;

    private static IReadOnlyList<string> PartsOf(string[]? names)
    {
        if (names is null or []) return Part.All;
        return names.Except(Part.All).FirstOrDefault() is { } unknown
            ? throw new CannotStartException($"{Only.Name} '{unknown}' is none of {string.Join(", ", Part.All)}")
            : [.. Part.All.Intersect(names)];
    }

    private static string[]? WorkloadsOf(string? letters) => letters?.Select(letter => Mix.Named($"{letter}").Name).Distinct().ToArray();

    private static double[] RatiosOf(string text)
    {
        double[] ratios = [.. text.Split(',').Select(each => double.TryParse(each, NumberStyles.AllowDecimalPoint, CultureInfo.InvariantCulture, out double ratio) ? ratio : 0).Distinct()];
        return ratios.All(ratio => ratio is >= 1 and <= 20) ? ratios : throw new CannotStartException($"{Ratio.Name} '{text}' is not a number from 1 to 20, or some with commas in between");
    }

    private static int ValueBytesOf(int bytes) => bytes is Value100.Length or Value1000.Length ? bytes : throw new CannotStartException($"{ValueBytes.Name} '{bytes}' is neither {Value100.Length} nor {Value1000.Length}");

    private static PageCacheUse PageCacheOf(string text) => text switch
    {
        "budgeted" => PageCacheUse.Budgeted,
        "free" => PageCacheUse.Free,
        _ => throw new CannotStartException($"{PageCacheOption.Name} '{text}' is neither budgeted nor free"),
    };
}
