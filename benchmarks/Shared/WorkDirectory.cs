namespace HybridCaching.Benchmarks.Shared;

/// <summary>A folder for the files of one contestant, which are emptied with it.</summary>
/// <remarks>
/// The folder is deleted when the process ends. An ext4 without a journal looks at every file that was deleted in the last minute whenever it creates one: whoever
/// came after a contestant of many files would pay for it, a quarter of what it takes to add a small entry.
/// </remarks>
internal sealed class WorkDirectory : IDisposable
{
    /// <summary>The environment variable that names the folder for all work directories; the processes that BenchmarkDotNet starts inherit it.</summary>
    public const string RootVariable = "HYBRIDCACHING_BENCHMARKS_WORK";

    public WorkDirectory()
    {
        string root = Environment.GetEnvironmentVariable(RootVariable) is { Length: > 0 } chosen ? chosen : System.IO.Path.GetTempPath();
        Directory.CreateDirectory(root);
        Path = Directory.CreateDirectory(System.IO.Path.Combine(root, $"hybridcaching-bench-{Guid.NewGuid():N}")).FullName;
    }

    public string Path { get; }

    public void Dispose()
    {
        if (!Directory.Exists(Path)) return;
        foreach (var file in new DirectoryInfo(Path).EnumerateFiles("*", SearchOption.AllDirectories)) file.Open(FileMode.Truncate).Dispose();
        AppDomain.CurrentDomain.ProcessExit += (_, _) => Delete();
    }

    private void Delete()
    {
        if (Directory.Exists(Path)) Directory.Delete(Path, recursive: true);
    }
}
