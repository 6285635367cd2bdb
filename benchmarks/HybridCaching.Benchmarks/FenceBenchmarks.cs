using BenchmarkDotNet.Attributes;
using FASTER.core;
using HybridCaching.Benchmarks.Contestants;
using HybridCaching.Benchmarks.Workloads;

namespace HybridCaching.Benchmarks;

/// <summary>What does a full fence after entering the epoch cost a read, and does the unsafe context with it still beat the basic context, which has none?</summary>
/// <remarks>
/// Bare FasterKV without locks, long to 40 bytes, 1,000,000 entries in memory, 1 thread.
/// <code>dotnet run -c Release --project benchmarks/HybridCaching.Benchmarks -- --filter '*.FenceBenchmarks.*'</code>
/// </remarks>
public class FenceBenchmarks
{
    private const int Entries = 1_000_000;
    private const int Reads = 1_000_000;

    private WorkerTeam? _team;
    private long[] _keys = [];
    private IContestant? _contestant;

    [Params(1_000, Entries)]
    public int DistinctKeys { get; set; }

    [GlobalSetup(Target = nameof(BasicContext))]
    public void LoadBasic() => Load(StoreAccess.Basic);

    [GlobalSetup(Target = nameof(UnsafeContext))]
    public void LoadUnsafe() => Load(StoreAccess.Unsafe);

    [GlobalSetup(Target = nameof(UnsafeContextWithFence))]
    public void LoadUnsafeWithFence() => Load(StoreAccess.FencedUnsafe);

    [Benchmark(Baseline = true, OperationsPerInvoke = Reads)]
    public void BasicContext() => Read();

    [Benchmark(OperationsPerInvoke = Reads)]
    public void UnsafeContext() => Read();

    [Benchmark(OperationsPerInvoke = Reads)]
    public void UnsafeContextWithFence() => Read();

    [GlobalCleanup]
    public void Dispose()
    {
        _contestant!.Dispose();
        _team!.Dispose();
    }

    private void Load(StoreAccess access)
    {
        var settings = Budgets.InMemoryStore<HeadedPayload>(Entries) with { Mode = ConcurrencyControlMode.None, Access = access, Comparer = MixingComparer.Create() };
        _contestant = new StoreContestant<long, LongKeys, HeadedPayload>(settings, workers: 1);
        _team = new WorkerTeam(workers: 1);
        _keys = Keys.Among(Entries, DistinctKeys, Reads);
        _team.Run(_contestant, Operations.Add, Keys.All(Entries, KeyOrder.Random)).EnsureComplete(_contestant.Name);
    }

    private void Read() => _team!.Run(_contestant!, Operations.Read, _keys).EnsureComplete(_contestant!.Name);
}
