using System.Diagnostics;
using System.Text;

namespace HybridCaching.Tests.Packaging;

/// <summary>Runs the dotnet command line as a user would, outside the build that runs the tests.</summary>
internal static class DotnetCommand
{
    private static readonly TimeSpan Limit = TimeSpan.FromMinutes(3);

    /// <summary>Runs to the end and returns what was printed; a non-zero exit code fails the test with everything that was printed.</summary>
    public static async Task<string> RunAsync(string workingDirectory, params string[] arguments)
    {
        var (exitCode, output) = await TryRunAsync(workingDirectory, arguments);
        Assert.True(exitCode == 0, $"dotnet {string.Join(' ', arguments)} failed with {exitCode}.\n{output}");
        return output;
    }

    /// <summary>Runs to the end and returns the exit code and all that was printed.</summary>
    public static Task<(int ExitCode, string Output)> TryRunAsync(string workingDirectory, params string[] arguments) =>
        RunProgramAsync(Environment.GetEnvironmentVariable("DOTNET_HOST_PATH") ?? "dotnet", workingDirectory, arguments);

    /// <summary>As above, for a program that was published.</summary>
    public static async Task<(int ExitCode, string Output)> RunProgramAsync(string program, string workingDirectory, params string[] arguments)
    {
        var start = new ProcessStartInfo(program, arguments)
        {
            WorkingDirectory = workingDirectory,
            RedirectStandardInput = true,
            RedirectStandardOutput = true,
            RedirectStandardError = true,
        };
        ForgetTheOuterBuild(start.Environment);
        using var process = Process.Start(start)!;
        using var limit = new CancellationTokenSource(Limit);
        process.StandardInput.Close();
        var output = new StringBuilder();
        var errors = new StringBuilder();
        try
        {
            await Task.WhenAll(CopyAsync(process.StandardOutput, output, limit.Token), CopyAsync(process.StandardError, errors, limit.Token));
            await process.WaitForExitAsync(limit.Token);
        }
        catch (OperationCanceledException)
        {
            process.Kill(entireProcessTree: true);
            Assert.Fail($"{program} {string.Join(' ', arguments)} did not end within {Limit}.\n{output}\n{errors}");
        }

        return (process.ExitCode, $"{output}{errors}");
    }

    /// <remarks>
    /// The test host inherits the settings of the SDK that started it; a build server left behind would hold our pipes open after the command ended.
    /// </remarks>
    private static void ForgetTheOuterBuild(IDictionary<string, string?> environment)
    {
        string[] inherited = [.. environment.Keys.Where(name => name.StartsWith("MSBUILD", StringComparison.OrdinalIgnoreCase) || name is "NUGET_PACKAGES")];
        foreach (string name in inherited) environment.Remove(name);
        environment["MSBUILDDISABLENODEREUSE"] = "1";
        environment["DOTNET_CLI_USE_MSBUILD_SERVER"] = "0";
        environment["UseSharedCompilation"] = "false";
        environment["DOTNET_NOLOGO"] = "1";
    }

    private static async Task CopyAsync(StreamReader source, StringBuilder target, CancellationToken cancellationToken)
    {
        while (await source.ReadLineAsync(cancellationToken) is { } line) target.AppendLine(line);
    }
}
