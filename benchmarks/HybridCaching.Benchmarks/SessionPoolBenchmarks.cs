using BenchmarkDotNet.Attributes;
using HybridCaching.Benchmarks.Contestants;
using HybridCaching.Benchmarks.Workloads;

namespace HybridCaching.Benchmarks;

/// <summary>What does a read pay for its session: rented from the pool, made for the call, or kept by the thread?</summary>
/// <remarks>
/// The library's own log in memory, 1,000,000 entries, 1,000 keys that stay in the processor's cache, so that the session's share shows.
/// <code>dotnet run -c Release --project benchmarks/HybridCaching.Benchmarks -- --filter '*.SessionPoolBenchmarks.*'</code>
/// </remarks>
public class SessionPoolBenchmarks
{
    private const int Entries = 1_000_000;
    private const int HotKeys = 1_000;
    private const int Reads = 1_000_000;
    private const int ReadsWithNewSessions = 50_000;

    private WorkerTeam? _team;
    private long[] _keys = [];
    private IContestant? _contestant;

    [Params(1, 2, 6)]
    public int Threads { get; set; }

    [GlobalSetup(Target = nameof(OneSession))]
    public void LoadOneSession() => Load(SessionSource.OnePerWorker);

    [GlobalSetup(Target = nameof(PooledSession))]
    public void LoadPooledSession() => Load(SessionSource.Pool);

    [GlobalSetup(Target = nameof(SessionPerCall))]
    public void LoadSessionPerCall() => Load(SessionSource.NewPerCall);

    [Benchmark(Baseline = true, OperationsPerInvoke = Reads)]
    public void OneSession() => Read(Reads);

    [Benchmark(OperationsPerInvoke = Reads)]
    public void PooledSession() => Read(Reads);

    [Benchmark(OperationsPerInvoke = ReadsWithNewSessions)]
    public void SessionPerCall() => Read(ReadsWithNewSessions);

    [GlobalCleanup]
    public void Dispose()
    {
        _contestant!.Dispose();
        _team!.Dispose();
    }

    private void Load(SessionSource source)
    {
        _contestant = new SessionContestant(source, Entries, Threads);
        _team = new WorkerTeam(Threads);
        _keys = Keys.Among(Entries, HotKeys, Reads);
        _team.Run(_contestant, Operations.Add, Keys.All(Entries, KeyOrder.Random)).EnsureComplete(_contestant.Name);
    }

    private void Read(int count) => _team!.Run(_contestant!, Operations.Read, _keys.AsMemory(0, count)).EnsureComplete(_contestant!.Name);
}
