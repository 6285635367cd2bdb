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
            await Task.Yield();
            return interrupted.IsCancellationRequested ? Failed : Done;
        });
    }
}
