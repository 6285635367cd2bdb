namespace HybridCaching.Records;

/// <summary>When an entry of the bytes cache expires. All times are UTC ticks; 0 stands for never.</summary>
/// <param name="Deadline">When it expires unless it is read before.</param>
/// <param name="Window">How long it lives after it was read last; 0 if reading does not prolong it.</param>
/// <param name="Cap">When it expires however often it is read.</param>
internal readonly record struct Lifetime(long Deadline, long Window, long Cap)
{
    /// <summary>A deadline is renewed once this share of the window has passed: what is read all the time is not written all the time.</summary>
    private const int RenewalsPerWindow = 8;

    /// <summary>A lifetime that begins now.</summary>
    /// <param name="now">The time, in UTC ticks.</param>
    /// <param name="absolute">When it ends at the latest, in UTC ticks; 0 for never.</param>
    /// <param name="window">The sliding window in ticks; 0 for none.</param>
    public static Lifetime From(long now, long absolute, long window) => window == 0 ? new(absolute, 0, 0) : new(Next(now, absolute, window), window, absolute);

    /// <summary>A time so far ahead that it cannot be told is never.</summary>
    public static long After(long now, long ticks) => ticks > DateTime.MaxValue.Ticks - now ? 0 : now + ticks;

    /// <summary>Whether it is over: from the deadline on.</summary>
    public bool IsOver(long now) => Deadline != 0 && now >= Deadline;

    /// <summary>The deadline of an entry that is read now; the same as before if that is not worth a write.</summary>
    public long Renewed(long now)
    {
        if (Window == 0 || Deadline == 0) return Deadline;
        long next = Next(now, Cap, Window);
        return next == 0 || next - Deadline >= Math.Max(1, Window / RenewalsPerWindow) || (next == Cap && next > Deadline) ? next : Deadline;
    }

    private static long Next(long now, long cap, long window)
    {
        long next = After(now, window);
        return cap != 0 && (next == 0 || next > cap) ? cap : next;
    }
}
