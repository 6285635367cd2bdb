using System.Diagnostics;
using System.Text.Json;
using HybridCaching.Devices;

namespace HybridCaching.Benchmarks.Disk;

/// <summary>A process with a cache that reads when it is told to: how the thread pool waits for work, and whether io_uring is used, are settings of a process.</summary>
internal sealed class ColdProcess : IDisposable
{
    public const string Command = "disk-child";

    /// <summary>How often a thread of the pool that has no work looks for some before it sleeps, in hexadecimal. What that takes is processor time of the process, not of the reads it waits for.</summary>
    private const string PoolSpins = "DOTNET_ThreadPool_UnfairSemaphoreSpinLimit";

    private const string Bare = "bare ";

    private readonly Process _process;

    /// <summary>Begins it, and waits until its cache is filled.</summary>
    /// <param name="directory">Where the cache has its folder.</param>
    /// <param name="name">The name of the folder.</param>
    /// <param name="isPoolQuiet">Whether threads of the pool that have no work sleep at once.</param>
    /// <param name="usesIoUring">Whether who waits on his thread asks the kernel by io_uring.</param>
    public ColdProcess(WorkDirectory directory, string name, bool isPoolQuiet, bool usesIoUring)
    {
        var start = new ProcessStartInfo("dotnet", [Environment.GetCommandLineArgs()[0], Command, directory.Path, name, usesIoUring.ToString()]) { RedirectStandardInput = true, RedirectStandardOutput = true };
        if (isPoolQuiet) start.Environment[PoolSpins] = "0";
        _process = Process.Start(start)!;
        Listen();
    }

    /// <summary>Reads for some seconds.</summary>
    /// <exception cref="InvalidOperationException">The process has ended.</exception>
    public ColdResult Run(ColdGets.Way way) => Ask(way.ToString());

    /// <summary>The same without a cache, see <see cref="BareReads"/>.</summary>
    /// <exception cref="InvalidOperationException">The process has ended.</exception>
    public ColdResult RunBare(ColdGets.Way way) => Ask(Bare + way);

    public void Dispose()
    {
        _process.StandardInput.Close();
        _process.WaitForExit();
        _process.Dispose();
    }

    /// <summary>What that process does: a line says how to read, a line says what came of it.</summary>
    public static int Serve(string directory, string name, bool usesIoUring)
    {
        AppContext.SetSwitch(IoUring.Switch, usesIoUring);
        using var gets = new ColdGets(directory, name);
        using var batches = new ColdBatches(directory, name + "-typed");
        BareReads? bare = null;
        Console.WriteLine("filled");
        while (Console.ReadLine() is { } line)
        {
            bool isBare = line.StartsWith(Bare, StringComparison.Ordinal);
            var way = Enum.Parse<ColdGets.Way>(isBare ? line[Bare.Length..] : line);
            var result = isBare ? (bare ??= new BareReads(directory, name + "-bare")).Run(way) : way == ColdGets.Way.ManyOnThread ? batches.Run() : gets.Run(way);
            Console.WriteLine(JsonSerializer.Serialize(result));
        }

        bare?.Dispose();
        return 0;
    }

    private ColdResult Ask(string line)
    {
        _process.StandardInput.WriteLine(line);
        return JsonSerializer.Deserialize<ColdResult>(Listen());
    }

    private string Listen() => _process.StandardOutput.ReadLine() ?? throw new InvalidOperationException("The process with the cache has ended; what it said is above.");
}
