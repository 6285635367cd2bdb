using BenchmarkDotNet.Attributes;
using FASTER.core;
using HybridCaching.Benchmarks.Contestants;
using HybridCaching.Benchmarks.Workloads;

namespace HybridCaching.Benchmarks;

/// <summary>Which of the ways to keep values from tearing costs least: to append every write, or to overwrite in place under one of FASTER's locks?</summary>
/// <remarks>
/// Bare FasterKV, long to 40 bytes, 1,000,000 entries. A log that is appended to outgrows its memory and is written to a file, which belongs to the price.
/// <code>dotnet run -c Release --project benchmarks/HybridCaching.Benchmarks -- --filter '*.ConcurrencyControlBenchmarks.*'</code>
/// </remarks>
public class ConcurrencyControlBenchmarks
{
    private const int Entries = 1_000_000;
    private const int OperationCount = 1_000_000;

    private WorkerTeam? _team;
    private Operation? _operation;
    private long[] _keys = [];
    private IContestant? _contestant;

    [ParamsAllValues]
    public StoreWorkload Workload { get; set; }

    [Params(1, 6)]
    public int Threads { get; set; }

    [GlobalSetup(Target = nameof(AppendOnly))]
    public void LoadAppendOnly() => Load(ConcurrencyControlMode.None, appendOnly: true);

    [GlobalSetup(Target = nameof(RecordIsolation))]
    public void LoadRecordIsolation() => Load(ConcurrencyControlMode.RecordIsolation, appendOnly: false);

    [GlobalSetup(Target = nameof(LockTable))]
    public void LoadLockTable() => Load(ConcurrencyControlMode.LockTable, appendOnly: false);

    [Benchmark(Baseline = true, OperationsPerInvoke = OperationCount)]
    public void AppendOnly() => Operate();

    [Benchmark(OperationsPerInvoke = OperationCount)]
    public void RecordIsolation() => Operate();

    [Benchmark(OperationsPerInvoke = OperationCount)]
    public void LockTable() => Operate();

    [GlobalCleanup]
    public void Dispose()
    {
        _contestant!.Dispose();
        _team!.Dispose();
    }

    private void Load(ConcurrencyControlMode mode, bool appendOnly)
    {
        var settings = Budgets.InMemoryStore<HeadedPayload>(Entries) with { Mode = mode, AppendOnly = appendOnly, Comparer = MixingComparer.Create() };
        _contestant = new StoreContestant<long, LongKeys, HeadedPayload>(settings, Threads);
        _team = new WorkerTeam(Threads);
        (_operation, int keys) = Workload switch
        {
            StoreWorkload.Read1K => (Operations.Read, 1_000),
            StoreWorkload.Read1M => (Operations.Read, Entries),
            StoreWorkload.Overwrite1K => (Operations.Overwrite, 1_000),
            StoreWorkload.Overwrite100K => (Operations.Overwrite, 100_000),
            _ => (Operations.Overwrite, Entries),
        };
        _keys = Keys.Among(Entries, keys, OperationCount);
        _team.Run(_contestant, Operations.Add, Keys.All(Entries, KeyOrder.Random)).EnsureComplete(_contestant.Name);
    }

    private void Operate() => _team!.Run(_contestant!, _operation!, _keys).EnsureComplete(_contestant!.Name);
}
