using System.Diagnostics;

namespace HybridCaching.Tests.Support;

/// <summary>A cache in a process of its own: this test assembly, run again with one test that is not run otherwise.</summary>
public sealed class ChildCache : IDisposable
{
    public const string DirectoryVariable = "HYBRIDCACHING_TESTS_CHILD_DIRECTORY";
    public const string StepsVariable = "HYBRIDCACHING_TESTS_CHILD_STEPS";
    public const string OpenFile = "child-is-open";

    private readonly Process _process;

    private ChildCache(Process process) => _process = process;

    public int ProcessId => _process.Id;

    /// <summary>Starts a process that opens the cache of a directory, writes so many entries of version 1, flushes them and keeps it open until it is killed.</summary>
    public static ChildCache Start(string directory, long entries) => Start(directory, $"set 0 {entries} 1,flush");

    /// <summary>Starts a process that opens the cache of a directory, does something with it and keeps it open until it is killed.</summary>
    /// <param name="directory">The directory.</param>
    /// <param name="steps">What it does, separated by commas: "set FIRST COUNT VERSION", "again FIRST COUNT VERSION" (until only copies in the hot tier have many of them), "remove FIRST COUNT", "clear", "resize MEMORY DISK", "flush", "rest", "rest-hung", "copy FILE NAME", "fail-writes", "forgo", "close".</param>
    public static ChildCache Start(string directory, string steps)
    {
        string opened = Path.Combine(directory, OpenFile);
        var start = new ProcessStartInfo("dotnet")
        {
            ArgumentList =
            {
                "exec", Path.Combine(AppContext.BaseDirectory, "HybridCaching.Tests.dll"), "-explicit", "only", "-method",
                $"{typeof(ChildCacheHost).FullName}.{nameof(ChildCacheHost.Child_Started_HoldsItsCacheOpen)}",
            },
            Environment = { [DirectoryVariable] = directory, [StepsVariable] = steps },
            RedirectStandardOutput = true,
            RedirectStandardError = true,
        };
        var process = Process.Start(start)!;
        process.OutputDataReceived += static (_, _) => { };
        process.ErrorDataReceived += static (_, _) => { };
        process.BeginOutputReadLine();
        process.BeginErrorReadLine();
        Until.True(() => File.Exists(opened) || process.HasExited, "the child process opens its cache");
        File.Delete(opened);
        Assert.False(process.HasExited, "the child process ended early");
        return new ChildCache(process);
    }

    /// <summary>Ends the process as <c>kill -9</c> does.</summary>
    public void Kill()
    {
        _process.Kill();
        _process.WaitForExit();
    }

    public void Dispose()
    {
        if (!_process.HasExited) Kill();
        _process.Dispose();
    }
}
