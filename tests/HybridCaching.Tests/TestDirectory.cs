namespace HybridCaching.Tests;

/// <summary>A directory of one test's own below the temporary folder, deleted on dispose.</summary>
public sealed class TestDirectory : IDisposable
{
    public TestDirectory() => Path = Directory.CreateTempSubdirectory("hybridcaching-tests-").FullName;

    public string Path { get; }

    public string Combine(string name) => System.IO.Path.Combine(Path, name);

    public void Dispose()
    {
        if (Directory.Exists(Path))
        {
            Directory.Delete(Path, recursive: true);
        }
    }
}
