using System.Diagnostics;

namespace HybridCaching.Tests.Support;

/// <summary>Notes how long the machine itself stood still, so that a time limit can be strict without being at its mercy.</summary>
internal sealed class Metronome : IDisposable
{
    private static readonly TimeSpan Beat = TimeSpan.FromMilliseconds(10);

    private readonly Thread _thread;
    private long _longest;
    private volatile bool _stop;

    public Metronome()
    {
        _thread = new Thread(Run) { IsBackground = true, Priority = ThreadPriority.Highest };
        _thread.Start();
    }

    /// <summary>The longest time by which a beat was late.</summary>
    public TimeSpan LongestStall => TimeSpan.FromTicks(Interlocked.Read(ref _longest));

    public void Dispose()
    {
        _stop = true;
        _thread.Join();
    }

    private void Run()
    {
        while (!_stop)
        {
            long start = Stopwatch.GetTimestamp();
            Thread.Sleep(Beat);
            long late = (Stopwatch.GetElapsedTime(start) - Beat).Ticks;
            if (late > _longest) Interlocked.Exchange(ref _longest, late);
        }
    }
}
