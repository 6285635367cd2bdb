using System.Diagnostics;
using System.Globalization;
using System.Runtime.InteropServices;
using System.Text;

namespace HybridCaching.Tests.Samples;

/// <summary>One finished run of a sample, as the solution built it.</summary>
internal sealed record SampleProcess(int ExitCode, string Output, string Error)
{
    private static readonly TimeSpan Patience = TimeSpan.FromMinutes(1);

    public string[] ErrorLines => Error.Split('\n', StringSplitOptions.RemoveEmptyEntries);

    public static async Task<SampleProcess> RunAsync(string sample, string workingDirectory, params string[] arguments)
    {
        var start = new ProcessStartInfo(DotnetHost(), [Assembly(sample), .. arguments])
        {
            WorkingDirectory = workingDirectory,
            RedirectStandardOutput = true,
            RedirectStandardError = true,
            StandardOutputEncoding = Encoding.UTF8,
            StandardErrorEncoding = Encoding.UTF8,
        };
        using var process = Process.Start(start)!;
        using var timeout = new CancellationTokenSource(Patience);
        try
        {
            var output = process.StandardOutput.ReadToEndAsync(timeout.Token);
            var error = process.StandardError.ReadToEndAsync(timeout.Token);
            await process.WaitForExitAsync(timeout.Token);
            return new SampleProcess(process.ExitCode, await output, await error);
        }
        finally
        {
            if (!process.HasExited) process.Kill(entireProcessTree: true);
        }
    }

    /// <summary>The first number in the second cell of a row of the table.</summary>
    public long Figure(string row)
    {
        string[] cells = Output.Split('\n').Select(line => line.Split('│', '|')).Single(cells => cells.Length > 2 && cells[1].Trim() == row);
        string number = cells[2].Trim().Split(' ')[0].TrimEnd(',');
        return long.Parse(number, NumberStyles.AllowThousands, CultureInfo.InvariantCulture);
    }

    /// <summary>The sample's assembly of the configuration these tests were built in.</summary>
    private static string Assembly(string sample)
    {
        string framework = Path.TrimEndingDirectorySeparator(AppContext.BaseDirectory);
        string configuration = Path.GetFileName(Path.GetDirectoryName(framework)!);
        string? root = framework;
        while (root is not null && !File.Exists(Path.Combine(root, "HybridCache.sln"))) root = Path.GetDirectoryName(root);
        Assert.NotNull(root);
        string assembly = Path.Combine(root, "samples", sample, "bin", configuration, Path.GetFileName(framework), $"{sample}.dll");
        Assert.True(File.Exists(assembly), $"{assembly} is missing: build the solution first");
        return assembly;
    }

    private static string DotnetHost()
    {
        string name = OperatingSystem.IsWindows() ? "dotnet.exe" : "dotnet";
        string ofThisRuntime = Path.GetFullPath(Path.Combine(RuntimeEnvironment.GetRuntimeDirectory(), "..", "..", "..", name));
        return File.Exists(ofThisRuntime) ? ofThisRuntime : name;
    }
}
