using HybridCaching.Tests.Concurrency;
using HybridCaching.Tests.Support;

namespace HybridCaching.Tests.SingleFlight;

/// <summary>What happens while a factory runs.</summary>
public sealed class GetOrAddFlightTests : IDisposable
{
    private const long Key = 7;

    private readonly FasterCache<long, long> _cache = new(new FasterCacheOptions { MemoryBudget = "12MB" });
    private readonly TaskCompletionSource<long> _made = new(TaskCreationOptions.RunContinuationsAsynchronously);
    private int _calls;

    public void Dispose()
    {
        _made.TrySetResult(0);
        _cache.Dispose();
    }

    [Fact]
    public async Task GetOrAddAsync_FlightRunning_JoinsIt()
    {
        var waiters = Enumerable.Range(0, 50).Select(_ => AskAsync()).ToList();
        _made.SetResult(42);
        Assert.All(await Task.WhenAll(waiters).WaitAsync(Until.Deadline), value => Assert.Equal(42, value));
        Assert.Equal(1, _calls);
    }

    [Fact]
    public async Task GetOrAdd_AsyncFlightRunning_JoinsIt()
    {
        var asked = AskAsync();
        long value = 0;
        var waiter = Crew.Start(() => value = _cache.GetOrAdd(Key, _ => -1));
        Until.True(() => (waiter.ThreadState & ThreadState.WaitSleepJoin) != 0, "the caller waits");
        _made.SetResult(42);
        Assert.True(waiter.Join(Until.Deadline));
        Assert.Equal(42, value);
        await asked;
    }

    [Fact]
    public async Task GetOrAddAsync_SyncFlightRunning_JoinsIt()
    {
        using var make = new ManualResetEventSlim();
        using var making = new ManualResetEventSlim();
        var pilot = Crew.Start(() => _cache.GetOrAdd(Key, _ =>
        {
            making.Set();
            make.Wait(Until.Deadline);
            return 42;
        }));
        making.Wait(Until.Deadline);
        var asked = AskAsync();
        make.Set();
        Assert.Equal(42, await asked.WaitAsync(Until.Deadline));
        Assert.True(pilot.Join(Until.Deadline));
        Assert.Equal(0, _calls);
    }

    [Fact]
    public async Task GetOrAddAsync_FactoryFails_FailsEveryWaiter()
    {
        var waiters = Enumerable.Range(0, 20).Select(_ => AskAsync()).ToList();
        _made.SetException(new FactoryFault());
        foreach (var waiter in waiters) await Assert.ThrowsAsync<FactoryFault>(() => waiter.WaitAsync(Until.Deadline));
        Assert.False(_cache.ContainsKey(Key));
    }

    [Fact]
    public async Task GetOrAddAsync_OtherFactoryHangs_IsNotHeldUp()
    {
        var hanging = AskAsync();
        Assert.Equal(1, await _cache.GetOrAddAsync(Key + 1, (_, _) => ValueTask.FromResult(1L)).AsTask().WaitAsync(Until.Deadline));
        Assert.False(hanging.IsCompleted);
    }

    [Fact]
    public async Task GetOrAddAsync_NeighbourOfAHangingKey_IsNotHeldUp()
    {
        var hanging = AskAsync();
        for (long key = Key - 3; key < Key; key++) Assert.Equal(key, await _cache.GetOrAddAsync(key, (k, _) => ValueTask.FromResult(k)).AsTask().WaitAsync(Until.Deadline));
        Assert.False(hanging.IsCompleted);
    }

    [Fact]
    public async Task GetOrAddAsync_WaiterCancelled_LeavesTheOthers()
    {
        using var cancel = new CancellationTokenSource();
        var staying = AskAsync();
        var leaving = AskAsync(cancel.Token);
        await cancel.CancelAsync();
        await Assert.ThrowsAnyAsync<OperationCanceledException>(() => leaving.WaitAsync(Until.Deadline));
        _made.SetResult(42);
        Assert.Equal(42, await staying.WaitAsync(Until.Deadline));
    }

    [Fact]
    public async Task GetOrAddAsync_PilotCancelled_LeavesTheOthers()
    {
        using var cancel = new CancellationTokenSource();
        var pilot = AskAsync(cancel.Token);
        var staying = AskAsync();
        await cancel.CancelAsync();
        await Assert.ThrowsAnyAsync<OperationCanceledException>(() => pilot.WaitAsync(Until.Deadline));
        _made.SetResult(42);
        Assert.Equal(42, await staying.WaitAsync(Until.Deadline));
    }

    [Fact]
    public async Task GetOrAddAsync_SomeWaitersCancelled_DoesNotCancelTheFactory()
    {
        using var cancel = new CancellationTokenSource();
        var seen = CancellationToken.None;
        var staying = _cache.GetOrAddAsync(Key, (_, token) =>
        {
            seen = token;
            return new ValueTask<long>(_made.Task);
        }).AsTask();
        var leaving = AskAsync(cancel.Token);
        await cancel.CancelAsync();
        await Assert.ThrowsAnyAsync<OperationCanceledException>(() => leaving.WaitAsync(Until.Deadline));
        Assert.False(seen.IsCancellationRequested);
        Assert.False(staying.IsCompleted);
    }

