using BenchmarkDotNet.Attributes;
using HybridCaching.Benchmarks.Contestants;
using HybridCaching.Benchmarks.Matrix;
using HybridCaching.Benchmarks.Workloads;

namespace HybridCaching.Benchmarks;

/// <summary>How long do reads and overwrites take, by memory, threads, share of reads, choice of keys, size of values and type of keys?</summary>
/// <remarks>
/// 1,000,000 entries, fewer where they would be more than 256 MiB. A subset by default, see <see cref="MatrixChoice"/>.
/// <code>dotnet run -c Release --project benchmarks/HybridCaching.Benchmarks -- --filter '*.MixedBenchmarks.*' --threads 1,6 --keys uniform</code>
/// </remarks>
[IterationTime(IterationMilliseconds)]
public class MixedBenchmarks
{
    public const int IterationMilliseconds = 150;

    private const int DictionaryOperations = 400_000;
    private const int CacheOperations = 200_000;
    private const int StoreOperations = 50_000;
    private const int MostEntries = 1_000_000;
    private const long MostBytes = 256 << 20;

    private MixedWorkload? _workload;

    public static IEnumerable<int> ThreadCounts => MatrixChoice.ThreadCounts;

    [Params(KeyType.Int64, KeyType.Guid, KeyType.Struct)]
    public KeyType KeyType { get; set; }

    [Params(8, 32, 100, 1024)]
    public int ValueBytes { get; set; }

    [Params(KeyChoice.Uniform, KeyChoice.Zipf, KeyChoice.Hot, KeyChoice.Sequential)]
    public KeyChoice Choice { get; set; }

    [Params(0, 50, 95, 100)]
    public int ReadPercent { get; set; }

    [ParamsSource(nameof(ThreadCounts))]
    public int Threads { get; set; }

    [Params(MemoryShare.NotApplicable, "10%", "25%", "50%", "90%", "100%", MemoryShare.AsDictionaryText)]
    public string Memory { get; set; } = MemoryShare.NotApplicable;

    private IContestantFactory Contestants => ContestantFactories.For(KeyType, ValueBytes);

    private int Entries => (int)Math.Min(MostEntries, MostBytes / Contestants.Sizes.Bytes);

    [GlobalSetup(Target = nameof(ConcurrentDictionary))]
    public void LoadDictionary() => Load(Contestants.Dictionary, DictionaryOperations);

    [GlobalSetup(Target = nameof(FasterCache))]
    public void LoadCache() => Load(() => Contestants.Cache(Entries, MemoryShare.Parse(Memory)), CacheOperations);

    [GlobalSetup(Target = nameof(FasterKV))]
    public void LoadStore() => Load(() => Contestants.Store(Entries, MemoryShare.Parse(Memory), Threads), StoreOperations);

    [Benchmark(Baseline = true, OperationsPerInvoke = DictionaryOperations)]
    public void ConcurrentDictionary() => _workload!.Operate();

    [Benchmark(OperationsPerInvoke = CacheOperations)]
    public void FasterCache() => _workload!.Operate();

    [Benchmark(OperationsPerInvoke = StoreOperations)]
    public void FasterKV() => _workload!.Operate();

    [GlobalCleanup]
    public void Dispose() => _workload!.Dispose();

    private void Load(Func<IContestant> make, int operations) => _workload = new MixedWorkload(make, Entries, Choice, ReadPercent, Threads, operations);
}
