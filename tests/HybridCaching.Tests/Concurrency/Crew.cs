using System.Collections.Concurrent;
using System.Diagnostics;
using HybridCaching.Tests.Support;

namespace HybridCaching.Tests.Concurrency;

/// <summary>Threads of a test's own, not the pool's: they start together, and what any of them throws fails the test.</summary>
internal static class Crew
{
    /// <summary>Runs the work on so many threads at once and waits for all of them.</summary>
    /// <param name="threads">How many.</param>
    /// <param name="work">What each does; it gets its number.</param>
    /// <param name="patience">How long it may take; null for two minutes.</param>
    public static void Run(int threads, Action<int> work, TimeSpan? patience = null)
    {
        var failures = new ConcurrentQueue<Exception>();
        using var start = new Barrier(threads);
        var crew = Enumerable.Range(0, threads).Select(me => Start(() =>
        {
            try
            {
                start.SignalAndWait();
                work(me);
            }
            catch (Exception e)
            {
                failures.Enqueue(e);
            }
        })).ToList();
        Join(crew, patience ?? 4 * Until.Deadline);
        if (!failures.IsEmpty) throw new AggregateException(failures);
    }

    /// <summary>Runs several pieces of work at once, each on a thread of its own, and waits for all of them.</summary>
    public static void Run(params Action[] work) => Run(work.Length, me => work[me]());

    /// <summary>Runs the work on a thread of its own; fails if it does not end long after it should have. Then the thread is left behind.</summary>
    public static void MustEnd(string what, Action work)
    {
        Exception? failure = null;
        var thread = Start(() =>
        {
            try
            {
                work();
            }
            catch (Exception e)
            {
                failure = e;
            }
        });
        Assert.True(thread.Join(Until.Deadline / 2), $"does not end: {what}");
        if (failure is not null) throw new AggregateException(failure);
    }

    /// <summary>Starts a background thread with a small stack.</summary>
    public static Thread Start(Action work)
    {
        var thread = new Thread(() => work(), maxStackSize: 256 << 10) { IsBackground = true };
        thread.Start();
        return thread;
    }

    private static void Join(List<Thread> crew, TimeSpan patience)
    {
        long start = Stopwatch.GetTimestamp();
        foreach (var thread in crew)
        {
            var left = patience - Stopwatch.GetElapsedTime(start);
            Assert.True(left > TimeSpan.Zero && thread.Join(left), "a thread of the test does not end");
        }
    }
}
