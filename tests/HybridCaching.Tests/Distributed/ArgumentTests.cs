using System.Buffers;
using HybridCaching.Tests.Support;
using Microsoft.Extensions.Caching.Distributed;
using Microsoft.Extensions.Options;

namespace HybridCaching.Tests.Distributed;

public sealed class ArgumentTests : IDisposable
{
    private static readonly CancellationToken Cancelled = new(canceled: true);
    private static readonly byte[] SomeValue = [1, 2, 3];

    private readonly ManualTimeProvider _clock = new();
    private readonly FasterDistributedCache _cache;

    public ArgumentTests() => _cache = OpenCache.Open(clock: _clock);

    /// <summary>Calls with null for the named argument; the async ones with a cancelled token, which comes second.</summary>
    private static readonly Dictionary<string, (string ParamName, Func<FasterDistributedCache, Task> Call)> NullCalls = new()
    {
        ["Get key"] = ("key", Sync(c => c.Get(null!))),
        ["GetAsync key"] = ("key", c => c.GetAsync(null!, Cancelled)),
        ["Set key"] = ("key", Sync(c => c.Set(null!, SomeValue, OpenCache.NoExpiration))),
        ["Set value"] = ("value", Sync(c => c.Set("k", null!, OpenCache.NoExpiration))),
        ["Set options"] = ("options", Sync(c => c.Set("k", SomeValue, null!))),
        ["SetAsync key"] = ("key", c => c.SetAsync(null!, SomeValue, OpenCache.NoExpiration, Cancelled)),
        ["SetAsync value"] = ("value", c => c.SetAsync("k", null!, OpenCache.NoExpiration, Cancelled)),
        ["SetAsync options"] = ("options", c => c.SetAsync("k", SomeValue, null!, Cancelled)),
        ["Set sequence key"] = ("key", Sync(c => c.Set(null!, default(ReadOnlySequence<byte>), OpenCache.NoExpiration))),
        ["Set sequence options"] = ("options", Sync(c => c.Set("k", default(ReadOnlySequence<byte>), null!))),
        ["SetAsync sequence key"] = ("key", async c => await c.SetAsync(null!, default(ReadOnlySequence<byte>), OpenCache.NoExpiration, Cancelled)),
        ["SetAsync sequence options"] = ("options", async c => await c.SetAsync("k", default(ReadOnlySequence<byte>), null!, Cancelled)),
        ["TryGet writer key"] = ("key", Sync(c => c.TryGet(null!, new ArrayBufferWriter<byte>()))),
        ["TryGet writer destination"] = ("destination", Sync(c => c.TryGet("k", null!))),
        ["TryGetAsync key"] = ("key", async c => await c.TryGetAsync(null!, new ArrayBufferWriter<byte>(), Cancelled)),
        ["TryGetAsync destination"] = ("destination", async c => await c.TryGetAsync("k", null!, Cancelled)),
        ["TryGet span key"] = ("key", Sync(c => c.TryGet(null!, [], out _))),
        ["TryGetEntryInfo key"] = ("key", Sync(c => c.TryGetEntryInfo(null!, out _))),
        ["Refresh key"] = ("key", Sync(c => c.Refresh(null!))),
        ["RefreshAsync key"] = ("key", c => c.RefreshAsync(null!, Cancelled)),
        ["Remove key"] = ("key", Sync(c => c.Remove(null!))),
        ["RemoveAsync key"] = ("key", c => c.RemoveAsync(null!, Cancelled)),
        ["GetManyAsync keys"] = ("keys", async c => await c.GetManyAsync(null!, Cancelled)),
        ["ScanKeysAsync glob"] = ("glob", async c => await c.ScanKeysAsync(null!, Cancelled).ReadAllAsync()),
        ["ScanAsync glob"] = ("glob", async c => await c.ScanAsync(null!, Cancelled).ReadAllAsync()),
        ["RemoveByPrefixAsync prefix"] = ("prefix", async c => await c.RemoveByPrefixAsync(null!, Cancelled)),
    };

