using System.Diagnostics.Metrics;
using Microsoft.Extensions.Logging;
using Microsoft.Extensions.Logging.Abstractions;
using Microsoft.Extensions.Options;

namespace HybridCaching.Tests.Architecture;

/// <summary>Code of a user who read the page of the public surface: it must compile as written, names of parameters included, and do what the page says.</summary>
public sealed class ApiPageTests : IDisposable
{
    private const long Key = 42;
    private static readonly Quote Ten = new(10, 1);
    private static readonly Quote Twenty = new(20, 2);

    private readonly FasterCache<long, Quote> _cache = new(options: MemoryOnly(), loggerFactory: null, meterFactory: null);

    public readonly record struct Quote(double Price, long Volume);

    public void Dispose() => _cache.Dispose();

    [Fact]
    public void Constructor_IOptionsLoggerAndMeterFactory_MakesAWorkingCache()
    {
        ILoggerFactory loggers = NullLoggerFactory.Instance;
        using IMeterFactory meters = new SingleMeterFactory();
        IOptions<FasterCacheOptions> options = Options.Create(MemoryOnly());
        using var cache = new FasterCache<long, Quote>(options: options, loggerFactory: loggers, meterFactory: meters);

        cache.Set(key: Key, value: Ten);

        Assert.True(cache.TryGet(key: Key, value: out _));
    }

    [Fact]
    public void Options_EveryProperty_TakesItsDocumentedType()
    {
        var options = new FasterCacheOptions
        {
            Name = "quotes",
            Directory = "cache",
            MemoryBudget = "64MB",
            DiskBudget = 1L << 32,
            DefaultTimeToLive = TimeSpan.FromMinutes(5),
            CheckpointInterval = TimeSpan.FromSeconds(30),
            DiskTimeout = TimeSpan.FromSeconds(1),
            WhenDirectoryUnavailable = DirectoryUnavailable.Throw,
            SchemaVersion = 1,
            TimeProvider = TimeProvider.System,
        };

        Assert.Same(options, ((IOptions<FasterCacheOptions>)options).Value);
    }

    [Fact]
    public void TryGet_StoredKey_ReturnsTheValue()
    {
        _cache.Set(key: Key, value: in Ten, timeToLive: TimeSpan.FromMinutes(5));

        Assert.True(_cache.TryGet(key: Key, value: out Quote value));
        Assert.Equal(Ten, value);
    }

    [Fact]
    public void TryGetFromMemory_FreshKey_ReturnsTheValue()
    {
        _cache.Set(key: Key, value: Ten);

        Assert.True(_cache.TryGetFromMemory(key: Key, value: out Quote value));
        Assert.Equal(Ten, value);
    }

    [Fact]
    public async Task GetAsync_MissingKey_IsNull()
    {
        Quote? missing = await _cache.GetAsync(key: Key, cancellationToken: CancellationToken.None);

        Assert.Null(missing);
    }

    [Fact]
    public async Task SetAsync_ThenGetAsync_ReturnsTheValue()
    {
        await _cache.SetAsync(key: Key, value: Ten, timeToLive: null, cancellationToken: CancellationToken.None);

        ValueTask<Quote?> pending = _cache.GetAsync(key: Key);

        Assert.Equal(Ten, await pending);
    }

    [Fact]
    public void TryAdd_ExistingKey_KeepsTheFirstValue()
    {
        Assert.True(_cache.TryAdd(key: Key, value: in Ten, timeToLive: null));

        Assert.False(_cache.TryAdd(key: Key, value: Twenty));
        Assert.True(_cache.TryGet(Key, out var value));
        Assert.Equal(Ten, value);
    }

    [Fact]
    public void Remove_ExistingKey_LeavesNoEntry()
    {
        _cache.Set(Key, Ten);

        Assert.True(_cache.Remove(key: Key));
        Assert.False(_cache.ContainsKey(key: Key));
    }

