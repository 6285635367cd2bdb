using BenchmarkDotNet.Attributes;
using HybridCaching.Benchmarks.Contestants;
using HybridCaching.Benchmarks.Workloads;

namespace HybridCaching.Benchmarks;

/// <summary>What do TryGet and Set of the cache add to a bare FasterKV with the same settings, and do memory hits allocate?</summary>
/// <remarks>
/// The same index, log, page size, kind of hash, record size and locks; 1,000,000 entries in memory, keys in random order. Ratio is the answer; Allocated must show none.
/// <code>dotnet run -c Release --project benchmarks/HybridCaching.Benchmarks -- --filter '*.StoreOverheadBenchmarks.*'</code>
/// </remarks>
public class StoreOverheadBenchmarks
{
    private const int Entries = 1_000_000;
    private const int OperationCount = 1_000_000;

    private WorkerTeam? _team;
    private Operation? _operation;
    private long[] _keys = [];
    private IContestant? _contestant;

    [Params(CacheCall.TryGet, CacheCall.Set)]
    public CacheCall Call { get; set; }

    [Params(1, 2)]
    public int Threads { get; set; }

    [GlobalSetup(Target = nameof(FasterKV))]
    public void LoadStore() => Load(new StoreContestant<long, LongKeys, HeadedPayload>(SameSettings.InMemory(Entries), Threads));

    [GlobalSetup(Target = nameof(FasterKVFenced))]
    public void LoadStoreFenced() => Load(new StoreContestant<long, LongKeys, HeadedPayload>(SameSettings.InMemory(Entries) with { Access = StoreAccess.FencedUnsafe }, Threads));

    [GlobalSetup(Target = nameof(FasterCache))]
    public void LoadCache() => Load(LongCache.At(Entries, MemoryShare.Parse(MemoryShare.MemoryOnlyText)));

    [Benchmark(Baseline = true, OperationsPerInvoke = OperationCount)]
    public void FasterKV() => Operate();

    [Benchmark(OperationsPerInvoke = OperationCount)]
    public void FasterKVFenced() => Operate();

    [Benchmark(OperationsPerInvoke = OperationCount)]
    public void FasterCache() => Operate();

    [GlobalCleanup]
    public void Dispose()
    {
        _contestant!.Dispose();
        _team!.Dispose();
    }

    private void Load(IContestant contestant)
    {
        _contestant = contestant;
        _team = new WorkerTeam(Threads);
        _operation = Call == CacheCall.TryGet ? Operations.Read : Operations.Overwrite;
        _keys = Keys.Uniform(Entries, OperationCount);
        _team.Run(contestant, Operations.Add, Keys.All(Entries, KeyOrder.Random)).EnsureComplete(contestant.Name);
    }

    private void Operate() => _team!.Run(_contestant!, _operation!, _keys).EnsureComplete(_contestant!.Name);
}
