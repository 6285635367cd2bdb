namespace HybridCaching.Tests.Support;

/// <summary>A clock that moves only when told to. Its timers fire on the thread that moves it, in the order they are due.</summary>
public sealed class ManualTimeProvider : TimeProvider
{
    private readonly Lock _lock = new();
    private readonly List<ManualTimer> _timers = [];
    private DateTimeOffset _utcNow;
    private long _elapsedTicks;

    public ManualTimeProvider(DateTimeOffset? start = null) => _utcNow = start ?? new DateTimeOffset(2026, 1, 1, 0, 0, 0, TimeSpan.Zero);

    public override long TimestampFrequency => TimeSpan.TicksPerSecond;

    public override TimeZoneInfo LocalTimeZone => TimeZoneInfo.Utc;

    /// <summary>How many timers are set.</summary>
    public int ActiveTimers
    {
        get
        {
            lock (_lock) return _timers.Count(t => t.DueTicks is not null);
        }
    }

    public override DateTimeOffset GetUtcNow()
    {
        lock (_lock) return _utcNow;
    }

    public override long GetTimestamp()
    {
        lock (_lock) return _elapsedTicks;
    }

    /// <summary>Moves the clock on and fires what falls due, each timer at its moment.</summary>
    public void Advance(TimeSpan by)
    {
        ArgumentOutOfRangeException.ThrowIfLessThan(by, TimeSpan.Zero);
        long end;
        lock (_lock) end = _elapsedTicks + by.Ticks;
        while (true)
        {
            ManualTimer? next;
            lock (_lock)
            {
                next = _timers.Where(t => t.DueTicks <= end).MinBy(t => t.DueTicks);
                MoveToNeedsLock(Math.Max(_elapsedTicks, next?.DueTicks ?? end));
                if (next is null) return;
                next.DueTicks = next.PeriodTicks is { } period ? next.DueTicks + period : null;
            }

            next.Fire();
        }
    }

    /// <summary>Sets the wall clock, also backwards. Timers and timestamps do not notice.</summary>
    public void SetUtcNow(DateTimeOffset now)
    {
        lock (_lock) _utcNow = now;
    }

    public override ITimer CreateTimer(TimerCallback callback, object? state, TimeSpan dueTime, TimeSpan period)
    {
        var timer = new ManualTimer(this, callback, state);
        lock (_lock) _timers.Add(timer);
        timer.Change(dueTime, period);
        return timer;
    }

    private void MoveToNeedsLock(long ticks)
    {
        _utcNow += TimeSpan.FromTicks(ticks - _elapsedTicks);
        _elapsedTicks = ticks;
    }

    private sealed class ManualTimer(ManualTimeProvider clock, TimerCallback callback, object? state) : ITimer
    {
        public long? DueTicks { get; set; }

        public long? PeriodTicks { get; private set; }

        public void Fire() => callback(state);

        public bool Change(TimeSpan dueTime, TimeSpan period)
        {
            lock (clock._lock)
            {
                if (!clock._timers.Contains(this)) return false;
                DueTicks = dueTime == Timeout.InfiniteTimeSpan ? null : clock._elapsedTicks + dueTime.Ticks;
                PeriodTicks = period == Timeout.InfiniteTimeSpan || period == TimeSpan.Zero ? null : period.Ticks;
            }

            if (dueTime == TimeSpan.Zero) clock.Advance(TimeSpan.Zero);
            return true;
        }

        public void Dispose()
        {
            lock (clock._lock) clock._timers.Remove(this);
        }

        public ValueTask DisposeAsync()
        {
            Dispose();
            return ValueTask.CompletedTask;
        }
    }
}
