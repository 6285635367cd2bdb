using HybridCaching.HitRate.Traces;

namespace HybridCaching.HitRate;

/// <summary>Which traces a run is about, and what it may publish.</summary>
/// <param name="Sources">The traces.</param>
/// <param name="Pack">The pack they are of; null if they are none.</param>
/// <param name="Publication">What the files of its results are called among the committed ones; null if they do not belong there.</param>
internal sealed record TraceChoice(IReadOnlyList<TraceSource> Sources, TracePack? Pack, string? Publication)
{
    private const string PackPublication = "hitrate";
    private const string GeneratorsPublication = "hitrate-generators";
    private const string WithWriteBudget = "-write-budget";

    /// <summary>Whether what comes of a trace may be shown to everybody: of the pack, only those with a licence, or a condition that the README meets.</summary>
    public bool MayShow(string trace) => Pack is null || TracePack.Public.Contains(trace);

    /// <exception cref="CannotStartException">What was asked for is not there.</exception>
    public static TraceChoice For(HitRateOptions options, Repository repository)
    {
        string suffix = options.DiskWriteBudget is null ? "" : WithWriteBudget;
        if (options.Files.Count > 0 || options.Generators.Count > 0)
        {
            return new TraceChoice(
                [.. options.Files.Select(TraceSource.OfFile), .. options.Generators.Select(generator => TraceSource.Of(generator, options.Generated))],
                null,
                options.Files.Count == 0 && options.Generators.Count == TraceGenerator.All.Count && !options.IsUnusual ? GeneratorsPublication + suffix : null);
        }

        string folder = options.Pack ?? TracePack.DefaultFolder(repository.Root);
        if (TracePack.In(folder) is { } pack) return new TraceChoice(OfPack(pack, options.Only), pack, options.IsUnusual ? null : PackPublication + suffix);
        if (options.Pack is not null || options.Only.Count > 0) throw new CannotStartException($"there is no trace in {folder}: a trace is a file NAME.keys.gz or NAME.keysizes.gz");
        Console.WriteLine("There is no pack of traces in shared/traces beside the repository, and --traces names no other: generated traces are replayed instead.");
        return new TraceChoice([.. TraceGenerator.All.Select(generator => TraceSource.Of(generator, options.Generated))], null, options.IsUnusual ? null : GeneratorsPublication + suffix);
    }

    private static IReadOnlyList<TraceSource> OfPack(TracePack pack, IReadOnlyList<string> only)
    {
        TraceSource[] all = [.. pack.Files.Select(TraceSource.OfFile)];
        if (only.FirstOrDefault(name => all.All(source => source.Name != name)) is { } unknown)
            throw new CannotStartException($"--only '{unknown}' is no trace of {pack.Folder}: {string.Join(", ", all.Select(source => source.Name))}");
        return [.. all.Where(source => only.Count == 0 || only.Contains(source.Name))];
    }
}
