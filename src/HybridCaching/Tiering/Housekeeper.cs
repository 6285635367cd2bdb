using HybridCaching.Diagnostics;

namespace HybridCaching.Tiering;

/// <summary>A thread that does a piece of work every quarter of a second, and at once when woken.</summary>
internal sealed class Housekeeper
{
    /// <summary>How many ticks lie between two tries to take a folder that was not to be had: 3 seconds.</summary>
    public const int TicksPerTakeOver = 12;

    public static readonly TimeSpan Tick = TimeSpan.FromMilliseconds(250);

    public static readonly int TicksPerMinute = (int)(TimeSpan.FromMinutes(1) / Tick);

    /// <summary>How many ticks come to a time, one at least.</summary>
    public static long TicksPer(TimeSpan time) => Math.Max(1, time.Ticks / Tick.Ticks);

    private readonly AutoResetEvent _wake = new(false);
    private readonly Thread _thread;
    private readonly ITimer? _timer;
    private readonly TimeSpan _wait;
    private readonly Action _work;
    private readonly Action<Exception> _failed;
    private volatile bool _stop;

    public Housekeeper(string name, TimeProvider clock, Action work, Action<Exception> failed)
    {
        _work = work;
        _failed = failed;
        bool waits = clock == TimeProvider.System; // a timer needs a thread of the pool, all of which may be waiting for what is done here
        _wait = waits ? Tick : Timeout.InfiniteTimeSpan;
        _timer = waits ? null : DetachedTimer.Create(clock, static me => ((Housekeeper)me!).WakeUp(), this, Tick, Tick);
        _thread = new Thread(Run) { IsBackground = true, Name = $"{name}-housekeeping" };
        try
        {
            _thread.UnsafeStart();
        }
        catch
        {
            _timer?.Dispose();
            throw;
        }
    }

    public void WakeUp()
    {
        try
        {
            _wake.Set();
        }
        catch (ObjectDisposedException)
        {
            // A last tick after the end.
        }
    }

    /// <summary>Ends the thread after the work in hand; false if that is not done in time.</summary>
    public bool Stop(TimeSpan timeout)
    {
        _stop = true;
        _timer?.Dispose();
        WakeUp();
        if (!_thread.Join(timeout)) return false;
        _wake.Dispose();
        return true;
    }

    private void Run()
    {
        while (true)
        {
            _wake.WaitOne(_wait);
            if (_stop) return;
            try
            {
                _work();
            }
            catch (Exception e)
            {
                _failed(e);
            }
        }
    }
}
