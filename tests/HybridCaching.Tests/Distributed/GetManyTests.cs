using HybridCaching.Tests.Support;

namespace HybridCaching.Tests.Distributed;

public sealed class GetManyTests : IDisposable
{
    private readonly ManualTimeProvider _clock = new();
    private readonly FasterDistributedCache _cache;

    public GetManyTests()
    {
        _cache = OpenCache.Open(clock: _clock);
        for (int i = 0; i < 100; i++) _cache.Set($"k{i}", OpenCache.Value(i * 10, i), OpenCache.NoExpiration);
    }

    public void Dispose() => _cache.Dispose();

    [Fact]
    public async Task GetManyAsync_AllStored_ReturnsEach()
    {
        var values = await _cache.GetManyAsync(Enumerable.Range(0, 100).Select(i => $"k{i}"));
        Assert.Equal(100, values.Count);
        for (int i = 0; i < 100; i++) Assert.Equal(OpenCache.Value(i * 10, i), values[$"k{i}"]);
    }

    [Fact]
    public async Task GetManyAsync_SomeMissing_ReturnsTheOthers()
    {
        var values = await _cache.GetManyAsync(["k1", "missing", "k2", "K1", "k1 ", ""]);
        Assert.Equal(["k1", "k2"], values.Keys.Order());
        Assert.False(values.ContainsKey("missing"));
        Assert.False(values.TryGetValue("K1", out _));
    }

    [Fact]
    public async Task GetManyAsync_SameKeyTwice_ReturnsItOnce()
    {
        var values = await _cache.GetManyAsync(["k1", "k1", "missing", "missing", "k1"]);
        Assert.Equal(["k1"], values.Keys);
        Assert.Equal(OpenCache.Value(10, 1), values["k1"]);
    }

    [Fact]
    public async Task GetManyAsync_NoKeys_ReturnsNone() => Assert.Empty(await _cache.GetManyAsync([]));

    [Fact]
    public async Task GetManyAsync_EmptyKeyAndEmptyValue_AreFound()
    {
        _cache.Set("", [], OpenCache.NoExpiration);
        Assert.Empty((await _cache.GetManyAsync([""]))[""]);
    }

    [Fact]
    public async Task GetManyAsync_LoneSurrogates_AreDifferentKeys()
    {
        _cache.Set("\uD800", [1], OpenCache.NoExpiration);
        _cache.Set("\uD801", [2], OpenCache.NoExpiration);
        var values = await _cache.GetManyAsync(["\uD800", "\uD801", "\uFFFD"]);
        Assert.Equal(2, values.Count);
        Assert.Equal([2], values["\uD801"]);
    }

    [Fact]
    public async Task GetManyAsync_Expired_AreMissing()
    {
        _cache.Set("short", [1], OpenCache.In(TimeSpan.FromMinutes(1)));
        _clock.Advance(TimeSpan.FromMinutes(1));
        Assert.Equal(["k1"], (await _cache.GetManyAsync(["short", "k1"])).Keys);
    }

    [Theory]
    [InlineData(0)]
    [InlineData(1)]
    [InlineData(2)]
    public async Task GetManyAsync_OneKeyNull_Throws(int position)
    {
        string[] keys = ["k1", "k2", "k3"];
        keys[position] = null!;
        var failure = await Assert.ThrowsAnyAsync<ArgumentException>(async () => await _cache.GetManyAsync(keys));
        Assert.Equal("keys", failure.ParamName);
    }

    [Fact]
    public async Task GetManyAsync_OneKeyNullAndCancelled_IsAnArgumentError() =>
        await Assert.ThrowsAnyAsync<ArgumentException>(async () => await _cache.GetManyAsync(["k1", null!], new CancellationToken(canceled: true)));

    [Fact]
    public async Task GetManyAsync_KeysThrow_ThrowsThat()
    {
        await Assert.ThrowsAsync<NotSupportedException>(async () => await _cache.GetManyAsync(Keys()));
        Assert.NotNull(_cache.Get("k1"));

        static IEnumerable<string> Keys()
        {
            yield return "k1";
            throw new NotSupportedException();
        }
    }

    [Fact]
    public async Task GetManyAsync_LazyKeys_AreEnumeratedOnce()
    {
        int enumerated = 0;
        await _cache.GetManyAsync(Keys());
        Assert.Equal(1, enumerated);

        IEnumerable<string> Keys()
        {
            enumerated++;
            yield return "k1";
            yield return "k2";
        }
    }

    [Fact]
    public void GetManyAsync_InMemory_CompletesSynchronously() => Assert.True(_cache.GetManyAsync(["k1", "k2"]).IsCompletedSuccessfully);

    [Fact]
    public async Task GetManyAsync_SomeOnTheDisk_ReturnsAll()
    {
        using var directory = new TestDirectory();
        using var cache = OpenCache.OpenCold(directory.Path);
        for (int i = 0; i < 300; i++) cache.Set($"k{i}", OpenCache.Value(i * 10, i), OpenCache.NoExpiration);
        cache.Set("large", OpenCache.Value(3_000_000), OpenCache.NoExpiration);
        cache.PushToDisk("k0", "k299", "large");
        cache.Set("k299", OpenCache.Value(5), OpenCache.NoExpiration);
        cache.Remove("k298");
        var values = await cache.GetManyAsync([.. Enumerable.Range(0, 400).Select(i => $"k{i}"), "large"]);
        Assert.Equal(300, values.Count);
        for (int i = 0; i < 298; i++) Assert.Equal(OpenCache.Value(i * 10, i), values[$"k{i}"]);
        Assert.Equal(OpenCache.Value(5), values["k299"]);
        Assert.True(OpenCache.Value(3_000_000).AsSpan().SequenceEqual(values["large"]));
    }
}
