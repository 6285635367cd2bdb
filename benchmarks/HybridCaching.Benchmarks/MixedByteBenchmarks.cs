using BenchmarkDotNet.Attributes;
using HybridCaching.Benchmarks.Contestants;
using HybridCaching.Benchmarks.Matrix;
using HybridCaching.Benchmarks.Workloads;

namespace HybridCaching.Benchmarks;

/// <summary>How long do reads and overwrites of bytes under a text key take, by memory, threads, share of reads, choice of keys and size of values?</summary>
/// <remarks>
/// 500,000 entries, fewer where their values would be more than 64 MiB. The library's cache reads into an IBufferWriter; the two of Microsoft's keep the arrays they are given and hand them out again.
/// A subset by default, see <see cref="MatrixChoice"/>.
/// <code>dotnet run -c Release --project benchmarks/HybridCaching.Benchmarks -- --filter '*.MixedByteBenchmarks.*' --values 1024</code>
/// </remarks>
[IterationTime(MixedBenchmarks.IterationMilliseconds)]
public class MixedByteBenchmarks
{
    private const int MemoryOperations = 200_000;
    private const int CacheOperations = 100_000;
    private const int MostEntries = 500_000;
    private const long MostBytes = 64 << 20;

    private MixedWorkload? _workload;

    public static IEnumerable<int> ThreadCounts => MatrixChoice.ThreadCounts;

    [Params(8, 32, 100, 1024)]
    public int ValueBytes { get; set; }

    [Params(KeyChoice.Uniform, KeyChoice.Zipf, KeyChoice.Hot, KeyChoice.Sequential)]
    public KeyChoice Choice { get; set; }

    [Params(0, 50, 95, 100)]
    public int ReadPercent { get; set; }

    [ParamsSource(nameof(ThreadCounts))]
    public int Threads { get; set; }

    [Params(MemoryShare.NotApplicable, "10%", "25%", "50%", "90%", "100%")]
    public string Memory { get; set; } = MemoryShare.NotApplicable;

    [GlobalSetup(Target = nameof(MemoryCache))]
    public void LoadMemoryCache() => Load(entries => new MemoryCacheContestant(entries), MemoryOperations);

    [GlobalSetup(Target = nameof(MemoryDistributedCache))]
    public void LoadMemoryDistributedCache() => Load(DistributedContestant.OfMicrosoft, MemoryOperations);

    [GlobalSetup(Target = nameof(FasterDistributedCache))]
    public void LoadCache() => Load(entries => DistributedContestant.OnDisk(entries, Budgets.Bytes(entries, MemoryShare.Parse(Memory))), CacheOperations);

    [Benchmark(Baseline = true, OperationsPerInvoke = MemoryOperations)]
    public void MemoryCache() => _workload!.Operate();

    [Benchmark(OperationsPerInvoke = MemoryOperations)]
    public void MemoryDistributedCache() => _workload!.Operate();

    [Benchmark(OperationsPerInvoke = CacheOperations)]
    public void FasterDistributedCache() => _workload!.Operate();

    [GlobalCleanup]
    public void Dispose() => _workload!.Dispose();

    private void Load(Func<ByteEntries, IContestant> make, int operations)
    {
        int entries = (int)Math.Min(MostEntries, MostBytes / ValueBytes);
        _workload = new MixedWorkload(() => make(new ByteEntries(entries, ValueBytes)), entries, Choice, ReadPercent, Threads, operations); // made within: who keeps the arrays has them in use
    }
}
