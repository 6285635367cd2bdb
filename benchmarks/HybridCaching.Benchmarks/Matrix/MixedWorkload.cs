using System.Diagnostics;
using System.Runtime.CompilerServices;
using HybridCaching.Benchmarks.Contestants;
using HybridCaching.Benchmarks.Reporting;
using HybridCaching.Benchmarks.Workloads;

namespace HybridCaching.Benchmarks.Matrix;

/// <summary>A contestant full of entries, and a team that reads and overwrites them. Tells at the end what memory it held and where reads were answered.</summary>
internal sealed class MixedWorkload : IDisposable
{
    /// <summary>Many times the entries there are: a million draws by Zipf's law name a quarter of a million keys, and who goes through them again and again asks for no other.</summary>
    private const int Draws = 16_000_000;

    /// <summary>What a cache keeps in memory depends on what was read, and its hot tier grows for a while once the data has outgrown memory.</summary>
    private static readonly TimeSpan SettlingTime = TimeSpan.FromSeconds(5);

    /// <summary>Overwrites fill a disk budget, and then the oldest leave. Who loses more than this has not done the work.</summary>
    private const double LeastCompleted = 0.5;

    private readonly MemoryReport _memory;
    private readonly TierReport _tiers;
    private readonly WorkerTeam _team;
    private readonly KeyWindows _draws;
    private readonly IContestant _contestant;

    /// <param name="make">Makes the contestant.</param>
    /// <param name="entries">How many there are.</param>
    /// <param name="keys">Which of them are asked for.</param>
    /// <param name="readPercent">How much of it is reads; the rest are overwrites.</param>
    /// <param name="threads">By how many threads.</param>
    /// <param name="operations">How many operations a call of <see cref="Operate"/> is.</param>
    public MixedWorkload(Func<IContestant> make, int entries, KeyChoice keys, int readPercent, int threads, int operations)
    {
        _team = new WorkerTeam(threads);
        _draws = new KeyWindows(Draw(keys, entries, readPercent), operations);
        _memory = new MemoryReport();
        _contestant = make();
        Load(entries);
        if (_contestant.Hits is not null)
        {
            for (long start = Stopwatch.GetTimestamp(); Stopwatch.GetElapsedTime(start) < SettlingTime;) Operate();
        }

        _tiers = new TierReport(_contestant);
    }

    public void Operate() => _team.Run(_contestant, Operations.Mix, _draws.Next()).EnsureComplete(_contestant.Name, LeastCompleted);

    public void Dispose()
    {
        _tiers.Write();
        _memory.WriteInUse(_contestant);
        _contestant.Dispose();
        _team.Dispose();
    }

    // Methods of their own, so that no array they make is alive when the memory in use is taken, before or after.
    [MethodImpl(MethodImplOptions.NoInlining)]
    private static long[] Draw(KeyChoice keys, int entries, int readPercent) => Keys.Mixed(Keys.Chosen(keys, entries, Draws), readPercent);

    [MethodImpl(MethodImplOptions.NoInlining)]
    private void Load(int entries)
    {
        _team.Run(_contestant, Operations.Add, Keys.All(entries, KeyOrder.Sequential)).EnsureComplete(_contestant.Name);
        Operate(); // the team lets go of the keys
    }
}