    [Fact]
    public async Task GetOrAddAsync_AllWaitersCancelled_CancelsTheFactory()
    {
        using var cancel = new CancellationTokenSource();
        var cancelled = new TaskCompletionSource(TaskCreationOptions.RunContinuationsAsynchronously);
        var waiter = _cache.GetOrAddAsync(
            Key,
            async (_, token) =>
            {
                try
                {
                    return await _made.Task.WaitAsync(token);
                }
                catch (OperationCanceledException)
                {
                    cancelled.SetResult();
                    throw;
                }
            },
            cancellationToken: cancel.Token).AsTask();
        await cancel.CancelAsync();
        await cancelled.Task.WaitAsync(Until.Deadline);
        await Assert.ThrowsAnyAsync<OperationCanceledException>(() => waiter.WaitAsync(Until.Deadline));
    }

    [Fact]
    public async Task GetOrAddAsync_AfterAllWaitersLeft_StartsAnew()
    {
        using var cancel = new CancellationTokenSource();
        var waiter = AskAsync(cancel.Token);
        await cancel.CancelAsync();
        await Assert.ThrowsAnyAsync<OperationCanceledException>(() => waiter.WaitAsync(Until.Deadline));
        Assert.Equal(43, await _cache.GetOrAddAsync(Key, (_, _) => ValueTask.FromResult(43L)).AsTask().WaitAsync(Until.Deadline));
    }

    [Fact]
    public async Task GetOrAddAsync_WhileTheLastWaiterLeaves_IsAnsweredAllTheSame()
    {
        for (int round = 0; round < 300; round++)
        {
            long key = 1000 + round;
            var release = new TaskCompletionSource(TaskCreationOptions.RunContinuationsAsynchronously);
            using var cancel = new CancellationTokenSource();
            async ValueTask<long> Make(long k, CancellationToken token)
            {
                await release.Task.WaitAsync(token);
                return k;
            }

            var leaving = _cache.GetOrAddAsync(key, Make, cancellationToken: cancel.Token).AsTask();
            Task<long>? newcomer = null;
            Crew.Run(cancel.Cancel, () => newcomer = _cache.GetOrAddAsync(key, Make).AsTask());
            release.SetResult();
            Assert.Equal(key, await newcomer!.WaitAsync(Until.Deadline));
            await Assert.ThrowsAnyAsync<OperationCanceledException>(() => leaving.WaitAsync(Until.Deadline));
        }
    }

    [Fact]
    public async Task GetOrAddAsync_SetMeanwhile_GivesTheWaitersTheFactorysValue()
    {
        var waiter = AskAsync();
        _cache.Set(Key, 1);
        _made.SetResult(42);
        Assert.Equal(42, await waiter.WaitAsync(Until.Deadline));
    }

    [Fact]
    public async Task GetOrAddAsync_SetMeanwhile_StoresNothing()
    {
        var waiter = AskAsync();
        _cache.Set(Key, 1);
        _made.SetResult(42);
        await waiter.WaitAsync(Until.Deadline);
        Assert.Equal(1, await _cache.GetAsync(Key));
    }

    [Fact]
    public async Task GetOrAddAsync_RemovedMeanwhile_StoresNothing()
    {
        var waiter = AskAsync();
        _cache.Remove(Key);
        _made.SetResult(42);
        Assert.Equal(42, await waiter.WaitAsync(Until.Deadline));
        Assert.Null(await _cache.GetAsync(Key));
    }

    [Fact]
    public async Task GetOrAddAsync_ClearedMeanwhile_StoresNothing()
    {
        var waiter = AskAsync();
        _cache.Clear();
        _made.SetResult(42);
        Assert.Equal(42, await waiter.WaitAsync(Until.Deadline));
        Assert.Null(await _cache.GetAsync(Key));
    }

    [Fact]
    public async Task GetOrAdd_RemovedMeanwhile_StoresNothing()
    {
        Assert.Equal(42, _cache.GetOrAdd(Key, key =>
        {
            _cache.Remove(key);
            return 42;
        }));
        Assert.Null(await _cache.GetAsync(Key));
    }

    [Fact]
    public async Task GetOrAddAsync_AfterARemoval_DoesNotJoinTheFlightFromBefore()
    {
        var before = AskAsync();
        _cache.Remove(Key);
        Assert.Equal(43, await _cache.GetOrAddAsync(Key, (_, _) => ValueTask.FromResult(43L)).AsTask().WaitAsync(Until.Deadline));
        _made.SetResult(42);
        Assert.Equal(42, await before.WaitAsync(Until.Deadline));
        Assert.Equal(43, await _cache.GetAsync(Key));
    }

    [Fact]
    public async Task GetOrAddAsync_NeighbourSetMeanwhile_StoresTheValue()
    {
        var waiter = AskAsync();
        for (long key = Key - 3; key < Key; key++) _cache.Set(key, 1);
        _made.SetResult(42);
        await waiter.WaitAsync(Until.Deadline);
        Assert.Equal(42, await _cache.GetAsync(Key));
    }

    private Task<long> AskAsync(CancellationToken cancellationToken = default) => _cache.GetOrAddAsync(
        Key,
        (_, _) =>
        {
            Interlocked.Increment(ref _calls);
            return new ValueTask<long>(_made.Task);
        },
        cancellationToken: cancellationToken).AsTask();
}
