using System.Diagnostics;
using HybridCaching.CrashTests.Child;

namespace HybridCaching.CrashTests.History;

/// <summary>Eight threads that set, remove and read any key, and one more that clears, removes groups and takes checkpoints; all is recorded. The disk is too small for everything, and the cache is closed and opened again now and then.</summary>
internal sealed class HistoryRun(ChildPlan plan, SharedState state, int operationsPerThread)
{
    private const int Threads = 8;
    private const int StewardOperations = 1 << 21;
    private const int Restarts = 5;
    private const int UsualLength = 900;

    private readonly List<ThreadHistory> _histories = [.. Enumerable.Range(0, Threads).Select(thread => new ThreadHistory(thread, operationsPerThread)), new ThreadHistory(Threads, StewardOperations)];
    private int _active;

    public IReadOnlyList<ThreadHistory> Histories => _histories;

    public long Hits => _histories.Sum(static history => history.CountHits());

    public long Evictions { get; private set; }

    public long DiskHits { get; private set; }

    public long Checkpoints { get; private set; }

    public void Go()
    {
        for (int run = 1; run <= Restarts; run++)
        {
            using var subject = Subjects.Open(plan, state);
            Run(subject, run);
            var statistics = subject.GetStatistics();
            (Evictions, DiskHits) = (Evictions + statistics.Evictions, DiskHits + statistics.DiskHits);
        }
    }

    private void Run(ISubject subject, int run)
    {
        int end = (int)((long)operationsPerThread * run / Restarts);
        _active = Threads;
        var threads = Enumerable.Range(0, Threads + 1).Select(me => new Thread(() =>
        {
            if (me < Threads) Work(subject, me, end, run);
            else Keep(subject, run);
        })).ToList();
        threads.ForEach(static thread => thread.Start());
        threads.ForEach(static thread => thread.Join());
    }

    private void Work(ISubject subject, int me, int end, int run)
    {
        var random = new Random(plan.Seed + (run * 100) + me);
        var history = _histories[me];
        try
        {
            while (history.Count < end) Step(subject, me, history, random);
        }
        finally
        {
            Interlocked.Decrement(ref _active);
        }
    }

    private void Step(ISubject subject, int me, ThreadHistory history, Random random)
    {
        int key = NextKey(random);
        int choice = random.Next(100);
        long begin = Stopwatch.GetTimestamp();
        if (choice < 50)
        {
            // A miss is not recorded, so another operation takes its place.
            if (subject.TryRead(key, out var found)) history.Add(HitOf(key, in found, begin));
        }
        else if (choice < 94)
        {
            long value = history.NextValue;
            subject.Set(new Reading(key, me, value, Lifetime: choice == 93 ? 50 : 0, ValueLength.Next(key, UsualLength, random), IsWhole: true));
            history.Add(new Operation(key, OperationKind.Set, value, begin, Stopwatch.GetTimestamp()));
        }
        else
        {
            subject.Remove(key);
            history.Add(new Operation(key, OperationKind.Remove, 0, begin, Stopwatch.GetTimestamp()));
        }
    }

    /// <summary>Some are used all the time, some often enough for the hot tier but too rarely to stay in the log's memory.</summary>
    private int NextKey(Random random) => random.Next(random.Next(3) switch
    {
        0 => 64,
        1 => state.Keys / 8,
        _ => state.Keys,
    });

    /// <summary>What is not whole, or another key's, is no value that anybody stored.</summary>
    private static Operation HitOf(int key, in Reading found, long begin) =>
        new(key, OperationKind.Hit, found.IsWhole && found.Key == key ? found.Sequence : -1, begin, Stopwatch.GetTimestamp());

    private void Keep(ISubject subject, int run)
    {
        var random = new Random(plan.Seed + (run * 100) + Threads);
        var history = _histories[Threads];
        while (Volatile.Read(ref _active) > 0)
        {
            long begin = Stopwatch.GetTimestamp();
            switch (random.Next(12))
            {
                case 0:
                    subject.Clear();
                    history.Add(new Operation(0, OperationKind.Clear, 0, begin, Stopwatch.GetTimestamp()));
                    break;
                case < 3:
                    int group = random.Next(SharedState.Groups);
                    subject.RemoveGroup(group);
                    long end = Stopwatch.GetTimestamp();
                    for (int key = 0; key < state.Keys && !history.IsFull; key++)
                    {
                        if (SharedState.GroupOf(key) == group) history.Add(new Operation(key, OperationKind.Remove, 0, begin, end));
                    }

                    break;
                default:
                    if (subject.Checkpoint()) Checkpoints++;
                    break;
            }

            Thread.Sleep(random.Next(20, 150));
        }
    }
}
