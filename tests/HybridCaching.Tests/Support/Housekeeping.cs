using HybridCaching.Tiering;

namespace HybridCaching.Tests.Support;

/// <summary>Makes a cache keep house without the passing of time.</summary>
public static class Housekeeping
{
    /// <summary>Winds the clock tick by tick until something is so.</summary>
    public static void TickUntil(this ManualTimeProvider clock, Func<bool> condition, string what) => Until.True(
        () =>
        {
            clock.Advance(Housekeeper.Tick);
            return condition();
        },
        what);
}
