using BenchmarkDotNet.Attributes;
using HybridCaching.Benchmarks.Contestants;
using HybridCaching.Benchmarks.Reporting;
using HybridCaching.Benchmarks.Workloads;

namespace HybridCaching.Benchmarks;

/// <summary>What does it cost to read and to store bytes under a text key, by size and by where the entry is, next to MemoryDistributedCache?</summary>
/// <remarks>
/// 256 MiB of values, 1,000,000 entries at most. Disk: keys of all entries, 48 MiB of memory. Elsewhere: few of the oldest tenth again and again. MemoryDistributedCache neither copies
/// values nor knows writers: it keeps the array it is given, and TryGet is its Get.
/// <code>dotnet run -c Release --project benchmarks/HybridCaching.Benchmarks -- --filter '*.DistributedCacheBenchmarks.*'</code>
/// </remarks>
public class DistributedCacheBenchmarks
{
    private const string HotTier = "hot tier";
    private const string LogMemory = "log memory";
    private const string Disk = "disk";

    private const int OperationCount = 20_000;
    private const int Windows = 16;
    private const int MostEntries = 1_000_000;
    private const int MostHotKeys = 1_000;
    private const long DataBytes = 256 << 20;
    private const long HotBytes = 8 << 20;
    private const long MemoryForHotTier = 96 << 20;
    private const long MemoryForDisk = 48 << 20;

    /// <summary>The hot tier fills as entries are read, and grows for seconds once the data has outgrown memory.</summary>
    private const int SettlingPasses = 20;

    private static readonly TimeSpan SettlingPause = TimeSpan.FromMilliseconds(250);

    private WorkerTeam? _team;
    private Operation? _operation;
    private KeyWindows? _keys;
    private DistributedContestant? _contestant;
    private TierReport? _tiers;

    [Params(100, 1024, 10 << 10, 100 << 10)]
    public int ValueBytes { get; set; }

    [Params(CacheCall.Get, CacheCall.TryGet, CacheCall.Set)]
    public CacheCall Call { get; set; }

    [Params(1, 2, 8)]
    public int Threads { get; set; }

    [Params(MemoryShare.NotApplicable, HotTier, LogMemory, Disk)]
    public string Memory { get; set; } = MemoryShare.NotApplicable;

    [GlobalSetup(Target = nameof(MemoryDistributedCache))]
    public void LoadOfMicrosoft() => Load(DistributedContestant.OfMicrosoft);

    [GlobalSetup(Target = nameof(FasterDistributedCache))]
    public void LoadCache() => Load(entries => Memory switch
    {
        LogMemory => DistributedContestant.InMemory(entries, hotTierShare: 0),
        HotTier => DistributedContestant.OnDisk(entries, MemoryForHotTier),
        _ => DistributedContestant.OnDisk(entries, MemoryForDisk),
    });

    [Benchmark(Baseline = true, OperationsPerInvoke = OperationCount)]
    public void MemoryDistributedCache() => Operate();

    [Benchmark(OperationsPerInvoke = OperationCount)]
    public void FasterDistributedCache() => Operate();

    [GlobalCleanup]
    public void Dispose()
    {
        _tiers!.Write();
        _contestant!.Dispose();
        _team!.Dispose();
    }

    private void Load(Func<ByteEntries, DistributedContestant> make)
    {
        var entries = new ByteEntries((int)Math.Min(MostEntries, DataBytes / ValueBytes), ValueBytes);
        int hotKeys = (int)Math.Min(MostHotKeys, HotBytes / ValueBytes);
        _team = new WorkerTeam(Threads);
        _keys = new KeyWindows(
            Memory == Disk ? Keys.Uniform(entries.Count, Windows * OperationCount) : Keys.Hot(entries.Count, hotKeys, OperationCount),
            OperationCount);
        _operation = Call switch
        {
            CacheCall.Get => Operations.Read,
            CacheCall.TryGet => Operations.ReadIntoWriter,
            _ => Operations.Overwrite,
        };
        _contestant = make(entries);
        _team.Run(_contestant, Operations.Add, Keys.All(entries.Count, KeyOrder.Sequential)).EnsureComplete(_contestant.Name);
        for (int pass = 0; Memory == HotTier && pass < SettlingPasses; pass++)
        {
            _team.Run(_contestant, Operations.ReadIntoWriter, _keys.Next()).EnsureComplete(_contestant.Name);
            Thread.Sleep(SettlingPause);
        }

        _tiers = new TierReport(_contestant);
    }

    private void Operate() => _team!.Run(_contestant!, _operation!, _keys!.Next()).EnsureComplete(_contestant!.Name);
}
