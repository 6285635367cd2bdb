namespace HybridCaching.Benchmarks.Shared;

/// <summary>A folder for the files of one contestant, deleted with it.</summary>
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
        if (Directory.Exists(Path)) Directory.Delete(Path, recursive: true);
    }
}
