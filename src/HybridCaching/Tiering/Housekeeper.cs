namespace HybridCaching.Tiering;

/// <summary>A thread that does a piece of work every quarter of a second, and at once when woken.</summary>
internal sealed class Housekeeper : IDisposable
{
    /// <summary>How many ticks lie between two tries to take a folder that was not to be had: 3 seconds.</summary>
    public const int TicksPerTakeOver = 12;

    public static readonly TimeSpan Tick = TimeSpan.FromMilliseconds(250);

    public const int TicksPerMinute = 240;

    private readonly AutoResetEvent _wake = new(false);
    private readonly Thread _thread;
    private readonly ITimer _timer;
    private readonly Action _work;
    private readonly Action<Exception> _failed;
    private volatile bool _stop;

    public Housekeeper(string name, TimeProvider clock, Action work, Action<Exception> failed)
    {
        _work = work;
        _failed = failed;
        _thread = new Thread(Run) { IsBackground = true, Name = $"{name}-housekeeping" };
        _thread.UnsafeStart();
        _timer = StartTimer(clock);
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
        _timer.Dispose();
        WakeUp();
        return _thread.Join(timeout);
    }

    public void Dispose()
    {
        if (Stop(Timeout.InfiniteTimeSpan)) _wake.Dispose();
    }

    /// <summary>Without what is ambient where the cache is opened, perhaps in a request: it would be kept as long as the cache.</summary>
    private ITimer StartTimer(TimeProvider clock)
    {
        AsyncFlowControl? flow = ExecutionContext.IsFlowSuppressed() ? null : ExecutionContext.SuppressFlow();
        try
        {
            return clock.CreateTimer(static me => ((Housekeeper)me!).WakeUp(), this, Tick, Tick);
        }
        finally
        {
            flow?.Undo();
        }
    }

    private void Run()
    {
        while (true)
        {
            _wake.WaitOne();
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
