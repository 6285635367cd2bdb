using System.CommandLine;
using System.Globalization;
using HybridCaching.HitRate.Traces;
using static Samples.Shared.CommandLineParts;

namespace HybridCaching.HitRate;

/// <summary>Reads the command line.</summary>
internal static class CommandLine
{
    private const int MostKeys = 100_000_000;
    private const int MostWorkers = 64;
    private const string AllGenerators = "all";

    private static readonly Option<string> Pack = new("--traces") { HelpName = "dir", Description = "The folder of the trace pack [default: shared/traces beside the repository]" };
    private static readonly Option<string[]> Only = new("--only") { HelpName = "name", Description = "Of the pack, only this trace; may be repeated" };
    private static readonly Option<string[]> Files = new("--trace") { HelpName = "file", Description = "Replays this trace file instead of the pack; may be repeated" };
    private static readonly Option<string[]> Generate = new("--generate")
    {
        HelpName = "name",
        Description = $"Replays a generated trace instead of the pack; may be repeated: {AllGenerators}; {string.Join("; ", TraceGenerator.All.Select(generator => $"{generator.Name} ({generator.Description})"))}",
    };

    private static readonly Option<int> Keys = Count("--keys", 1_000_000, 1000, MostKeys, "Generated traces: keys to draw from");
    private static readonly Option<int> Requests = Count("--requests", 3_000_000, 1000, MostKeys, "Generated traces: requests");
    private static readonly Option<int> Seed = Count("--seed", 1, 0, int.MaxValue - 2, "Generated traces: the same seed gives the same requests");
    private static readonly Option<string> Total = Percents("--total", "10", "What a cache may hold: the keys and values of so many percent of the distinct keys");
    private static readonly Option<string> Memory = Percents("--memory", "2,10", "How much of that is memory, in percent; some with commas in between");
    private static readonly Option<int> Turnovers = Count("--turnovers", 80, 1, 1_000_000, "A replay ends early when LRU would have stored so many times what it can hold");
    private static readonly Option<ByteSize> Typical = Size("--typical", "4KB", "TypicalEntryBytes of the cache of bytes, unless the entries are shorter");
    private static readonly Option<ByteSize> WriteBudget = Size("--disk-write-budget", "0", "DiskWriteBudget of the caches, bytes a second; 0 for none. Replays do not wait for time to pass, so any number below a megabyte is the extreme");
    private static readonly Option<int> Workers = Count("--workers", Math.Min(2, Environment.ProcessorCount), 1, MostWorkers, "Replays at once");
    private static readonly Option<string> Work = new("--work") { HelpName = "dir", Description = "Where the files of the caches go [default: the system's temporary folder]" };
    private static readonly Option<bool> ReferencesOnly = new("--references") { Description = "No caches, only the references" };

    /// <summary>Options that do not change how it is measured.</summary>
    private static readonly Option[] Surroundings = [Pack, Generate, WriteBudget, Workers, Work];

    /// <summary>The options, or null when the command line asked for help or the version and got it.</summary>
    /// <exception cref="CannotStartException">Something is wrong with it.</exception>
    public static HitRateOptions? Parse(string[] args, out int exitCode)
    {
        var root = new RootCommand("Replays request traces through the caches of the library and through LRU, FIFO, S3-FIFO and Belady, and compares the hit ratios.")
        {
            Pack, Only, Files, Generate, Keys, Requests, Seed, Total, Memory, Turnovers, Typical, WriteBudget, Workers, Work, ReferencesOnly,
        };
        if (CommandLineParts.Parse(root, args, out exitCode) is not { } result) return null;
        ThrowOnErrors(result);
        return new HitRateOptions
        {
            Pack = PathOf(result, Pack),
            Only = result.GetValue(Only) ?? [],
            Files = [.. (result.GetValue(Files) ?? []).Select(file => FullPath(Files.Name, file))],
            Generators = [.. (result.GetValue(Generate) ?? []).SelectMany(GeneratorsOf).Distinct()],
            Generated = new GeneratorSettings(result.GetValue(Keys), result.GetValue(Requests), result.GetValue(Seed)),
            TotalPercent = PercentsOf(result, Total) is [var percent] ? percent : throw new CannotStartException($"{Total.Name} takes one number"),
            MemoryPercents = PercentsOf(result, Memory),
            Turnovers = result.GetValue(Turnovers),
            TypicalEntry = result.GetValue(Typical),
            DiskWriteBudget = result.GetValue(WriteBudget) is { Bytes: > 0 } budget ? budget : default(ByteSize?),
            Workers = result.GetValue(Workers),
            Work = PathOf(result, Work),
            ReferencesOnly = result.GetValue(ReferencesOnly),
            IsUnusual = root.Options.Except(Surroundings).Any(option => result.GetResult(option) is { Implicit: false }),
        };
    }

    private static string? PathOf(ParseResult result, Option<string> option) => result.GetValue(option) is { } path ? FullPath(option.Name, path) : null;

    private static IEnumerable<TraceGenerator> GeneratorsOf(string name)
    {
        if (name == AllGenerators) return TraceGenerator.All;
        return TraceGenerator.All.Where(generator => generator.Name == name).ToArray() is { Length: > 0 } found
            ? found
            : throw new CannotStartException($"{Generate.Name} '{name}' is none of {AllGenerators}, {string.Join(", ", TraceGenerator.All.Select(generator => generator.Name))}");
    }

    private static Option<string> Percents(string name, string defaultText, string description) => new(name) { HelpName = "percent", Description = description, DefaultValueFactory = _ => defaultText };

    private static double[] PercentsOf(ParseResult result, Option<string> option)
    {
        string text = result.GetValue(option)!;
        double[] percents = [.. text.Split(',').Select(each => double.TryParse(each, NumberStyles.AllowDecimalPoint, CultureInfo.InvariantCulture, out double percent) ? percent : 0).Distinct()];
        if (percents.All(percent => percent is > 0 and < 100)) return percents;
        throw new CannotStartException($"{option.Name} '{text}' is not a number above 0 and below 100, or some with commas in between");
    }
}
