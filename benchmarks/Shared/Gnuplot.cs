using System.ComponentModel;
using System.Diagnostics;

namespace HybridCaching.Benchmarks.Shared;

/// <summary>Draws pictures with gnuplot, a program of its own.</summary>
internal static class Gnuplot
{
    private const string Program = "gnuplot";

    /// <summary>Runs a script.</summary>
    /// <returns>Null, or why there is no picture.</returns>
    public static string? Run(string script)
    {
        try
        {
            using var process = Process.Start(new ProcessStartInfo(Program) { RedirectStandardInput = true, RedirectStandardError = true })!;
            var errors = process.StandardError.ReadToEndAsync();
            process.StandardInput.Write(script);
            process.StandardInput.Close();
            process.WaitForExit();
            return process.ExitCode == 0 ? null : $"{Program} failed: {errors.Result.Trim()}";
        }
        catch (Exception e) when (e is Win32Exception or IOException)
        {
            return $"{Program} is missing (on Debian: apt-get install gnuplot-nox)";
        }
    }
}
