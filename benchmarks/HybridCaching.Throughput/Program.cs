using HybridCaching.Throughput.Cells;
using HybridCaching.Throughput.Native;

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
        return SampleProgram.RunAsync("throughput", async interrupted =>
        {
            var options = CommandLine.Parse(args, out int exitCode);
            return options is null ? exitCode : await RunAsync(options, args, interrupted);
        });
    }

    private static async Task<int> RunAsync(ThroughputOptions options, string[] args, CancellationToken interrupted)
    {
        if (!OperatingSystem.IsLinux()) throw new CannotStartException("memory and disk of processes are measured as Linux tells them: it runs there only");
        if (options.Work is not null) Environment.SetEnvironmentVariable(WorkDirectory.RootVariable, options.Work);
        var repository = Repository.Find();
        try
        {
            return await new ThroughputRun(options, repository).RunAsync($"./build.sh bench throughput {string.Join(' ', args)}".TrimEnd(), interrupted) ? Done : Failed;
        }
        catch (OperationCanceledException) when (interrupted.IsCancellationRequested)
        {
            return SampleProgram.Interrupted;
        }
    }
}
