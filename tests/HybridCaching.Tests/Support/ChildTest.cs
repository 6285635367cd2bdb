using System.Diagnostics;

namespace HybridCaching.Tests.Support;

/// <summary>Runs a test that is not run otherwise in a process of its own, since it might end its process, or changes something for all of it.</summary>
public static class ChildTest
{
    private static readonly TimeSpan Deadline = TimeSpan.FromSeconds(90);

    /// <summary>Fails, with what the process printed, unless the test passes there.</summary>
    public static async Task MustPassAsync(Type test, string method)
    {
        var start = new ProcessStartInfo("dotnet")
        {
            ArgumentList = { "exec", Path.Combine(AppContext.BaseDirectory, "HybridCaching.Tests.dll"), "-noColor", "-explicit", "only", "-method", $"{test.FullName}.{method}" },
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