    private static readonly Dictionary<string, Func<FasterDistributedCache, CancellationToken, Task>> CancellableCalls = new()
    {
        ["GetAsync"] = (c, token) => c.GetAsync("k", token),
        ["SetAsync"] = (c, token) => c.SetAsync("k", [9], OpenCache.NoExpiration, token),
        ["SetAsync sequence"] = async (c, token) => await c.SetAsync("k", new ReadOnlySequence<byte>([9]), OpenCache.NoExpiration, token),
        ["TryGetAsync"] = async (c, token) => await c.TryGetAsync("k", new ArrayBufferWriter<byte>(), token),
        ["RefreshAsync"] = (c, token) => c.RefreshAsync("k", token),
        ["RemoveAsync"] = (c, token) => c.RemoveAsync("k", token),
        ["GetManyAsync"] = async (c, token) => await c.GetManyAsync(["k"], token),
        ["ScanKeysAsync"] = async (c, token) => await c.ScanKeysAsync("*", token).ReadAllAsync(),
        ["ScanAsync"] = async (c, token) => await c.ScanAsync("*", token).ReadAllAsync(),
        ["RemoveByPrefixAsync"] = async (c, token) => await c.RemoveByPrefixAsync("k", token),
        ["ClearAsync"] = async (c, token) => await c.ClearAsync(token),
        ["FlushAsync"] = async (c, token) => await c.FlushAsync(token),
    };

    public static TheoryData<string> NullNames => [.. NullCalls.Keys];

    public static TheoryData<string> CancellableNames => [.. CancellableCalls.Keys];

    public static TheoryData<SetMember> Setters => [.. CacheMembers.Setters];

    public void Dispose() => _cache.Dispose();

    [Fact]
    public void Constructor_OptionsNull_Throws() => Assert.Throws<ArgumentNullException>("options", () => new FasterDistributedCache((FasterDistributedCacheOptions)null!));

    [Fact]
    public void Constructor_OptionsAccessorNull_Throws() => Assert.Throws<ArgumentNullException>("options", () => new FasterDistributedCache((IOptions<FasterDistributedCacheOptions>)null!));

    [Fact]
    public void Constructor_OptionsAccessor_UsesItsValue()
    {
        using var cache = new FasterDistributedCache(Options.Create(new FasterDistributedCacheOptions { MemoryBudget = "64MB", MaximumValueBytes = 2 }));
        cache.Set("k", SomeValue, OpenCache.NoExpiration);
        Assert.Null(cache.Get("k"));
    }

    [Theory]
    [InlineData(0)]
    [InlineData((1L << 30) + 1)]
    public void Constructor_MaximumValueBytesOutOfRange_Throws(long bytes)
    {
        var failure = Assert.ThrowsAny<ArgumentException>(() => OpenCache.Open(change: o => o.MaximumValueBytes = bytes));
        Assert.Contains(nameof(FasterDistributedCacheOptions.MaximumValueBytes), failure.Message, StringComparison.Ordinal);
    }

    [Theory]
    [InlineData(0)]
    [InlineData(-5)]
    public void Constructor_DefaultSlidingExpirationNotPositive_Throws(int seconds)
    {
        var failure = Assert.ThrowsAny<ArgumentException>(() => OpenCache.Open(change: o => o.DefaultSlidingExpiration = TimeSpan.FromSeconds(seconds)));
        Assert.Contains(nameof(FasterDistributedCacheOptions.DefaultSlidingExpiration), failure.Message, StringComparison.Ordinal);
    }

    [Theory]
    [MemberData(nameof(NullNames))]
    public async Task Member_ArgumentNull_ThrowsWithItsName(string name)
    {
        var (paramName, call) = NullCalls[name];
        await Assert.ThrowsAsync<ArgumentNullException>(paramName, () => call(_cache));
    }

    [Theory]
    [MemberData(nameof(NullNames))]
    public async Task Member_ArgumentNullAfterDispose_ThrowsWithItsName(string name)
    {
        _cache.Dispose();
        var (paramName, call) = NullCalls[name];
        await Assert.ThrowsAsync<ArgumentNullException>(paramName, () => call(_cache));
    }

    [Theory]
    [MemberData(nameof(CancellableNames))]
    public async Task AsyncMember_AlreadyCancelled_Throws(string name)
    {
        _cache.Set("k", SomeValue, OpenCache.NoExpiration);
        var failure = await Assert.ThrowsAnyAsync<OperationCanceledException>(() => CancellableCalls[name](_cache, Cancelled));
        Assert.Equal(Cancelled, failure.CancellationToken);
    }

