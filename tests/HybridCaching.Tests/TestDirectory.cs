using System.Diagnostics;

namespace HybridCaching.Tests;

/// <summary>A directory of one test's own below the temporary folder, deleted on dispose.</summary>
public sealed class TestDirectory : IDisposable
{
    private static readonly TimeSpan Patience = TimeSpan.FromSeconds(30);

    public TestDirectory() => Path = Directory.CreateTempSubdirectory("hybridcaching-tests-").FullName;

    public string Path { get; }

    public string Combine(string name) => System.IO.Path.Combine(Path, name);

    /// <remarks>A cache whose <c>Dispose</c> gave up on a hung disk closes once that is back: until then it may create files beside those that are being deleted.</remarks>
    public void Dispose()
    {
        var spin = new SpinWait();
        for (long start = Stopwatch.GetTimestamp(); Directory.Exists(Path); spin.SpinOnce())
        {
            try
            {
                Directory.Delete(Path, recursive: true);
            }
            catch (IOException) when (Stopwatch.GetElapsedTime(start) < Patience)
            {
                // Once more.
            }
        }
    }
}
