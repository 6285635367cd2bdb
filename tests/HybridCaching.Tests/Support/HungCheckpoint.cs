using HybridCaching.Diagnostics;

namespace HybridCaching.Tests.Support;

/// <summary>A checkpoint that hangs when its manifest is in its place and nobody knows yet. For tests that run alone, who take <see cref="Fault.Reached"/> back.</summary>
internal static class HungCheckpoint
{
    /// <summary>Takes one, and gives it up.</summary>
    /// <param name="cache">The cache.</param>
    /// <param name="hang">Returns when it may go on.</param>
    public static async Task GiveUpCheckpointAsync(this FasterCache<long, Stamp> cache, Action hang)
    {
        var hangs = new TaskCompletionSource();
        Fault.Reached = point =>
        {
            if (point == "checkpoint.after-manifest" && hangs.TrySetResult()) hang();
        };
        using var stop = new CancellationTokenSource();
        var checkpoint = cache.Tiers.CheckpointAsync(stop.Token);
        await hangs.Task.WaitAsync(Until.Deadline);
        var waiting = Task.Run(() => cache.ContainsKey(-1)); // or the disk would have its timeout to end it
        Until.True(() => cache.Tiers.Sessions.IsWaitedFor, "a call waits");
        await stop.CancelAsync();
        Assert.False(await checkpoint.WaitAsync(Until.Deadline));
        await waiting.WaitAsync(Until.Deadline);
    }
}
