using System.Buffers;
using System.Diagnostics.Metrics;
using Microsoft.Extensions.Caching.Distributed;
using Microsoft.Extensions.Logging;
using Microsoft.Extensions.Logging.Abstractions;
using Microsoft.Extensions.Options;

namespace HybridCaching.Tests.Architecture;

/// <summary>The same as <see cref="ApiPageTests"/> for the cache of bytes.</summary>
public sealed class DistributedApiPageTests : IDisposable
{
    private const string Key = "user:42";
    private static readonly byte[] Value = [1, 2, 3];
    private static readonly DistributedCacheEntryOptions Minutes = new() { SlidingExpiration = TimeSpan.FromMinutes(5) };

    private readonly FasterDistributedCache _cache = new(options: new FasterDistributedCacheOptions(), loggerFactory: null, meterFactory: null);

    public void Dispose() => _cache.Dispose();

    [Fact]
    public void Constructor_IOptionsLoggerAndMeterFactory_MakesAWorkingCache()
    {
        ILoggerFactory loggers = NullLoggerFactory.Instance;
        IMeterFactory? meters = null;
        IOptions<FasterDistributedCacheOptions> options = Options.Create(new FasterDistributedCacheOptions());
        using var cache = new FasterDistributedCache(options: options, loggerFactory: loggers, meterFactory: meters);

        cache.Set(key: Key, value: Value, options: Minutes);

        Assert.NotNull(cache.Get(key: Key));
    }

    [Fact]
    public void Options_EveryProperty_TakesItsDocumentedType()
    {
        var options = new FasterDistributedCacheOptions
        {
            Name = "pages",
            Directory = "cache",
            MemoryBudget = "64MB",
            DiskBudget = 1L << 32,
            MaximumValueBytes = "1MB",
            TypicalEntryBytes = 1024,
            DefaultTimeToLive = TimeSpan.FromHours(1),
            DefaultSlidingExpiration = TimeSpan.FromMinutes(20),
        };

        Assert.Same(options, ((IOptions<FasterDistributedCacheOptions>)options).Value);
    }

    [Fact]
    public async Task IDistributedCache_EveryMember_IsThere()
    {
        IDistributedCache cache = _cache;
        var token = TestContext.Current.CancellationToken;
        cache.Set(key: Key, value: Value, options: Minutes);
        await cache.SetAsync(key: Key, value: Value, options: Minutes, token: token);
        cache.Refresh(key: Key);
        await cache.RefreshAsync(key: Key, token: token);

        Assert.Equal(Value, cache.Get(key: Key));
        Assert.Equal(Value, await cache.GetAsync(key: Key, token: token));
        cache.Remove(key: Key);
        await cache.RemoveAsync(key: Key, token: token);
        Assert.Null(cache.Get(Key));
    }

    [Fact]
    public async Task IBufferDistributedCache_EveryMember_IsThere()
    {
        IBufferDistributedCache cache = _cache;
        var token = TestContext.Current.CancellationToken;
        var destination = new ArrayBufferWriter<byte>();
        cache.Set(key: Key, value: new ReadOnlySequence<byte>(Value), options: Minutes);
        await cache.SetAsync(key: Key, value: new ReadOnlySequence<byte>(Value), options: Minutes, token: token);

        Assert.True(cache.TryGet(key: Key, destination: destination));
        Assert.True(await cache.TryGetAsync(key: Key, destination: destination, token: token));
        Assert.Equal([.. Value, .. Value], destination.WrittenSpan.ToArray());
    }

    [Fact]
    public void TryGet_Span_CopiesTheValue()
    {
        _cache.Set(Key, Value, Minutes);
        Span<byte> destination = stackalloc byte[8];

        Assert.True(_cache.TryGet(key: Key, destination: destination, length: out int length));
        Assert.Equal(Value, destination[..length].ToArray());
    }

    [Fact]
    public void TryGetEntryInfo_Stored_TellsTierLengthAgeAndTimeLeft()
    {
        _cache.Set(Key, Value, Minutes);

        Assert.True(_cache.TryGetEntryInfo(key: Key, info: out CacheEntryInfo info));
        Assert.Equal((CacheTier.Memory, Value.Length), (info.Tier, info.Length));
        Assert.True(info.Age < TimeSpan.FromMinutes(1) && info.TimeLeft <= TimeSpan.FromMinutes(5));
    }

    [Fact]
    public async Task GetManyAsync_SomeStored_ReturnsThose()
    {
        _cache.Set(Key, Value, Minutes);
        IReadOnlyDictionary<string, byte[]> found = await _cache.GetManyAsync(keys: [Key, "missing"], cancellationToken: TestContext.Current.CancellationToken);

        Assert.Equal(Value, Assert.Single(found).Value);
    }

    [Fact]
    public async Task Scans_Glob_FindTheKey()
    {
        _cache.Set(Key, Value, Minutes);
        var token = TestContext.Current.CancellationToken;

        await foreach (string key in _cache.ScanKeysAsync(glob: "user:*", cancellationToken: token)) Assert.Equal(Key, key);
        await foreach (KeyValuePair<string, byte[]> entry in _cache.ScanAsync(glob: "u*2", cancellationToken: token)) Assert.Equal(Value, entry.Value);
        Assert.Equal(1, await _cache.RemoveByPrefixAsync(prefix: "user:", cancellationToken: token));
    }

    [Fact]
    public async Task ClearFlushAndFigures_EmptyCache_Work()
    {
        var token = TestContext.Current.CancellationToken;
        _cache.Clear();
        await _cache.ClearAsync(cancellationToken: token);
        await _cache.FlushAsync(cancellationToken: token);
        CacheStatistics statistics = _cache.GetStatistics();
        MemoryUsage memory = _cache.GetMemoryUsage();

        Assert.Equal((0L, 0L), (_cache.EstimatedCount, statistics.Writes));
        Assert.InRange(memory.Total, 1, memory.Budget);
        await _cache.DisposeAsync();
    }
}
