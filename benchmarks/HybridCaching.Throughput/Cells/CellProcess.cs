using System.Diagnostics;
using System.Globalization;
using System.Text.Json;

namespace HybridCaching.Throughput.Cells;

/// <summary>Measures a plan in a process of its own, so that its memory is that of one contestant.</summary>
internal static class CellProcess
{
    /// <summary>How much garbage there may be before it is collected where memory is compared, in hexadecimal: 4 MiB. By default it is as much as the processor's cache, which would be counted as memory of contestants.</summary>
    private const string YoungBytes = "400000";

    /// <summary>The C library gives each thread an arena by default, up to eight for each core, and what is freed stays with its own: RocksDB took twice its settings.</summary>
    private static string Arenas => Environment.ProcessorCount.ToString(CultureInfo.InvariantCulture);

    /// <param name="plan">What to measure.</param>
    /// <param name="progress">Is told how far it is, from 0 to 1, and what is done.</param>
    /// <param name="cancellationToken">Ends the process.</param>
    /// <exception cref="InvalidOperationException">It failed; the message is the last that it said.</exception>
    public static async Task<IReadOnlyList<Measurement>> MeasureAsync(CellPlan plan, Action<double, string> progress, CancellationToken cancellationToken)
    {
        try
        {
            string[] results = await RunAsync([CellChild.Command, JsonSerializer.Serialize(plan)], Part.HasUsualGarbage(plan.Part), progress, cancellationToken);
            return [.. results.Select(result => JsonSerializer.Deserialize<Measurement>(result)!)];
        }
        catch (InvalidOperationException e)
        {
            throw new InvalidOperationException($"{plan.Contender}: {e.Message}", e);
        }
    }

    /// <summary>Starts this program with other arguments, and gives back what it said after the mark of results.</summary>
    /// <exception cref="InvalidOperationException">It failed.</exception>
    public static async Task<string[]> RunAsync(string[] arguments, bool hasUsualGarbage, Action<double, string> progress, CancellationToken cancellationToken)
    {
        var start = new ProcessStartInfo("dotnet", [Environment.GetCommandLineArgs()[0], .. arguments]) { RedirectStandardOutput = true, RedirectStandardError = true };
        if (!hasUsualGarbage) start.Environment["DOTNET_GCgen0size"] = YoungBytes;
        start.Environment["MALLOC_ARENA_MAX"] = Arenas;
        using var directory = new WorkDirectory(); // whatever becomes of the process, its files go
        start.Environment[WorkDirectory.RootVariable] = directory.Path;
        using var process = Process.Start(start)!;
        await using var ending = cancellationToken.Register(process.Kill);
        var errors = process.StandardError.ReadToEndAsync(CancellationToken.None);
        var results = new List<string>();
        while (await process.StandardOutput.ReadLineAsync(CancellationToken.None) is { } line)
        {
            if (line.StartsWith(CellChild.ResultMark, StringComparison.Ordinal)) results.Add(line[CellChild.ResultMark.Length..]);
            else if (line.StartsWith(CellChild.ProgressMark, StringComparison.Ordinal) && line.Split(' ') is [_, var done, var what]) progress(double.Parse(done, CultureInfo.InvariantCulture), what);
        }

        await process.WaitForExitAsync(CancellationToken.None);
        cancellationToken.ThrowIfCancellationRequested();
        if (process.ExitCode == 0) return [.. results];
        string? said = (await errors).Split('\n').FirstOrDefault(line => line.Trim().Length > 0);
        throw new InvalidOperationException($"the process ended with {process.ExitCode}: {said?.Trim()}");
    }
}
