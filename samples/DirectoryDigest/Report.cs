using HybridCaching;
using Spectre.Console;

namespace DirectoryDigest;

/// <summary>What the user sees. Lines that a script may want to read go out unwrapped and unstyled.</summary>
internal static class Report
{
    private const int MaxDifferencesShown = 10;

    public static void Begin(DigestOptions options) =>
        Console.WriteLine($"Digesting {options.Directory} in chunks of {options.ChunkBytes} bytes with {options.Threads} threads; digests are kept in {options.CacheDirectory}");

    /// <summary>Runs it with a progress bar; with a line now and then where the output is not a terminal.</summary>
    public static Task ShowProgressAsync(DigestRun run, CancellationToken cancellationToken) =>
        Terminal.Progress().StartAsync(async progress =>
        {
            var bar = progress.AddTask("digesting", maxValue: Math.Max(1, run.TotalBytes));
            await bar.FollowAsync(run.DigestAsync(cancellationToken), () => run.BytesPassed);
            if (run.TotalBytes == 0) bar.Value = 1;
        });

    public static void ShowInterrupted(DigestRun run) =>
        Console.WriteLine($"Interrupted after {run.Chunks:N0} chunks; their digests are kept and the next run goes on from there.");

    public static void ShowTable(DigestRun run, int unreadableDirectories, RunClock clock, CacheFigures figures, DigestVerification verification)
    {
        var (statistics, memory) = figures;
        var table = new Table().Border(TableBorder.Rounded).HideHeaders().AddColumn("what").AddColumn(new TableColumn("figure").RightAligned());
        void Row(string what, string figure) => table.AddRow(Markup.Escape(what), Markup.Escape(figure));

        Row("files", $"{run.Files:N0}");
        Row("skipped files and folders", $"{run.SkippedFiles + unreadableDirectories:N0}");
        Row("chunks", $"{run.Chunks:N0}");
        Row("bytes", $"{run.Bytes:N0}");
        Row("duplicate chunks found", $"{run.Duplicates:N0}");
        Row("time", $"{clock.Total.TotalSeconds:0.00} s");
        Row("  open, digest, close", $"{clock.Opening.TotalSeconds:0.00} + {clock.Digesting.TotalSeconds:0.00} + {clock.Closing.TotalSeconds:0.00} s");
        Row("hits from memory", $"{statistics.MemoryHits:N0}");
        Row("hits from disk", $"{statistics.DiskHits:N0}");
        Row("misses", $"{statistics.Misses:N0}");
        Row("memory used of its budget", Share(memory.Total, memory.Budget));
        Row("disk used of its budget", Share(statistics.DiskUsage, statistics.DiskBudget));
        Row("warm digests recomputed, differing", $"{verification.Compared:N0}, {verification.Differing.Count:N0}");
        Terminal.Console.Write(table);
    }

    public static void ShowVerdict(DigestRun run, RunClock clock, ColdRun? cold)
    {
        if (run.Chunks == 0) Console.WriteLine("There was nothing to digest.");
        else if (run.IsCold) Console.WriteLine("This was a cold run: no chunk was known. Run the same command again to see a warm one.");
        else Console.WriteLine($"This was a {Warmth(run)}{Comparison(clock.Total.TotalSeconds, cold)}.");
    }

    public static void ShowDifferences(DigestVerification verification)
    {
        foreach (var (chunk, recomputed) in verification.Differing.Take(MaxDifferencesShown))
            Console.Error.WriteLine($"digest differs: {chunk.File.Path} chunk {chunk.Index}: cached {chunk.Digest}, recomputed {recomputed}");
        int more = verification.Differing.Count - MaxDifferencesShown;
        if (more > 0) Console.Error.WriteLine($"digest differs: {more:N0} more");
    }

    private static string Warmth(DigestRun run) => run.WarmChunks == run.Chunks
        ? $"warm run: all {run.Chunks:N0} chunks were known and not read"
        : $"partly warm run: {run.WarmChunks:N0} of {run.Chunks:N0} chunks were known and not read";

    private static string Comparison(double seconds, ColdRun? cold) => cold is null
        ? "; no cold run of the same work is on record to compare with"
        : $"; {cold.Seconds / seconds:0.0} times as fast as the cold run ({seconds:0.00} s after {cold.Seconds:0.00} s, ratio {seconds / cold.Seconds:0.00})";

    private static string Share(long used, long budget) =>
        $"{new ByteSize(used):H} of {new ByteSize(budget):H} ({(budget == 0 ? 0 : 100.0 * used / budget):0} %)";
}
