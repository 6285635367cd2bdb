using BenchmarkDotNet.Attributes;
using HybridCaching.Benchmarks.Contestants;
using HybridCaching.Benchmarks.Reporting;
using HybridCaching.Benchmarks.Workloads;

namespace HybridCaching.Benchmarks;

/// <summary>How long does it take to read 1,000,000 keys drawn from all of 1,000,000 entries, with the memory that a ConcurrentDictionary takes for them?</summary>
/// <remarks><code>dotnet run -c Release --project benchmarks/HybridCaching.Benchmarks -- --filter '*.EqualMemoryQueryBenchmarks.*'</code></remarks>
public class EqualMemoryQueryBenchmarks
{
    private const int Entries = 1_000_000;
    private const int Reads = 1_000_000;
    private const int Windows = 4;

    private WorkerTeam? _team;
    private KeyWindows? _keys;
    private IContestant? _contestant;

    [Params(1, 6)]
    public int Threads { get; set; }

    [GlobalSetup(Target = nameof(ConcurrentDictionaryDefault))]
    public void LoadDictionaryDefault() => Load(LongDictionary.Default);

    [GlobalSetup(Target = nameof(ConcurrentDictionarySized))]
    public void LoadDictionarySized() => Load(() => LongDictionary.Sized(Entries));

    [GlobalSetup(Target = nameof(FasterCache))]
    public void LoadCache()
    {
        long budget = LongDictionary.MeasureMemory(Entries);
        Load(() => LongCache.OnDisk(budget, Budgets.Disk(Entries)));
    }

    [GlobalSetup(Target = nameof(FasterKV))]
    public void LoadStore()
    {
        long budget = LongDictionary.MeasureMemory(Entries);
        Load(() => new StoreContestant<Payload>(Budgets.StoreWithin(Entries, budget), Threads));
    }

    [Benchmark(Baseline = true, OperationsPerInvoke = Reads)]
    public void ConcurrentDictionaryDefault() => Read();

    [Benchmark(OperationsPerInvoke = Reads)]
    public void ConcurrentDictionarySized() => Read();

    [Benchmark(OperationsPerInvoke = Reads)]
    public void FasterCache() => Read();

    [Benchmark(OperationsPerInvoke = Reads)]
    public void FasterKV() => Read();

    [GlobalCleanup]
    public void Dispose()
    {
        _contestant!.Dispose();
        _team!.Dispose();
    }

    private void Load(Func<IContestant> make)
    {
        _team = new WorkerTeam(Threads);
        _keys = new KeyWindows(Keys.Uniform(Entries, Windows * Reads), Reads);
        long[] all = Keys.All(Entries, KeyOrder.Sequential);
        var memory = new MemoryReport();
        _contestant = make();
        _team.Run(_contestant, Operations.Add, all).EnsureComplete(_contestant.Name);
        memory.Write(_contestant);
        for (int pass = 0; pass < 2 * Windows; pass++) Read(); // what a cache keeps in memory depends on what was read
    }

    private void Read() => _team!.Run(_contestant!, Operations.Read, _keys!.Next()).EnsureComplete(_contestant!.Name);
}
