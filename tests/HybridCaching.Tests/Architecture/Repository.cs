using System.Diagnostics;

namespace HybridCaching.Tests.Architecture;

/// <summary>The files of the repository these tests were built from.</summary>
internal static class Repository
{
    private static readonly string[] GeneratedFolders = [".git", ".vs", ".idea", "bin", "obj", "artifacts", "TestResults", "BenchmarkDotNet.Artifacts"];

    public static string Root { get; } = FindRoot();

    public static string Combine(string relativePath) => Path.Combine(Root, relativePath);

    /// <summary>Every file that git tracks or would track, relative to the root.</summary>
    public static IReadOnlyList<string> Files { get; } = [.. (FilesFromGit() ?? FilesFromDisk()).Where(path => File.Exists(Combine(path))).Order(StringComparer.Ordinal)];

    /// <summary>The C# files of the packages, generated ones excepted.</summary>
    public static IReadOnlyList<SourceFile> SourceFiles { get; } =
        [.. Files.Where(path => path.StartsWith("src/", StringComparison.Ordinal) && path.EndsWith(".cs", StringComparison.Ordinal)).Select(Read)];

    private static SourceFile Read(string path) => new(path, File.ReadAllText(Combine(path)));

    private static string FindRoot()
    {
        for (var folder = new DirectoryInfo(AppContext.BaseDirectory); folder is not null; folder = folder.Parent)
        {
            if (File.Exists(Path.Combine(folder.FullName, "HybridCache.sln"))) return folder.FullName;
        }

        throw new InvalidOperationException($"HybridCache.sln is in no folder above {AppContext.BaseDirectory}.");
    }

    private static string[]? FilesFromGit()
    {
        try
        {
            var start = new ProcessStartInfo("git", ["-C", Root, "ls-files", "-z", "--cached", "--others", "--exclude-standard"])
            {
                RedirectStandardOutput = true,
                RedirectStandardError = true,
            };
            using var git = Process.Start(start)!;
            git.ErrorDataReceived += (_, _) => { };
            git.BeginErrorReadLine();
            string output = git.StandardOutput.ReadToEnd();
            git.WaitForExit();
            return git.ExitCode == 0 && output.Length > 0 ? output.Split('\0', StringSplitOptions.RemoveEmptyEntries) : null;
        }
        catch (System.ComponentModel.Win32Exception)
        {
            return null;
        }
    }

    private static IEnumerable<string> FilesFromDisk() =>
        from file in Directory.EnumerateFiles(Root, "*", SearchOption.AllDirectories)
        let path = Path.GetRelativePath(Root, file).Replace('\\', '/')
        where !path.Split('/').Intersect(GeneratedFolders).Any()
        select path;
}
