using HybridCaching.Tests.Support;

namespace HybridCaching.Tests.SingleFlight;

public sealed class GetOrAddTests : IDisposable
{
    private readonly FasterCache<long, long> _cache = new(new FasterCacheOptions { MemoryBudget = "12MB" });

    public void Dispose() => _cache.Dispose();

    [Fact]
    public void GetOrAdd_Missing_IsTheFactorysValue() => Assert.Equal(42, _cache.GetOrAdd(1, _ => 42));

    [Fact]
    public void GetOrAdd_Missing_StoresTheValue()
    {
        _cache.GetOrAdd(1, _ => 42);
        Assert.True(_cache.TryGet(1, out long value));
        Assert.Equal(42, value);
    }

    [Fact]
    public void GetOrAdd_Present_DoesNotCallTheFactory()
    {
        _cache.Set(1, 42);
        Assert.Equal(42, _cache.GetOrAdd(1, _ => throw new FactoryFault()));
    }

    [Fact]
    public void GetOrAdd_FactoryAsksForItsOwnKey_Throws() =>
        Assert.Throws<InvalidOperationException>(() => _cache.GetOrAdd(1, key => _cache.GetOrAdd(key, _ => 42)));

    [Fact]
    public void GetOrAdd_FactoriesAskForOneAnothersKey_Throws() =>
        Assert.Throws<InvalidOperationException>(() => _cache.GetOrAdd(1, _ => _cache.GetOrAdd(2, _ => _cache.GetOrAdd(1, _ => 42))));

    [Fact]
    public void GetOrAdd_AfterAFactoryThatAskedForItsOwnKey_IsTheFactorysValue()
    {
        Assert.Throws<InvalidOperationException>(() => _cache.GetOrAdd(1, key => _cache.GetOrAdd(key, _ => 42)));
        Assert.Equal(42, _cache.GetOrAdd(1, _ => 42));
    }

    [Fact]
    public void GetOrAdd_FactoryAsksForAnotherKey_IsItsValue() => Assert.Equal(42, _cache.GetOrAdd(1, _ => _cache.GetOrAdd(2, _ => 42)));

    [Fact]
    public async Task GetOrAddAsync_Present_DoesNotCallTheFactory()
    {
        _cache.Set(1, 42);
        Assert.Equal(42, await _cache.GetOrAddAsync(1, (_, _) => throw new FactoryFault()));
    }

    [Fact]
    public async Task GetOrAddAsync_State_ReachesTheFactory() => Assert.Equal(43, await _cache.GetOrAddAsync(1, 42L, static (key, state, _) => ValueTask.FromResult(key + state)));

    [Fact]
    public void GetOrAdd_DefaultValue_IsStored()
    {
        int calls = 0;
        for (int i = 0; i < 3; i++)
        {
            Assert.Equal(0, _cache.GetOrAdd(1, _ =>
            {
                calls++;
                return 0;
            }));
        }

        Assert.Equal(1, calls);
    }

    [Fact]
    public async Task GetOrAddAsync_DefaultValue_IsStored()
    {
        int calls = 0;
        for (int i = 0; i < 3; i++)
        {
            Assert.Equal(0, await _cache.GetOrAddAsync(0, (_, _) =>
            {
                calls++;
                return ValueTask.FromResult(0L);
            }));
        }

        Assert.Equal(1, calls);
    }

    [Fact]
    public void GetOrAdd_FactoryFails_ThrowsItsException() => Assert.Throws<FactoryFault>(() => _cache.GetOrAdd(1, _ => throw new FactoryFault()));

    [Fact]
    public async Task GetOrAddAsync_FactoryFailsBeforeItsFirstAwait_ThrowsItsException() =>
        await Assert.ThrowsAsync<FactoryFault>(async () => await _cache.GetOrAddAsync(1, (_, _) => throw new FactoryFault()));

    [Fact]
    public async Task GetOrAddAsync_FactoryFailsLater_ThrowsItsException() => await Assert.ThrowsAsync<FactoryFault>(async () => await _cache.GetOrAddAsync(1, async (_, _) =>
    {
        await Task.Yield();
        throw new FactoryFault();
    }));

    [Fact]
    public async Task GetOrAddAsync_FactoryThrowsACancellationOfItsOwn_ThrowsIt() => await Assert.ThrowsAnyAsync<OperationCanceledException>(
        async () => await _cache.GetOrAddAsync(1, (_, _) => throw new OperationCanceledException("the factory's own")).AsTask().WaitAsync(Until.Deadline));

    [Fact]
    public void GetOrAdd_AfterAFailure_CallsTheFactoryAgain()
    {
        Assert.Throws<FactoryFault>(() => _cache.GetOrAdd(1, _ => throw new FactoryFault()));
        Assert.Equal(42, _cache.GetOrAdd(1, _ => 42));
    }

    [Fact]
    public void GetOrAdd_FactoryFails_StoresNothing()
    {
        Assert.Throws<FactoryFault>(() => _cache.GetOrAdd(1, _ => throw new FactoryFault()));
        Assert.False(_cache.ContainsKey(1));
    }

    [Fact]
    public void GetOrAdd_TimeToLive_Expires()
    {
        var clock = new ManualTimeProvider();
        using var cache = new FasterCache<long, long>(new FasterCacheOptions { MemoryBudget = "12MB", TimeProvider = clock });
        cache.GetOrAdd(1, _ => 1, TimeSpan.FromSeconds(5));
        clock.Advance(TimeSpan.FromSeconds(5));
        Assert.Equal(2, cache.GetOrAdd(1, _ => 2));
    }

    [Fact]
    public async Task GetOrAddAsync_AlreadyCancelled_Throws() =>
        await Assert.ThrowsAnyAsync<OperationCanceledException>(async () => await _cache.GetOrAddAsync(1, (_, _) => ValueTask.FromResult(1L), cancellationToken: new CancellationToken(true)));

    [Fact]
    public async Task GetOrAddAsync_AlreadyCancelled_DoesNotCallTheFactory()
    {
        bool called = false;
        await Assert.ThrowsAnyAsync<OperationCanceledException>(async () => await _cache.GetOrAddAsync(
            1,
            (_, _) =>
            {
                called = true;
                return ValueTask.FromResult(1L);
            },
            cancellationToken: new CancellationToken(true)));
        Assert.False(called);
    }

    [Fact]
    public void GetOrAdd_FactoryAsksForAnotherKey_IsAnswered() => Assert.Equal(12, _cache.GetOrAdd(1, _ => 10 + _cache.GetOrAdd(2, _ => 2)));

    [Fact]
    public async Task GetOrAddAsync_KeysThatCallThemselvesEqualButDifferInTheirBytes_HaveAFlightEach()
    {
        using var cache = new FasterCache<LooseKey, long>(new FasterCacheOptions { MemoryBudget = "12MB" });
        var hang = new TaskCompletionSource<long>(TaskCreationOptions.RunContinuationsAsynchronously);
        var first = cache.GetOrAddAsync(new LooseKey(1, 1), (_, _) => new ValueTask<long>(hang.Task)).AsTask();
        var second = cache.GetOrAddAsync(new LooseKey(1, 2), (_, _) => ValueTask.FromResult(2L)).AsTask();
        hang.SetResult(1);
        Assert.Equal(1, await first.WaitAsync(Until.Deadline));
        Assert.Equal(2, await second.WaitAsync(Until.Deadline));
    }
}
