using HybridCaching;

namespace DirectoryDigest;

/// <summary>Digests a directory in chunks through a cache that keeps the digests for the next run.</summary>
internal static class Program
{
    private const int Done = 0;
    private const int DigestsDiffer = 1;

    private static Task<int> Main(string[] args) => SampleProgram.RunAsync(nameof(DirectoryDigest), async interrupted =>
    {
        var options = CommandLine.Parse(args, out int exitCode);
        return options is null ? exitCode : await RunAsync(options, interrupted);
    });

    private static async Task<int> RunAsync(DigestOptions options, CancellationToken interrupted)
    {
        Report.Begin(options);
        var warnings = new WarningCollector();
        var clock = new RunClock();
        var files = FileLister.List(options.Directory, options.CacheDirectory, out int unreadableDirectories);
        DigestRun run;
        CacheFigures figures;
        await using (var cache = Open(options, warnings))
        {
            clock.Opened();
            run = new DigestRun(cache, files, options);
            await Report.ShowProgressAsync(run, interrupted);
            clock.Digested();
            figures = CacheFigures.Of(cache);
        }

        clock.Closed();
        warnings.Show();
        if (interrupted.IsCancellationRequested)
        {
            Report.ShowInterrupted(run);
            return SampleProgram.Interrupted;
        }

        var verification = DigestVerification.Of(run.WarmSample(), options.ChunkBytes);
        Report.ShowTable(run, unreadableDirectories, clock, figures, verification);
        Report.ShowVerdict(run, clock, ColdRun.ReadFor(options));
        if (run.IsCold) ColdRun.Write(options, run.Chunks, clock.Total);
        Report.ShowDifferences(verification);
        return verification.Differing.Count == 0 ? Done : DigestsDiffer;
    }

    private static FasterCache<ChunkKey, ChunkDigest> Open(DigestOptions options, WarningCollector warnings) => SampleProgram.Open(() =>
    {
        var cache = new FasterCache<ChunkKey, ChunkDigest>(
            new FasterCacheOptions
            {
                Name = "digests",
                Directory = options.CacheDirectory,
                MemoryBudget = options.MemoryBudget,
                DiskBudget = options.DiskBudget,
                CheckpointInterval = TimeSpan.FromSeconds(1), // whatever ends a run, the next one goes on from there
                WhenDirectoryUnavailable = DirectoryUnavailable.Throw,
            },
            warnings);
        if (options.StartCold) cache.Clear();
        return cache;
    });
}
