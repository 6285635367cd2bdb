using BenchmarkDotNet.Attributes;
using HybridCaching.Benchmarks.Contestants;
using HybridCaching.Benchmarks.Workloads;

namespace HybridCaching.Benchmarks;

/// <summary>How long does it take to replace an entry by what follows from it, on 1,000,000 entries of which some are far more popular than others (Zipf 0.99)?</summary>
/// <remarks>
/// AddOrUpdate of the cache and of the dictionary, RMW of FasterKV.
/// <code>dotnet run -c Release --project benchmarks/HybridCaching.Benchmarks -- --filter '*.ReadModifyWriteBenchmarks.*'</code>
/// </remarks>
public class ReadModifyWriteBenchmarks
{
    private const int Entries = 1_000_000;
    private const int OperationCount = 1_000_000;
    private const int Windows = 8;

    private WorkerTeam? _team;
    private KeyWindows? _keys;
    private IContestant? _contestant;

    [Params(1, 6)]
    public int Threads { get; set; }

    [Params(MemoryShare.NotApplicable, "50%", MemoryShare.MemoryOnlyText)]
    public string Memory { get; set; } = MemoryShare.NotApplicable;

    [GlobalSetup(Target = nameof(ConcurrentDictionaryDefault))]
    public void LoadDictionary() => Load(LongDictionary.Default());

    [GlobalSetup(Target = nameof(FasterCache))]
    public void LoadCache()
    {
        var share = MemoryShare.Parse(Memory);
        Load(share.IsMemoryOnly ? LongCache.At(Entries, share) : LongCache.OnDisk(Budgets.Memory(Entries, share, EntrySizes.Usual), Budgets.DiskForOverwrites(Entries, EntrySizes.Usual)));
    }

    [GlobalSetup(Target = nameof(FasterKV))]
    public void LoadStore() => Load(new LongStore(Budgets.Store(Entries, MemoryShare.Parse(Memory)), Threads));

    [Benchmark(Baseline = true, OperationsPerInvoke = OperationCount)]
    public void ConcurrentDictionaryDefault() => Operate();

    [Benchmark(OperationsPerInvoke = OperationCount)]
    public void FasterCache() => Operate();

    [Benchmark(OperationsPerInvoke = OperationCount)]
    public void FasterKV() => Operate();

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
        _keys = new KeyWindows(Keys.Zipf(Entries, Windows * OperationCount, Keys.UsualSkew), OperationCount);
        _team.Run(contestant, Operations.Add, Keys.All(Entries, KeyOrder.Sequential)).EnsureComplete(contestant.Name);
    }

    private void Operate() => _team!.Run(_contestant!, Operations.ReadModifyWrite, _keys!.Next()).EnsureComplete(_contestant!.Name);
}