    [Fact]
    public void Touch_MissingKey_IsFalse() => Assert.False(_cache.Touch(key: Key, timeToLive: TimeSpan.FromMinutes(1)));

    [Fact]
    public void Touch_ExistingKey_IsTrue()
    {
        _cache.Set(Key, Ten);

        Assert.True(_cache.Touch(key: Key, timeToLive: TimeSpan.FromMinutes(1)));
    }

    [Fact]
    public void GetOrAdd_SecondCall_ReturnsTheCachedValue()
    {
        Func<long, Quote> factory = key => new Quote(key, 1);
        Quote first = _cache.GetOrAdd(key: Key, factory: factory, timeToLive: TimeSpan.FromMinutes(1));

        Assert.Equal(first, _cache.GetOrAdd(Key, _ => Twenty));
    }

    [Fact]
    public async Task GetOrAddAsync_MissingKey_ReturnsWhatTheFactoryMade()
    {
        ValueTask<Quote> pending = _cache.GetOrAddAsync(
            key: Key, factory: (key, token) => ValueTask.FromResult(Ten), timeToLive: null, cancellationToken: CancellationToken.None);

        Assert.Equal(Ten, await pending);
    }

    [Fact]
    public async Task GetOrAddAsync_AsyncLambda_NeedsNoTypeArguments()
    {
        var value = await _cache.GetOrAddAsync(Key, async (key, token) => await Task.FromResult(new Quote(key, 1)));

        Assert.Equal(new Quote(Key, 1), value);
    }

    [Fact]
    public async Task GetOrAddAsync_WithState_HandsTheStateToTheFactory()
    {
        Quote value = await _cache.GetOrAddAsync(
            key: Key, state: 5.0, factory: static (key, state, token) => ValueTask.FromResult(new Quote(state, key)), timeToLive: null, cancellationToken: CancellationToken.None);

        Assert.Equal(new Quote(5.0, Key), value);
    }

    [Fact]
    public void Clear_FullCache_LeavesNothing()
    {
        _cache.Set(Key, Ten);

        _cache.Clear();

        Assert.False(_cache.TryGet(Key, out _));
    }

    [Fact]
    public async Task FlushAsync_MemoryOnlyCache_KeepsTheEntries()
    {
        _cache.Set(Key, Ten);

        await _cache.FlushAsync(cancellationToken: CancellationToken.None);

        Assert.True(_cache.ContainsKey(Key));
    }

    [Fact]
    public void EstimatedCount_OneEntry_IsOne()
    {
        _cache.Set(Key, Ten);

        long count = _cache.EstimatedCount;

        Assert.Equal(1, count);
    }

    [Fact]
    public void GetStatistics_HitAndMiss_AreCounted()
    {
        _cache.Set(Key, Ten);
        _cache.TryGet(Key, out _);
        _cache.TryGet(Key + 1, out _);

        CacheStatistics statistics = _cache.GetStatistics();

        Assert.Equal((1, 1, 1), (statistics.Writes, statistics.MemoryHits, statistics.Misses));
    }

    [Fact]
    public void GetMemoryUsage_OpenCache_IsWithinTheBudget()
    {
        MemoryUsage usage = _cache.GetMemoryUsage();

        Assert.Equal(MemoryOnly().MemoryBudget.Bytes, usage.Budget);
        Assert.InRange(usage.Total, 1, usage.Budget);
    }

    [Fact]
    public async Task DisposeAsync_Twice_DoesNotThrow()
    {
        IAsyncDisposable cache = _cache;

        await cache.DisposeAsync();
        await cache.DisposeAsync();
    }

    private static FasterCacheOptions MemoryOnly() => new() { MemoryBudget = "32MB" };

    private sealed class SingleMeterFactory : IMeterFactory
    {
        private readonly List<Meter> _meters = [];

        public Meter Create(MeterOptions options)
        {
            _meters.Add(new Meter(options));
            return _meters[^1];
        }

        public void Dispose() => _meters.ForEach(meter => meter.Dispose());
    }
}
