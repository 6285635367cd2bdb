using HybridCaching.Tests.Concurrency;

namespace HybridCaching.Tests.SingleFlight;

public sealed class AbandonedFlightTests
{
    [Fact]
    public async Task GetOrAddAsync_AbandonedFactoryEndsAfterASet_DoesNotOverwriteIt()
    {
        using var cache = new FasterCache<long, long>(new FasterCacheOptions { MemoryBudget = "16MB" });
        using var cancel = new CancellationTokenSource();
        var first = new TaskCompletionSource<long>();
        var second = new TaskCompletionSource<long>();

        var a = cache.GetOrAddAsync(1, (_, _) => new ValueTask<long>(first.Task), cancellationToken: cancel.Token).AsTask();
        await cancel.CancelAsync();
        await Assert.ThrowsAnyAsync<OperationCanceledException>(() => a);
        var b = cache.GetOrAddAsync(1, (_, _) => new ValueTask<long>(second.Task)).AsTask(); // cannot board: takes the flight off the table
        cache.Set(1, 3);
        End(first);
        Assert.True(cache.TryGet(1, out long value));
        second.SetResult(2);
        await b;
        Assert.Equal(3, value);
    }

    [Fact]
    public async Task GetOrAddAsync_AbandonedFactoryEndsAfterItsSuccessor_DoesNotOverwriteIt()
    {
        using var cache = new FasterCache<long, long>(new FasterCacheOptions { MemoryBudget = "16MB" });
        using var cancel = new CancellationTokenSource();
        var first = new TaskCompletionSource<long>();
        var a = cache.GetOrAddAsync(1, (_, _) => new ValueTask<long>(first.Task), cancellationToken: cancel.Token).AsTask();
        await cancel.CancelAsync();
        await Assert.ThrowsAnyAsync<OperationCanceledException>(() => a);
        Assert.Equal(2, await cache.GetOrAddAsync(1, (_, _) => new ValueTask<long>(2)));
        Assert.True(cache.Remove(1));
        End(first);
        Assert.False(cache.TryGet(1, out _));
    }

    /// <summary>Ends the factory that nobody waits for any more, on a thread on which all that follows runs at once.</summary>
    private static void End(TaskCompletionSource<long> factory) => Crew.MustEnd("the factory", () => factory.SetResult(1));
}
