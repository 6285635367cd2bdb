using System.Diagnostics;
using System.Runtime.InteropServices;

namespace HybridCaching.Throughput.Native;

/// <summary>Sleeps until a point in time, some 20 µs late on Linux, where <see cref="Thread.Sleep(int)"/> knows milliseconds. Elsewhere it waits on the processor.</summary>
internal static unsafe partial class ExactSleep
{
    private const string Library = "libc";
    private const int TimerSlack = 29; // PR_SET_TIMERSLACK
    private const int Monotonic = 1; // CLOCK_MONOTONIC, that of Stopwatch
    private const int Absolute = 1; // TIMER_ABSTIME
    private const long Second = 1_000_000_000;

    /// <summary>From now on the system wakes this thread when its time has come, and not up to 50 µs later together with others.</summary>
    public static void PrepareThread()
    {
        if (OperatingSystem.IsLinux()) _ = Control(TimerSlack, 1, 0, 0, 0);
    }

    /// <summary>Returns at once if the time has passed.</summary>
    /// <param name="due">In ticks of <see cref="Stopwatch"/>.</param>
    public static void Until(long due)
    {
        while (Stopwatch.GetTimestamp() < due)
        {
            if (OperatingSystem.IsLinux() && Stopwatch.Frequency == Second) Sleep(due);
            else Thread.SpinWait(1);
        }
    }

    private static void Sleep(long due)
    {
        nint* time = stackalloc nint[] { (nint)(due / Second), (nint)(due % Second) };
        _ = ClockSleep(Monotonic, Absolute, time, null);
    }

    [LibraryImport(Library, EntryPoint = "clock_nanosleep")]
    private static partial int ClockSleep(int clock, int flags, nint* time, nint* left);

    [LibraryImport(Library, EntryPoint = "prctl")]
    private static partial int Control(int what, nuint value, nuint third, nuint fourth, nuint fifth);
}
