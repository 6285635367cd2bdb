using System.Diagnostics;

namespace HybridCaching.Benchmarks.Quick;

/// <summary>How long one core takes to see what another has written. A virtual machine's cores may be near each other at one moment and far apart at the next, and whatever several threads write to follows.</summary>
internal static class HandOver
{
    /// <summary>Nanoseconds above which the cores share no cache.</summary>
    public const double Far = 100;

    private const int Tries = 20;
    private static readonly TimeSpan Pause = TimeSpan.FromSeconds(1);

    private static int Turns => Paired.IsQuick ? 100_000 : 1_000_000;

    /// <summary>Waits until the cores are near each other, some seconds at most.</summary>
    public static void AwaitNear()
    {
        for (int i = 0; i < Tries && Measure() > Far; i++) Thread.Sleep(Pause);
    }

    /// <summary>Nanoseconds from one core to the other.</summary>
    public static double Measure()
    {
        long word = 0;
        int turns = 2 * Turns;
        long start = Stopwatch.GetTimestamp();
        var other = new Thread(() => TakeTurns(ref word, first: 1, turns));
        other.Start();
        TakeTurns(ref word, first: 0, turns);
        other.Join();
        return Stopwatch.GetElapsedTime(start).TotalNanoseconds / turns;
    }

    private static void TakeTurns(ref long word, long first, int turns)
    {
        for (long turn = first; turn < turns; turn += 2)
        {
            while (Volatile.Read(ref word) != turn)
            {
            }

            Volatile.Write(ref word, turn + 1);
        }
    }
}
