using System.Security.Cryptography;
using System.Text;
using System.Text.Json;
using BenchmarkDotNet.Exporters;
using BenchmarkDotNet.Running;

namespace HybridCaching.Benchmarks.Reporting;

/// <summary>Cases that are finished, so that a run which was ended goes on where it was.</summary>
/// <remarks>A case is the same when its name, its job and the programs are, the library and the benchmarks, which carry their commit, and the machine.</remarks>
/// <param name="root">The folder for all programs.</param>
/// <param name="isFresh">Whether what was there before is not to be found.</param>
internal sealed class FinishedRuns(string root, bool isFresh)
{
    private readonly string _folder = Path.Combine(root, Key($"{Version(typeof(FinishedRuns))} {Version(typeof(ByteSize))} {Machine.Describe()}"));
    private readonly HashSet<string> _ofThisRun = [];

    public FinishedRun? Find(BenchmarkCase benchmarkCase)
    {
        string path = PathOf(benchmarkCase);
        return File.Exists(path) && (!isFresh || _ofThisRun.Contains(path)) ? JsonSerializer.Deserialize<FinishedRun>(File.ReadAllText(path)) : null;
    }

    /// <summary>Keeps what a case wrote. A file is there with all its content, or not.</summary>
    public void Keep(BenchmarkCase benchmarkCase, FinishedRun run)
    {
        string path = PathOf(benchmarkCase);
        Directory.CreateDirectory(_folder);
        File.WriteAllText(path + ".new", JsonSerializer.Serialize(run));
        File.Move(path + ".new", path, overwrite: true);
        _ofThisRun.Add(path);
    }

    /// <summary>The case and its job, without the name that BenchmarkDotNet invents for the job anew each time.</summary>
    public static string NameOf(BenchmarkCase benchmarkCase) =>
        $"{FullNameProvider.GetBenchmarkName(benchmarkCase)} {benchmarkCase.Job.DisplayInfo.Replace(benchmarkCase.Job.ResolvedId, "", StringComparison.Ordinal)}";

    private static Guid Version(Type type) => type.Assembly.ManifestModule.ModuleVersionId;

    private static string Key(string text) => Convert.ToHexString(SHA256.HashData(Encoding.UTF8.GetBytes(text)).AsSpan(0, 16));

    private string PathOf(BenchmarkCase benchmarkCase) => Path.Combine(_folder, $"{Key(NameOf(benchmarkCase))}.json");
}
