using HybridCaching;

namespace DirectoryDigest;

/// <summary>Digests a directory in chunks through a cache that keeps the digests for the next run.</summary>
internal static class Program
{
    private const int Done = 0;
    private const int DigestsDiffer = 1;
    private const int CannotStart = 2;
    private const int Interrupted = 130;

    private static async Task<int> Main(string[] args)
    {
        try
        {
            var options = CommandLine.Parse(args, out int exitCode);
            return options is null ? exitCode : await RunAsync(options);
        }
        catch (CannotStartException e)
        {
            await Console.Error.WriteLineAsync($"DirectoryDigest: {e.Message.ReplaceLineEndings(" ")}");
            return CannotStart;
        }
    }

    private static async Task<int> RunAsync(DigestOptions options)
    {
        using var interrupt = new CancellationTokenSource();
        Console.CancelKeyPress += (_, e) =>
        {
            e.Cancel = !interrupt.IsCancellationRequested;
            interrupt.Cancel();
        };

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
            await Report.ShowProgressAsync(run, interrupt.Token);
            clock.Digested();
            figures = CacheFigures.Of(cache);
        }

        clock.Closed();
        Report.ShowWarnings(warnings);
        if (interrupt.IsCancellationRequested)
        {
            Report.ShowInterrupted(run);
            return Interrupted;
        }

        var verification = DigestVerification.Of(run.WarmSample(), options.ChunkBytes);
        Report.ShowTable(run, unreadableDirectories, clock, figures, verification);
        Report.ShowVerdict(run, clock, ColdRun.ReadFor(options));
        if (run.IsCold) ColdRun.Write(options, run.Chunks, clock.Total);
        Report.ShowDifferences(verification);
        return verification.Differing.Count == 0 ? Done : DigestsDiffer;
    }

    /// <summary>Opens the cache; what it refuses is the user's to change, so it is told in one line.</summary>
    private static FasterCache<ChunkKey, ChunkDigest> Open(DigestOptions options, WarningCollector warnings)
    {
        try
        {
            var cache = new FasterCache<ChunkKey, ChunkDigest>(
                new FasterCacheOptions
                {
                    Name = "digests",
                    Directory = options.CacheDirectory,
                    MemoryBudget = options.MemoryBudget,
                    DiskBudget = options.DiskBudget,
                    WhenDirectoryUnavailable = DirectoryUnavailable.Throw,
                },
                warnings);
            if (options.StartCold) cache.Clear();
            return cache;
        }
        catch (Exception e) when (e is ArgumentException or IOException or UnauthorizedAccessException or InvalidOperationException or NotSupportedException)
        {
            throw new CannotStartException($"cannot open the cache: {e.Message}");
        }
    }
}
