using BenchmarkDotNet.Attributes;
using HybridCaching.Benchmarks.Contestants;
using HybridCaching.Benchmarks.Workloads;

namespace HybridCaching.Benchmarks;

/// <summary>How long does it take to read 1,000 keys of the oldest tenth of 1,000,000 entries, again and again?</summary>
/// <remarks>
/// Half of the data in memory means that the keys asked for were on the disk at first; a contestant that brings none back into memory reads the disk each time.
/// <code>dotnet run -c Release --project benchmarks/HybridCaching.Benchmarks -- --filter '*.QueryBenchmarks.*'</code>
/// </remarks>
public class QueryBenchmarks
{
    private const int Entries = 1_000_000;
    private const int HotKeys = 1_000;
    private const int Reads = 1_000_000;
    private const int ReadsWithDisk = 60_000;

    private WorkerTeam? _team;
    private long[] _keys = [];
    private IContestant? _contestant;

    [Params(1, 6)]
    public int Threads { get; set; }

    [GlobalSetup(Target = nameof(ConcurrentDictionaryDefault))]
    public void LoadDictionaryDefault() => Load(LongDictionary.Default());

    [GlobalSetup(Target = nameof(ConcurrentDictionarySized))]
    public void LoadDictionarySized() => Load(LongDictionary.Sized(Entries));

    [GlobalSetup(Target = nameof(FasterCacheMemoryOnly))]
    public void LoadCacheMemoryOnly() => Load(LongCache.At(Entries, MemoryShare.Parse(MemoryShare.MemoryOnlyText)));

    [GlobalSetup(Target = nameof(FasterCacheHalfInMemory))]
    public void LoadCacheHalfInMemory() => Load(LongCache.At(Entries, MemoryShare.Parse("50%")));

    [GlobalSetup(Target = nameof(FasterKVMemoryOnly))]
    public void LoadStoreMemoryOnly() => Load(new LongStore(Budgets.Store(Entries, MemoryShare.Parse(MemoryShare.MemoryOnlyText)), Threads));

    [GlobalSetup(Target = nameof(FasterKVHalfInMemory))]
    public void LoadStoreHalfInMemory() => Load(new LongStore(Budgets.Store(Entries, MemoryShare.Parse("50%")), Threads));

    [Benchmark(Baseline = true, OperationsPerInvoke = Reads)]
    public void ConcurrentDictionaryDefault() => Read(Reads);

    [Benchmark(OperationsPerInvoke = Reads)]
    public void ConcurrentDictionarySized() => Read(Reads);

    [Benchmark(OperationsPerInvoke = Reads)]
    public void FasterCacheMemoryOnly() => Read(Reads);

    [Benchmark(OperationsPerInvoke = ReadsWithDisk)]
    public void FasterCacheHalfInMemory() => Read(ReadsWithDisk);

    [Benchmark(OperationsPerInvoke = Reads)]
    public void FasterKVMemoryOnly() => Read(Reads);

    [Benchmark(OperationsPerInvoke = ReadsWithDisk)]
    public void FasterKVHalfInMemory() => Read(ReadsWithDisk);

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
        _keys = Keys.Hot(Entries, HotKeys, Reads);
        _team.Run(contestant, Operations.Add, Keys.All(Entries, KeyOrder.Sequential)).EnsureComplete(contestant.Name);
    }

    private void Read(int count) => _team!.Run(_contestant!, Operations.Read, _keys.AsMemory(0, count)).EnsureComplete(_contestant!.Name);
}
