using System.Diagnostics;
using System.Globalization;
using HybridCaching.Benchmarks.Quick;

namespace HybridCaching.Benchmarks.Restart;

/// <summary>What a process finds that comes after one that was killed, and how soon, in <c>benchmarks/results/restart.md</c>.</summary>
internal sealed class RestartRun(ResultFiles results)
{
    public const string Command = "restart";

    private const int Repetitions = 3;

    /// <returns>0; 1 when a value was wrong.</returns>
    public int Run()
    {
        string sizes = string.Create(
            CultureInfo.InvariantCulture,
            $"{RestartChild.Entries:N0} entries of 100 bytes, MemoryBudget 512MB, DiskBudget 2GB; filled, flushed, killed (SIGKILL), and {Repetitions} times read by a new process and killed; median [min-max]");
        var page = new QuickPage("Starts after kill -9", Command, sizes);
        page.Collect(Measure);
        return page.TryWrite(results) ? 0 : 1;
    }

    private static IEnumerable<Figure> Measure()
    {
        using var directory = new WorkDirectory();
        Kill(RestartChild.Fill, directory);
        double[][] starts = [.. Enumerable.Range(0, Repetitions).Select(_ => Kill(RestartChild.Read, directory))];
        Kill(RestartChild.Close, directory); // or what leads to its records would stay in memory
        yield return Of("the constructor, in ms", "", starts.Select(s => s[0]), "N0");
        yield return Of("until the first hit, in ms", "≤ 2,000", starts.Select(s => s[1]), "N0");
        yield return Of($"until {RestartChild.HitsOfWindow:N0} of {RestartChild.Window:N0} random keys in a row were hits, all of which the cache had before, in ms", "", starts.Select(s => s[2]), "N0");
        yield return Of($"hits of {RestartChild.Sample:N0} random keys, in %", "≥ 99", starts.Select(s => s[3] * 100 / RestartChild.Sample), "N2");
    }

    /// <summary>Starts a process and kills it once it has said its figures.</summary>
    private static double[] Kill(string task, WorkDirectory directory)
    {
        using var process = Process.Start(new ProcessStartInfo("dotnet", [Environment.GetCommandLineArgs()[0], RestartChild.Command, task, directory.Path]) { RedirectStandardOutput = true })!;
        string said = process.StandardOutput.ReadLine() ?? throw new InvalidOperationException($"The process that was to {task} has ended with {process.ExitCode}.");
        process.Kill();
        process.WaitForExit();
        return [.. said.Split(' ')[1..].Select(static f => double.Parse(f, CultureInfo.InvariantCulture))];
    }

    private static Figure Of(string what, string target, IEnumerable<double> values, string format)
    {
        double[] sorted = [.. values.Order()];
        return new Figure(what, target, string.Join("", sorted[sorted.Length / 2].ToString(format, CultureInfo.InvariantCulture), " [", sorted[0].ToString(format, CultureInfo.InvariantCulture), "-", sorted[^1].ToString(format, CultureInfo.InvariantCulture), "]"));
    }
}
