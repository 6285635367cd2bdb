using System.Diagnostics;

namespace HybridCaching.Benchmarks.Quick;

/// <summary>How long one core takes to see what another has written. A virtual machine's cores may be near each other at one moment and far apart at the next, and whatever several threads write to follows.</summary>
internal static class HandOver
{
    /// <summary>Nanoseconds above which the cores share no cache.</summary>
    public const double Far = 100;

    private const int Turns = 1_000_000;
    private const int Tries = 20;
    private static readonly TimeSpan Pause = TimeSpan.FromSeconds(1);

    /// <summary>Waits until the cores are near each other, some seconds at most.</summary>
    public static void AwaitNear()
    {
        for (int i = 0; i < Tries && Measure() > Far; i++) Thread.Sleep(Pause);
    }

    /// <summary>Nanoseconds from one core to the other.</summary>
    public static double Measure()
    {
        long word = 0;
        long start = Stopwatch.GetTimestamp();
        var other = new Thread(() => TakeTurns(ref word, first: 1));
        other.Start();
        TakeTurns(ref word, first: 0);
        other.Join();
        return Stopwatch.GetElapsedTime(start).TotalNanoseconds / (2 * Turns);
    }

    private static void TakeTurns(ref long word, long first)
    {
        for (long turn = first; turn < 2 * Turns; turn += 2)
        {
            while (Volatile.Read(ref word) != turn)
            {
            }

            Volatile.Write(ref word, turn + 1);
        }
    }
}
