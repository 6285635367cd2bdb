using System.Diagnostics;

namespace HybridCaching.Tests.Support;

/// <summary>Waits for something that another thread or process brings about; fails when it has not happened long after it should have.</summary>
public static class Until
{
    public static readonly TimeSpan Deadline = TimeSpan.FromSeconds(30);

    public static void True(Func<bool> condition, string what)
    {
        long start = Stopwatch.GetTimestamp();
        var spin = new SpinWait();
        while (!condition())
        {
            Assert.True(Stopwatch.GetElapsedTime(start) < Deadline, $"not within {Deadline.TotalSeconds} s: {what}");
            spin.SpinOnce();
        }
    }
}
