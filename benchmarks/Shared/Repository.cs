using System.Diagnostics;

namespace HybridCaching.Benchmarks.Shared;

/// <summary>The working copy this program runs from.</summary>
internal sealed class Repository
{
    private const string Marker = "HybridCache.sln";

    private Repository(string root) => Root = root;

    public string Root { get; }

    public string Artifacts => Path.Combine(Root, "artifacts", "benchmarks");

    public string Results => Path.Combine(Root, "benchmarks", "results");

    public static Repository Find()
    {
        foreach (string start in (string[])[AppContext.BaseDirectory, Environment.CurrentDirectory])
        {
            for (var folder = new DirectoryInfo(start); folder is not null; folder = folder.Parent)
            {
                if (File.Exists(Path.Combine(folder.FullName, Marker))) return new Repository(folder.FullName);
            }
        }

        throw new InvalidOperationException($"No {Marker} above the program or the current directory: run it from the repository.");
    }

    /// <summary>Whether anything but results and documents differs from the commit: each program writes some of these, and others may follow it.</summary>
    public bool HasChanges => Git("--no-optional-locks", "status", "--porcelain", "--", ".", ":!benchmarks/results", ":!*.md").Length > 0;

    /// <summary>The short name of the commit, with "+changes" when anything but results and documents differs from it.</summary>
    public string Commit()
    {
        string commit = Git("rev-parse", "--short", "HEAD");
        if (commit.Length == 0) return "unknown";
        return HasChanges ? commit + "+changes" : commit;
    }

    private string Git(params string[] arguments)
    {
        try
        {
            var start = new ProcessStartInfo("git", arguments) { WorkingDirectory = Root, RedirectStandardOutput = true, RedirectStandardError = true };
            using var process = Process.Start(start)!;
            process.ErrorDataReceived += static (_, _) => { };
            process.BeginErrorReadLine();
            string output = process.StandardOutput.ReadToEnd().Trim();
            process.WaitForExit();
            return process.ExitCode == 0 ? output : "";
        }
        catch (System.ComponentModel.Win32Exception)
        {
            return "";
        }
    }
}
