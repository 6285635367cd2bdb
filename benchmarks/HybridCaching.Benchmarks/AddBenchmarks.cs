using BenchmarkDotNet.Attributes;
using HybridCaching.Benchmarks.Contestants;
using HybridCaching.Benchmarks.Reporting;
using HybridCaching.Benchmarks.Workloads;

namespace HybridCaching.Benchmarks;

/// <summary>How long does it take to add 2,000,000 entries, and how much memory do they take?</summary>
/// <remarks><code>dotnet run -c Release --project benchmarks/HybridCaching.Benchmarks -- --filter '*.AddBenchmarks.*'</code></remarks>
public class AddBenchmarks
{
    private const int Entries = 2_000_000;
    private const int Sample = 2_000;

    private long[] _keys = [];
    private WorkerTeam? _team;
    private MemoryReport? _memory;
    private IContestant? _contestant;

    [Params(KeyOrder.Sequential, KeyOrder.Random)]
    public KeyOrder KeyOrder { get; set; }

    [Params(1, 2, 6)]
    public int Threads { get; set; }

    [Params(MemoryShare.NotApplicable, "10%", "25%", "50%", "90%", "100%", MemoryShare.MemoryOnlyText)]
    public string Memory { get; set; } = MemoryShare.NotApplicable;

    [GlobalSetup]
    public void MakeKeys()
    {
        _keys = Keys.All(Entries, KeyOrder);
        _team = new WorkerTeam(Threads);
    }

    [IterationSetup(Target = nameof(ConcurrentDictionarySized))]
    public void MakeDictionarySized() => Make(() => LongDictionary.Sized(Entries));

    [IterationSetup(Target = nameof(ConcurrentDictionaryDefault))]
    public void MakeDictionaryDefault() => Make(LongDictionary.Default);

    [IterationSetup(Target = nameof(FasterCache))]
    public void MakeCache() => Make(() => LongCache.At(Entries, MemoryShare.Parse(Memory)));

    [IterationSetup(Target = nameof(FasterKV))]
    public void MakeStore() => Make(() => new LongStore(Budgets.Store(Entries, MemoryShare.Parse(Memory)), Threads));

    [Benchmark(Baseline = true, OperationsPerInvoke = Entries)]
    public void ConcurrentDictionarySized() => Add();

    [Benchmark(OperationsPerInvoke = Entries)]
    public void ConcurrentDictionaryDefault() => Add();

    [Benchmark(OperationsPerInvoke = Entries)]
    public void FasterCache() => Add();

    [Benchmark(OperationsPerInvoke = Entries)]
    public void FasterKV() => Add();

    [IterationCleanup]
    public void CheckAndDispose()
    {
        _memory!.Write(_contestant!);
        _team!.Run(_contestant!, Operations.Read, Keys.Sample(_keys, Sample)).EnsureComplete(_contestant!.Name);
        _contestant!.Dispose();
        _contestant = null;
    }

    [GlobalCleanup]
    public void Leave() => _team!.Dispose();

    private void Make(Func<IContestant> make)
    {
        _memory = new MemoryReport();
        _contestant = make();
    }

    private void Add() => _team!.Run(_contestant!, Operations.Add, _keys).EnsureComplete(_contestant!.Name);
}
