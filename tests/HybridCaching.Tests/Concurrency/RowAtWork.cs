using HybridCaching.HotTier;
using HybridCaching.Tests.Support;

namespace HybridCaching.Tests.Concurrency;

/// <summary>A row of the hot tier that somebody has locked.</summary>
internal static class RowAtWork
{
    private static readonly TimeSpan Moment = TimeSpan.FromMilliseconds(200);

    /// <summary>Runs a call on a thread of its own, begins it while the row of a key is locked, and waits for its end.</summary>
    /// <param name="tiers">The tiers of the cache.</param>
    /// <param name="hash">The hash of the key.</param>
    /// <param name="call">The call.</param>
    public static void Meet(object tiers, ulong hash, Action call)
    {
        var rows = PrivateField.Of<HotRows>(tiers, "_rows");
        rows.Lock(hash);
        var thread = Crew.Start(call);
        thread.Join(Moment); // who waits for the row goes on waiting
        rows.UnlockUnchanged(hash);
        Assert.True(thread.Join(Until.Deadline));
    }
}
