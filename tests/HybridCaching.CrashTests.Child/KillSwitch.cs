using System.Diagnostics;

namespace HybridCaching.CrashTests.Child;

/// <summary>Ends the process at a named point as <c>kill -9</c> does.</summary>
internal sealed class KillSwitch(ChildPlan plan)
{
    private int _occurrences;

    public void Reach(string point)
    {
        Output.SayPoint(point);
        if (point != plan.KillPoint || Interlocked.Increment(ref _occurrences) != plan.KillOccurrence) return;
        long start = Stopwatch.GetTimestamp();
        while (Stopwatch.GetElapsedTime(start).TotalMicroseconds < plan.KillDelayMicroseconds)
        {
        }

        Process.GetCurrentProcess().Kill();
        Thread.Sleep(Timeout.Infinite);
    }
}
