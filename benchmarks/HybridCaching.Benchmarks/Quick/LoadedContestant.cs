using System.Diagnostics;
using HybridCaching.Benchmarks.Contestants;
using HybridCaching.Benchmarks.Workloads;

namespace HybridCaching.Benchmarks.Quick;

/// <summary>A contestant with its entries in place, and as many operations on it as fit the time of a cell.</summary>
internal sealed class LoadedContestant : IDisposable
{
    private static readonly TimeSpan TargetTime = TimeSpan.FromMilliseconds(200);

    private readonly IContestant _contestant;

    public LoadedContestant(IContestant contestant, long[] entries, WorkerTeam team)
    {
        _contestant = contestant;
        team.Run(contestant, Operations.Add, entries).EnsureComplete(contestant.Name);
    }

    /// <summary>Lets the contestant settle: what it keeps in memory depends on what was read.</summary>
    /// <param name="team">Does the work.</param>
    /// <param name="operation">What is done.</param>
    /// <param name="keys">With all of these, again and again.</param>
    /// <param name="atLeast">For so long.</param>
    public void Settle(WorkerTeam team, Operation operation, long[] keys, TimeSpan atLeast = default)
    {
        long start = Stopwatch.GetTimestamp();
        do
        {
            team.Run(_contestant, operation, keys).EnsureComplete(_contestant.Name);
        }
        while (Stopwatch.GetElapsedTime(start) < atLeast);
    }

    /// <summary>A measurement that goes on through a sequence of keys, each time by as many.</summary>
    /// <remarks>A read that waits for the disk takes thousands of times as long as one from memory: a trial run decides how many there will be.</remarks>
    public Func<Outcome> Prepare(WorkerTeam team, Operation operation, long[] keys, int atLeast, int atMost)
    {
        var trial = team.Run(_contestant, operation, keys.AsMemory(0, atLeast)).EnsureComplete(_contestant.Name);
        int count = (int)Math.Clamp(TargetTime.TotalNanoseconds / trial.NanosecondsPerOperation, atLeast, atMost);
        var windows = new KeyWindows(keys, count);
        return () => team.Run(_contestant, operation, windows.Next()).EnsureComplete(_contestant.Name);
    }

    public void Dispose() => _contestant.Dispose();
}
