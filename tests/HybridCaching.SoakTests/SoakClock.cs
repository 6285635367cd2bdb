namespace HybridCaching.SoakTests;

/// <summary>The clock that decides when entries expire: a day goes by while the work is done, however long that takes.</summary>
internal sealed class SoakClock(long operations) : TimeProvider
{
    private static readonly DateTimeOffset Start = new(2026, 1, 1, 0, 0, 0, TimeSpan.Zero);

    private long _ticks = Start.Ticks;

    public long Ticks => Volatile.Read(ref _ticks);

    /// <summary>So many operations have begun.</summary>
    public void MoveTo(long operation) => Monotonic.Raise(ref _ticks, Start.Ticks + (long)(TimeSpan.TicksPerDay * (operation / (double)operations)));

    public override DateTimeOffset GetUtcNow() => new(Ticks, TimeSpan.Zero);
}
