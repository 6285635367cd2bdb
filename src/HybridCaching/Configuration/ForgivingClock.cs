namespace HybridCaching.Configuration;

/// <summary>The user's clock. While it throws, it stands still: the time is asked for in places where nobody could go on without.</summary>
internal sealed class ForgivingClock : TimeProvider
{
    private readonly TimeProvider _clock;
    private long _latest = DateTimeOffset.UnixEpoch.Ticks;

    private ForgivingClock(TimeProvider clock) => _clock = clock;

    /// <summary>The clock itself if it is the system's, which does not throw.</summary>
    public static TimeProvider Of(TimeProvider clock) => clock == System ? clock : new ForgivingClock(clock);

    public override DateTimeOffset GetUtcNow()
    {
        try
        {
            var now = _clock.GetUtcNow();
            Volatile.Write(ref _latest, now.UtcTicks);
            return now;
        }
        catch (Exception)
        {
            return new DateTimeOffset(Volatile.Read(ref _latest), TimeSpan.Zero);
        }
    }
}
