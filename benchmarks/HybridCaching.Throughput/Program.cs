using HybridCaching.Throughput.Cells;
using HybridCaching.Throughput.Native;
using HybridCaching.Throughput.Scale;

namespace HybridCaching.Throughput;

/// <summary>Runs the workloads of YCSB on the caches of the library and on other caches and stores, with equal memory.</summary>
internal static class Program
{
    private const int Done = 0;
    private const int Failed = 1;

    private static Task<int> Main(string[] args)
    {
        CLibrary.RegisterAll();
        if (args is [CellChild.Command, var plan]) return Task.FromResult(CellChild.Run(plan));
        if (args is [ScaleChild.Command, var entries]) return Task.FromResult(ScaleChild.Run(entries));
        return SampleProgram.RunAsync("throughput", async interrupted =>
        {
            if (args is [ScaleOptions.Command, .. var rest])
            {
                var scale = ScaleOptions.Parse(rest, out int scaleExitCode);
                return scale is null ? scaleExitCode : await RunAsync(scale.Work, repository => new ScaleRun(scale, repository).RunAsync(Told("", args), interrupted), interrupted);
            }

            var options = CommandLine.Parse(args, out int exitCode);
            return options is null ? exitCode : await RunAsync(options.Work, repository => new ThroughputRun(options, repository).RunAsync(Told("throughput ", args), interrupted), interrupted);
        });
    }

    private static string Told(string command, string[] args) => $"./build.sh bench {command}{string.Join(' ', args)}".TrimEnd();

    private static async Task<int> RunAsync(string? work, Func<Repository, Task<bool>> run, CancellationToken interrupted)
    {
        if (!OperatingSystem.IsLinux()) throw new CannotStartException("memory and disk of processes are measured as Linux tells them: it runs there only");
        if (work is not null) Environment.SetEnvironmentVariable(WorkDirectory.RootVariable, work);
        try
        {
            return await run(Repository.Find()) ? Done : Failed;
        }
        catch (OperationCanceledException) when (interrupted.IsCancellationRequested)
        {
            return SampleProgram.Interrupted;
        }
    }
}
