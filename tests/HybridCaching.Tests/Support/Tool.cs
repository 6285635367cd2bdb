using System.Diagnostics;

namespace HybridCaching.Tests.Support;

/// <summary>Runs a program of the machine.</summary>
public static class Tool
{
    /// <summary>Whether the program could be run and ended with 0.</summary>
    public static bool TryRun(string program, params string[] arguments) => Output(program, arguments) is not null;

    /// <summary>What the program printed; null if it could not be run or did not end with 0.</summary>
    public static string? Output(string program, params string[] arguments)
    {
        try
        {
            using var process = Process.Start(new ProcessStartInfo(program, arguments) { RedirectStandardOutput = true, RedirectStandardError = true })!;
            string output = process.StandardOutput.ReadToEnd();
            process.StandardError.ReadToEnd();
            process.WaitForExit();
            return process.ExitCode == 0 ? output : null;
        }
        catch (System.ComponentModel.Win32Exception)
        {
            return null;
        }
    }

    /// <summary>Makes a pipe, or skips the test.</summary>
    public static void MakePipe(string path)
    {
        if (!OperatingSystem.IsLinux() || !TryRun("mkfifo", path)) Assert.Skip("This needs Linux and mkfifo.");
    }
}