    [Theory]
    [MemberData(nameof(CancellableNames))]
    public async Task AsyncMember_AlreadyCancelled_ChangesNothing(string name)
    {
        _cache.Set("k", SomeValue, OpenCache.Sliding(TimeSpan.FromMinutes(8)));
        _clock.Advance(TimeSpan.FromMinutes(5));
        await Assert.ThrowsAnyAsync<OperationCanceledException>(() => CancellableCalls[name](_cache, Cancelled));
        Assert.Equal(TimeSpan.FromMinutes(3), _cache.Info("k").TimeLeft);
        Assert.Equal(SomeValue, _cache.Get("k"));
    }

    [Theory]
    [MemberData(nameof(CancellableNames))]
    public async Task AsyncMember_CancelledAndDisposed_IsCancelled(string name)
    {
        _cache.Dispose();
        await Assert.ThrowsAnyAsync<OperationCanceledException>(() => CancellableCalls[name](_cache, Cancelled));
    }

    [Theory]
    [MemberData(nameof(CancellableNames))]
    public async Task AsyncMember_TokenNotCancelled_Works(string name)
    {
        using var source = new CancellationTokenSource();
        Assert.Null(await Record.ExceptionAsync(() => CancellableCalls[name](_cache, source.Token)));
    }

    [Theory]
    [MemberData(nameof(Setters))]
    public async Task Set_AbsoluteExpirationNow_Throws(SetMember set) => await AssertPastIsRefusedAsync(set, _clock.GetUtcNow());

    [Theory]
    [MemberData(nameof(Setters))]
    public async Task Set_AbsoluteExpirationPast_Throws(SetMember set) => await AssertPastIsRefusedAsync(set, _clock.GetUtcNow() - TimeSpan.FromTicks(1));

    /// <summary>The clock on the wall of that zone shows a later time than ours, but the instant has passed.</summary>
    [Theory]
    [MemberData(nameof(Setters))]
    public async Task Set_AbsoluteExpirationPastElsewhere_Throws(SetMember set) =>
        await AssertPastIsRefusedAsync(set, (_clock.GetUtcNow() - TimeSpan.FromHours(1)).ToOffset(TimeSpan.FromHours(14)));

    [Theory]
    [MemberData(nameof(Setters))]
    public async Task Set_AbsoluteExpirationPast_KeepsThePreviousValue(SetMember set)
    {
        _cache.Set("k", SomeValue, OpenCache.NoExpiration);
        await Assert.ThrowsAsync<ArgumentOutOfRangeException>(() => _cache.StoreAsync(set, "k", [9], OpenCache.At(_clock.GetUtcNow())));
        Assert.Equal(SomeValue, _cache.Get("k"));
    }

    [Theory]
    [InlineData(SetMember.SetAsync)]
    [InlineData(SetMember.SetSequenceAsync)]
    public async Task SetAsync_AbsoluteExpirationPastAndCancelled_IsAnArgumentError(SetMember set) =>
        await Assert.ThrowsAsync<ArgumentOutOfRangeException>(() => _cache.StoreAsync(set, "k", SomeValue, OpenCache.At(_clock.GetUtcNow()), Cancelled));

    [Theory]
    [MemberData(nameof(Setters))]
    public async Task Set_AbsoluteExpirationPastAfterDispose_IsAnArgumentError(SetMember set)
    {
        _cache.Dispose();
        await Assert.ThrowsAsync<ArgumentOutOfRangeException>(() => _cache.StoreAsync(set, "k", SomeValue, OpenCache.At(_clock.GetUtcNow())));
    }

    private static Func<FasterDistributedCache, Task> Sync(Action<FasterDistributedCache> call) => cache =>
    {
        call(cache);
        return Task.CompletedTask;
    };

    private async Task AssertPastIsRefusedAsync(SetMember set, DateTimeOffset instant)
    {
        var failure = await Assert.ThrowsAsync<ArgumentOutOfRangeException>(() => _cache.StoreAsync(set, "k", SomeValue, OpenCache.At(instant)));
        Assert.Equal(nameof(DistributedCacheEntryOptions.AbsoluteExpiration), failure.ParamName);
        Assert.StartsWith("The absolute expiration value must be in the future.", failure.Message, StringComparison.Ordinal);
        Assert.Equal(instant, failure.ActualValue);
        Assert.Null(_cache.Get("k"));
    }
}
