using System.Runtime.InteropServices;

namespace HybridCaching.Devices;

/// <summary>How long a call of the kernel has still to wait, which a signal may interrupt; begins with what the kernel is told, its struct timespec.</summary>
[StructLayout(LayoutKind.Sequential)]
internal struct KernelTimeout
{
    private long _seconds;
    private long _nanoseconds;
    private readonly long _end;

    /// <summary>Begins to count.</summary>
    /// <param name="timeout">From now on; nothing if negative, but for <see cref="Timeout.InfiniteTimeSpan"/>.</param>
    public KernelTimeout(TimeSpan timeout)
    {
        _end = timeout == Timeout.InfiniteTimeSpan ? long.MaxValue : Environment.TickCount64 + (long)timeout.TotalMilliseconds;
        Tell(timeout > TimeSpan.Zero ? timeout : TimeSpan.Zero);
    }

    /// <summary>Whether there is no end, which the kernel is told by no timespec at all.</summary>
    public readonly bool IsEndless => _end == long.MaxValue;

    /// <summary>Tells what is left; false when nothing is.</summary>
    public bool TryGoOn()
    {
        if (IsEndless) return true;
        long left = Math.Max(0, _end - Environment.TickCount64);
        Tell(TimeSpan.FromMilliseconds(left));
        return left > 0;
    }

    private void Tell(TimeSpan left) => (_seconds, _nanoseconds) = (left.Ticks / TimeSpan.TicksPerSecond, left.Ticks % TimeSpan.TicksPerSecond * TimeSpan.NanosecondsPerTick);
}
