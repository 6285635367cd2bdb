using System.Diagnostics;
using System.Runtime.InteropServices;
using System.Text;

namespace HybridCaching.Tests.Samples;

/// <summary>How a sample is started, as the solution built it.</summary>
internal static class SampleCommand
{
    public static ProcessStartInfo Of(string sample, string workingDirectory, params IEnumerable<string> arguments) => new(DotnetHost(), [Assembly(sample), .. arguments])
    {
        WorkingDirectory = workingDirectory,
        RedirectStandardOutput = true,
        RedirectStandardError = true,
        StandardOutputEncoding = Encoding.UTF8,
        StandardErrorEncoding = Encoding.UTF8,
    };

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
