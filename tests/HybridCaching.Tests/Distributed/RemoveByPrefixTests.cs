namespace HybridCaching.Tests.Distributed;

public sealed class RemoveByPrefixTests : IDisposable
{
    private static readonly string[] Keys =
    [
        "", "u", "user", "user:", "user:1", "user:2", "user:ä", "user:日", "User:1", "xuser:1",
        "ä", "äb", "äbc", "ÿ", "日本", "日本語", "\uD800", "\uD800a", "\uD801", "u\0", "us",
    ];

    private readonly FasterDistributedCache _cache = OpenCache.Open();

    public static TheoryData<string> Prefixes => ["", "u", "us", "user", "user:", "user:1", "user:1x", "user:ä", "ä", "äb", "日", "日本語", "\0", "u\0", "USER", "nothing", "é", "a", "x"];

    public void Dispose() => _cache.Dispose();

    [Theory]
    [MemberData(nameof(Prefixes))]
    public async Task RemoveByPrefixAsync_Prefix_RemovesTheKeysThatBeginWithItOnly(string prefix)
    {
        StoreKeys(_cache);
        await _cache.RemoveByPrefixAsync(prefix);
        Assert.Equal(Keys.Where(key => !key.StartsWith(prefix, StringComparison.Ordinal)), Keys.Where(key => _cache.Get(key) is not null));
    }

    [Theory]
    [MemberData(nameof(Prefixes))]
    public async Task RemoveByPrefixAsync_Prefix_ReturnsHowMany(string prefix)
    {
        StoreKeys(_cache);
        Assert.Equal(Keys.Count(key => key.StartsWith(prefix, StringComparison.Ordinal)), await _cache.RemoveByPrefixAsync(prefix));
    }

    [Fact]
    public async Task RemoveByPrefixAsync_LoneSurrogate_RemovesTheKeysThatBeginWithItOnly()
    {
        StoreKeys(_cache);
        Assert.Equal(2, await _cache.RemoveByPrefixAsync("\uD800"));
        Assert.NotNull(_cache.Get("\uD801"));
    }

    [Theory]
    [InlineData("user:*")]
    [InlineData("user?")]
    [InlineData("[u]")]
    [InlineData("\\u")]
    public async Task RemoveByPrefixAsync_Glob_IsTakenLiterally(string prefix)
    {
        StoreKeys(_cache);
        _cache.Set(prefix + "1", [1], OpenCache.NoExpiration);
        Assert.Equal(1, await _cache.RemoveByPrefixAsync(prefix));
        Assert.All(Keys, key => Assert.NotNull(_cache.Get(key)));
    }

    [Fact]
    public async Task RemoveByPrefixAsync_Twice_FindsNothingTheSecondTime()
    {
        StoreKeys(_cache);
        Assert.Equal(5, await _cache.RemoveByPrefixAsync("user:"));
        Assert.Equal(0, await _cache.RemoveByPrefixAsync("user:"));
    }

    [Fact]
    public async Task RemoveByPrefixAsync_OverwrittenKeys_CountOnce()
    {
        for (int round = 0; round < 5; round++)
        {
            for (int i = 0; i < 50; i++) _cache.Set($"k{i}", OpenCache.Value(100 * round), OpenCache.NoExpiration);
        }

        Assert.Equal(50, await _cache.RemoveByPrefixAsync("k"));
    }

    [Fact]
    public async Task RemoveByPrefixAsync_NothingStored_ReturnsZero() => Assert.Equal(0, await _cache.RemoveByPrefixAsync(""));

    [Fact]
    public async Task RemoveByPrefixAsync_PrefixOfTheLongestKeys_Works()
    {
        string key = new('é', FasterDistributedCache.MaximumKeyLength);
        _cache.Set(key, [1], OpenCache.NoExpiration);
        _cache.Set(key[1..], [1], OpenCache.NoExpiration);
        Assert.Equal(1, await _cache.RemoveByPrefixAsync(key));
        Assert.Equal(1, await _cache.RemoveByPrefixAsync(key[..100]));
    }

    [Theory]
    [InlineData("k")]
    [InlineData("ké")]
    [InlineData("")]
    public async Task RemoveByPrefixAsync_MostOnTheDisk_RemovesThemForGood(string prefix)
    {
        using var directory = new TestDirectory();
        string[] keys = [.. Enumerable.Range(0, 200).SelectMany(i => new[] { $"k{i}", $"ké{i}", $"other {i}" }), "k large"];
        string[] kept = [.. keys.Where(key => !key.StartsWith(prefix, StringComparison.Ordinal))];
        using (var cache = OpenCache.OpenCold(directory.Path))
        {
            foreach (string key in keys) cache.Set(key, OpenCache.Value(key == "k large" ? 1_500_000 : 100), OpenCache.NoExpiration);
            cache.PushToDisk(keys);
            if (prefix.Length == 0) Assert.True(await cache.RemoveByPrefixAsync(prefix) > keys.Length);
            else Assert.Equal(keys.Length - kept.Length, await cache.RemoveByPrefixAsync(prefix));
            Assert.Equal(kept, keys.Where(key => cache.Get(key) is not null));
        }

        using var after = OpenCache.OpenCold(directory.Path);
        Assert.Equal(kept, keys.Where(key => after.Get(key) is not null));
    }

    [Fact]
    public async Task RemoveByPrefixAsync_SetAfterwards_IsThere()
    {
        StoreKeys(_cache);
        await _cache.RemoveByPrefixAsync("user:");
        _cache.Set("user:1", [9], OpenCache.NoExpiration);
        Assert.Equal([9], _cache.Get("user:1")!);
    }

    private static void StoreKeys(FasterDistributedCache cache)
    {
        foreach (string key in Keys) cache.Set(key, [1, 2, 3], OpenCache.NoExpiration);
    }
}
