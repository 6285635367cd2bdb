using System.Diagnostics;
using System.Globalization;

namespace HybridCaching.Benchmarks.Quick;

/// <summary>How long one core takes to see what another has written. A virtual machine's cores may be near each other at one moment and far apart at the next, and whatever several threads write to follows.</summary>
internal static class HandOverFigure
{
    private const int Turns = 1_000_000;

    public static Figure Measure(string when)
    {
        long word = 0;
        long start = Stopwatch.GetTimestamp();
        var other = new Thread(() => TakeTurns(ref word, first: 1));
        other.Start();
        TakeTurns(ref word, first: 0);
        other.Join();
        double nanoseconds = Stopwatch.GetElapsedTime(start).TotalNanoseconds / (2 * Turns);
        return new Figure($"machine: a cache line handed from core to core, {when}", "", string.Create(CultureInfo.InvariantCulture, $"{nanoseconds:F0} ns"));
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
