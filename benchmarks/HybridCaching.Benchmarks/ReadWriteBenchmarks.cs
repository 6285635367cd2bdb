using BenchmarkDotNet.Attributes;
using HybridCaching.Benchmarks.Contestants;
using HybridCaching.Benchmarks.Reporting;
using HybridCaching.Benchmarks.Workloads;

namespace HybridCaching.Benchmarks;

/// <summary>How long does an operation take when reads and writes mix, on 1,000,000 entries of which some are far more popular than others (Zipf 0.99)?</summary>
/// <remarks>
/// Half and half: every second operation overwrites. Completed is its worst iteration. Read-modify-write: AddOrUpdate of the cache and of the dictionary, RMW of FasterKV.
/// <code>dotnet run -c Release --project benchmarks/HybridCaching.Benchmarks -- --filter '*.ReadWriteBenchmarks.*'</code>
/// </remarks>
public class ReadWriteBenchmarks
{
    private const int Entries = 1_000_000;
    private const int OperationCount = 1_000_000;
    private const int Windows = 8;

    /// <summary>A disk budget that overwrites fill up makes the oldest entries leave, popular or not.</summary>
    private const double LeastCompleted = 0.9;

    private const double Skew = 0.99;

    private WorkerTeam? _team;
    private Operation? _operation;
    private KeyWindows? _keys;
    private IContestant? _contestant;
    private long _completedPerMille = 1000;

    [Params(ReadWriteMix.HalfAndHalf, ReadWriteMix.ReadModifyWrite)]
    public ReadWriteMix Mix { get; set; }

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
        Load(share.IsMemoryOnly ? LongCache.At(Entries, share) : LongCache.OnDisk(Budgets.Memory(Entries, share), Budgets.DiskForOverwrites(Entries)));
    }

    [GlobalSetup(Target = nameof(FasterKV))]
    public void LoadStore() => Load(new StoreContestant<Payload>(Budgets.Store(Entries, MemoryShare.Parse(Memory)), Threads));

    [Benchmark(Baseline = true, OperationsPerInvoke = OperationCount)]
    public void ConcurrentDictionaryDefault() => Operate();

    [Benchmark(OperationsPerInvoke = OperationCount)]
    public void FasterCache() => Operate();

    [Benchmark(OperationsPerInvoke = OperationCount)]
    public void FasterKV() => Operate();

    [GlobalCleanup]
    public void Dispose()
    {
        FigureReport.Write(FigureColumn.CompletedFigure, _completedPerMille);
        _contestant!.Dispose();
        _team!.Dispose();
    }

    private void Load(IContestant contestant)
    {
        _contestant = contestant;
        _team = new WorkerTeam(Threads);
        _keys = new KeyWindows(Keys.Zipf(Entries, Windows * OperationCount, Skew), OperationCount);
        _operation = Mix == ReadWriteMix.HalfAndHalf ? Operations.ReadAndOverwrite : Operations.ReadModifyWrite;
        _team.Run(contestant, Operations.Add, Keys.All(Entries, KeyOrder.Sequential)).EnsureComplete(contestant.Name);
    }

    private void Operate()
    {
        var outcome = _team!.Run(_contestant!, _operation!, _keys!.Next()).EnsureComplete(_contestant!.Name, LeastCompleted);
        _completedPerMille = Math.Min(_completedPerMille, 1000L * outcome.Completed / outcome.Asked);
    }
}
