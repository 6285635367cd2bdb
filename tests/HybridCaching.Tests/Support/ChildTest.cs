using System.Diagnostics;

namespace HybridCaching.Tests.Support;

/// <summary>Runs a test that is not run otherwise in a process of its own, since it might end its process, or changes something for all of it.</summary>
public static class ChildTest
{
    private static readonly TimeSpan Deadline = TimeSpan.FromSeconds(90);

    /// <summary>Fails, with what the process printed, unless the test passes there.</summary>
    public static Task MustPassAsync(Type test, string method) => MustPassAsync("dotnet", ArgumentsFor(test, method));

    /// <summary>The same where a directory is another one, for that process and those it starts. Skips the test where that is not possible.</summary>
    /// <param name="test">The class of the test.</param>
    /// <param name="method">Which test.</param>
    /// <param name="path">The path of the directory.</param>
    /// <param name="other">The one to be there.</param>
    public static Task MustPassAsync(Type test, string method, string path, string other)
    {
        if (!OperatingSystem.IsLinux() || !Tool.TryRun("unshare", "-m", "true")) Assert.Skip("This needs Linux, unshare and the right to mount (root).");
        return MustPassAsync("unshare", ["-m", "sh", "-c", "mount --bind \"$0\" \"$1\" && shift && exec dotnet \"$@\"", other, path, .. ArgumentsFor(test, method)]);
    }

    private static string[] ArgumentsFor(Type test, string method) =>
        ["exec", Path.Combine(AppContext.BaseDirectory, "HybridCaching.Tests.dll"), "-noColor", "-explicit", "only", "-method", $"{test.FullName}.{method}"];

    private static async Task MustPassAsync(string program, string[] arguments)
    {
        var start = new ProcessStartInfo(program, arguments)
        {
            RedirectStandardOutput = true,
            RedirectStandardError = true,
        };
        using var process = Process.Start(start)!;
        using var deadline = new CancellationTokenSource(Deadline);
        try
        {
            var errors = process.StandardError.ReadToEndAsync(deadline.Token);
            string output = await process.StandardOutput.ReadToEndAsync(deadline.Token) + await errors;
            await process.WaitForExitAsync(deadline.Token);
            Assert.True(process.ExitCode == 0 && output.Contains("Total: 1, Errors: 0, Failed: 0, Skipped: 0", StringComparison.Ordinal), $"exit code {process.ExitCode}\n{output}");
        }
        finally
        {
            if (!process.HasExited) process.Kill();
        }
    }
}
