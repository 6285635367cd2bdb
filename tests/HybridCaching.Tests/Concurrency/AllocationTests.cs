using System.Runtime.CompilerServices;

namespace HybridCaching.Tests.Concurrency;

/// <summary>A hit in memory allocates nothing, whichever member asks.</summary>
public sealed class AllocationTests : IDisposable
{
    private const int WarmUps = 40_000;
    private const int Calls = 10_000;
    private const long Key = 42;

    private readonly TestDirectory _directory = new();
    private readonly FasterCache<long, Quint> _cache;
    private Quint _value = Quint.Of(Key, 1, 1);

    public AllocationTests()
    {
        _cache = new FasterCache<long, Quint>(new FasterCacheOptions { Directory = _directory.Path, MemoryBudget = "12MB", DiskBudget = "32MB" });
        _cache.Set(Key, in _value);
    }

    public void Dispose()
    {
        _cache.Dispose();
        _directory.Dispose();
    }

    [Fact]
    public void TryGet_MemoryHit_AllocatesNothing() => AssertAllocatesNothing(this, static me => me._cache.TryGet(Key, out _));

    [Fact]
    public void TryGet_NeverStored_AllocatesNothing() => AssertAllocatesNothing(this, static me => !me._cache.TryGet(Key + 1_000, out _));

    [Fact]
    public void TryGetFromMemory_MemoryHit_AllocatesNothing() => AssertAllocatesNothing(this, static me => me._cache.TryGetFromMemory(Key, out _));

    [Fact]
    public void ContainsKey_MemoryHit_AllocatesNothing() => AssertAllocatesNothing(this, static me => me._cache.ContainsKey(Key));

    [Fact]
    public void GetAsync_MemoryHit_AllocatesNothing() => AssertAllocatesNothing(this, static me => me._cache.GetAsync(Key).Result is not null);

    [Fact]
    public void GetAsync_MemoryHitWithToken_AllocatesNothing()
    {
        using var cancel = new CancellationTokenSource();
        AssertAllocatesNothing((_cache, cancel.Token), static me => me._cache.GetAsync(Key, me.Token).Result is not null);
    }

    [Fact]
    public void Set_InPlace_AllocatesNothing() => AssertAllocatesNothing(this, static me =>
    {
        me._cache.Set(Key, in me._value);
        return true;
    });

    [Fact]
    public void Set_InPlaceWithTimeToLive_AllocatesNothing() => AssertAllocatesNothing(this, static me =>
    {
        me._cache.Set(Key, in me._value, TimeSpan.FromHours(1));
        return true;
    });

    [Fact]
    public void SetAsync_InPlace_AllocatesNothing() => AssertAllocatesNothing(this, static me => me._cache.SetAsync(Key, me._value).IsCompletedSuccessfully);

    [Fact]
    public void Touch_MemoryHit_AllocatesNothing() => AssertAllocatesNothing(this, static me => me._cache.Touch(Key, TimeSpan.FromHours(1)));

    [Fact]
    public void TryAdd_MemoryHit_AllocatesNothing() => AssertAllocatesNothing(this, static me => !me._cache.TryAdd(Key, in me._value));

    [Fact]
    public void GetOrAdd_MemoryHit_AllocatesNothing() => AssertAllocatesNothing(this, static me => me._cache.GetOrAdd(Key, static key => Quint.Of(key, 2, 2)).IsWhole);

    [Fact]
    public void GetOrAddAsync_MemoryHit_AllocatesNothing() =>
        AssertAllocatesNothing(this, static me => me._cache.GetOrAddAsync(Key, static (key, _) => ValueTask.FromResult(Quint.Of(key, 2, 2))).Result.IsWhole);

    [Fact]
    public void GetOrAddAsync_MemoryHitWithState_AllocatesNothing() =>
        AssertAllocatesNothing(this, static me => me._cache.GetOrAddAsync(Key, me, static (key, state, _) => ValueTask.FromResult(state._value)).Result.IsWhole);

    private static void AssertAllocatesNothing<TState>(TState state, Func<TState, bool> call)
    {
        Repeat(state, call, WarmUps);
        long least = long.MaxValue;
        for (int round = 0; round < 5; round++)
        {
            // A session is made the first time a core needs one; what a call allocates would show in every round.
            long before = GC.GetAllocatedBytesForCurrentThread();
            Repeat(state, call, Calls);
            least = Math.Min(least, GC.GetAllocatedBytesForCurrentThread() - before);
        }

        Assert.Equal(0, least);
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    private static void Repeat<TState>(TState state, Func<TState, bool> call, int times)
    {
        for (int i = 0; i < times; i++)
        {
            if (!call(state)) throw new InvalidOperationException("the call had another outcome than expected");
        }
    }
}
