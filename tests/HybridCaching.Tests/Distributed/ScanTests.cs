using HybridCaching.Tests.Concurrency;
using HybridCaching.Tests.Support;

namespace HybridCaching.Tests.Distributed;

/// <summary>ScanKeysAsync and ScanAsync, and the globs of Redis.</summary>
public sealed class ScanTests : IDisposable
{
    private static readonly string[] Keys =
    [
        "", "a", "b", "A", "ab", "abc", "abcabc", "hello", "hallo", "hxllo", "hllo", "heeello", "user:1", "user:2", "user:10", "user:ä", "item:1",
        "a*b", "a?b", "a[b", "a]b", "a\\b", "a-b", "a^b", "a.b",
        "a\nb", "ä", "äb", "日本", "日本語", "日", "я", "д", "a日b", "kk\U0001F600", "*", "[", "ab]",
    ];

    private readonly ManualTimeProvider _clock = new();
    private readonly FasterDistributedCache _cache;

    public ScanTests() => _cache = OpenCache.Open(clock: _clock);

    /// <summary>A glob and the keys that match it.</summary>
    public static TheoryData<string, string[]> Globs => new()
    {
        { "*", Keys },
        { "**", Keys },
        { "", [""] },
        { "a", ["a"] },
        { "A", ["A"] },
        { "?", ["a", "b", "A", "ä", "日", "я", "д", "*", "["] },
        { "??", ["ab", "äb", "日本"] },
        { "?*?*?", [.. Keys.Where(key => key.Length > 2)] },
        { "ab*", ["ab", "abc", "abcabc", "ab]"] },
        { "*bc", ["abc", "abcabc"] },
        { "*b*c*", ["abc", "abcabc"] },
        { "a*c", ["abc", "abcabc"] },
        { "abc*abc", ["abcabc"] },
        { "abcabc*", ["abcabc"] },
        { "h?llo", ["hello", "hallo", "hxllo"] },
        { "h*llo", ["hello", "hallo", "hxllo", "hllo", "heeello"] },
        { "h[ae]llo", ["hello", "hallo"] },
        { "h[^e]llo", ["hallo", "hxllo"] },
        { "h[^ae]llo", ["hxllo"] },
        { "h[a-e]llo", ["hello", "hallo"] },
        { "h[a-ew-z]llo", ["hello", "hallo", "hxllo"] },
        { "h[^a-e]llo", ["hxllo"] },
        { "user:*", ["user:1", "user:2", "user:10", "user:ä"] },
        { "user:?", ["user:1", "user:2", "user:ä"] },
        { "user:[0-9]", ["user:1", "user:2"] },
        { "user:[0-9]*", ["user:1", "user:2", "user:10"] },
        { "*:1", ["user:1", "item:1"] },
        { "[ui]*:1", ["user:1", "item:1"] },
        { "USER:*", [] },
        { "a\\*b", ["a*b"] },
        { "a\\?b", ["a?b"] },
        { "a\\[b", ["a[b"] },
        { "a\\]b", ["a]b"] },
        { "a]b", ["a]b"] },
        { "a\\\\b", ["a\\b"] },
        { "\\a\\b", ["ab"] },
        { "a[*]b", ["a*b"] },
        { "a[?]b", ["a?b"] },
        { "a[\\]]b", ["a]b"] },
        { "a[\\\\]b", ["a\\b"] },
        { "a[\\-]b", ["a-b"] },
        { "a[\\^]b", ["a^b"] },
        { "a[.]b", ["a.b"] },
        { "a.b", ["a.b"] },
        { "a?b", ["a*b", "a?b", "a[b", "a]b", "a\\b", "a-b", "a^b", "a.b", "a\nb", "a日b"] },
        { "a[^x]b", ["a*b", "a?b", "a[b", "a]b", "a\\b", "a-b", "a^b", "a.b", "a\nb", "a日b"] },
        { "ä", ["ä"] },
        { "ä*", ["ä", "äb"] },
        { "日*", ["日本", "日本語", "日"] },
        { "日?", ["日本"] },
        { "*日*", ["日本", "日本語", "日", "a日b"] },
        { "[а-я]", ["я", "д"] },
        { "[а-ю]", ["д"] },
        { "[äя]", ["ä", "я"] },
        { "[^a-z]", ["A", "ä", "日", "я", "д", "*", "["] },
        { "kk\U0001F600", ["kk\U0001F600"] },
        { "k*", ["kk\U0001F600"] },
        { "\\*", ["*"] },
        { "nothing*", [] },
    };

    public static TheoryData<bool> KeysOnlyOrValues => [false, true];

    public void Dispose() => _cache.Dispose();

    [Theory]
    [MemberData(nameof(Globs))]
    public async Task ScanKeysAsync_Glob_ReturnsTheKeysThatMatch(string glob, string[] expected)
    {
        StoreKeys();
        AssertSameKeys(expected, await _cache.ScanKeysAsync(glob).ReadAllAsync());
    }

    [Theory]
    [MemberData(nameof(Globs))]
    public async Task ScanAsync_Glob_ReturnsTheEntriesThatMatch(string glob, string[] expected)
    {
        StoreKeys();
        var entries = await _cache.ScanAsync(glob).ReadAllAsync();
        AssertSameKeys(expected, entries.Select(entry => entry.Key));
        Assert.All(entries, entry => Assert.Equal(ValueOf(entry.Key), entry.Value));
    }

    [Fact]
    public async Task ScanKeysAsync_LoneSurrogates_AreReturnedAsTheyAre()
    {
        string[] keys = ["\uD800", "\uD801", "\uDC00", "a\uD800b", "\uFFFD"];
        foreach (string key in keys) _cache.Set(key, [1], OpenCache.NoExpiration);
        AssertSameKeys(keys, await _cache.ScanKeysAsync("*").ReadAllAsync());
        AssertSameKeys(["\uD800"], await _cache.ScanKeysAsync("\uD800").ReadAllAsync());
        AssertSameKeys(["\uD800", "\uD801"], await _cache.ScanKeysAsync("[\uD800-\uDBFF]").ReadAllAsync());
    }

    /// <summary>A matcher that tries every way would not come to an end.</summary>
    [Fact]
    public void ScanKeysAsync_GlobOfManyStars_Ends()
    {
        _cache.Set(new string('a', 5_000), [1], OpenCache.NoExpiration);
        string glob = string.Concat(Enumerable.Repeat("a*", 30)) + "b";
        Crew.MustEnd("ScanKeysAsync", () => Assert.Empty(_cache.ScanKeysAsync(glob).ReadAllAsync().GetAwaiter().GetResult()));
    }

    [Fact]
    public async Task ScanKeysAsync_LongestKey_IsReturned()
    {
        string key = new('é', FasterDistributedCache.MaximumKeyLength);
        _cache.Set(key, [1], OpenCache.NoExpiration);
        Assert.Equal([key], await _cache.ScanKeysAsync("*").ReadAllAsync());
    }

    [Fact]
    public async Task Scan_NothingStored_ReturnsNothing()
    {
        Assert.Empty(await _cache.ScanKeysAsync("*").ReadAllAsync());
        Assert.Empty(await _cache.ScanAsync("*").ReadAllAsync());
    }

    [Theory]
    [MemberData(nameof(KeysOnlyOrValues))]
    public async Task Scan_OverwrittenRemovedAndExpired_ReturnsWhatIsThereOnce(bool withValues)
    {
        for (int round = 0; round < 3; round++)
        {
            for (int i = 0; i < 100; i++) _cache.Set($"k{i}", OpenCache.Value(50 * round, i), OpenCache.NoExpiration);
        }

        for (int i = 0; i < 100; i += 2) _cache.Remove($"k{i}");
        _cache.Set("k1", [1], OpenCache.In(TimeSpan.FromMinutes(1)));
        _clock.Advance(TimeSpan.FromMinutes(1));
        AssertSameKeys([.. Enumerable.Range(2, 98).Where(i => i % 2 == 1).Select(i => $"k{i}")], await ScanAsync(_cache, withValues, "k*"));
    }

    [Fact]
    public async Task ScanAsync_SlidingEntry_DoesNotReturnItOnceExpired()
    {
        _cache.Set("k", [1], OpenCache.Sliding(TimeSpan.FromMinutes(8)));
        _clock.Advance(TimeSpan.FromMinutes(8));
        Assert.Empty(await _cache.ScanAsync("*").ReadAllAsync());
    }

    [Theory]
    [MemberData(nameof(KeysOnlyOrValues))]
    public async Task Scan_MostOnTheDisk_ReturnsEach(bool withValues)
    {
        using var directory = new TestDirectory();
        string[] keys = [.. Enumerable.Range(0, 300).Select(i => $"k{i}"), .. Enumerable.Range(0, 300).Select(i => $"ké{i}"), "k large"];
        using (var cache = OpenCache.OpenCold(directory.Path))
        {
            foreach (string key in keys) cache.Set(key, ValueOf(key), OpenCache.NoExpiration);
            cache.PushToDisk(keys);
            for (int i = 0; i < 300; i += 3) cache.Set($"k{i}", ValueOf($"k{i}"), OpenCache.NoExpiration);
            AssertSameKeys(keys, await ScanAsync(cache, withValues, "k*"));
        }

        using var after = OpenCache.OpenCold(directory.Path);
        AssertSameKeys(keys, (await ScanAsync(after, withValues, "k*")).Distinct());
    }

    /// <summary>Whether the values are read too, and whether the token is given to the call or to the enumeration.</summary>
    [Theory]
    [InlineData(false, false)]
    [InlineData(false, true)]
    [InlineData(true, false)]
    [InlineData(true, true)]
    public async Task Scan_CancelledInTheMiddle_Throws(bool withValues, bool byCall)
    {
        const int Count = 20_000;
        for (int i = 0; i < Count; i++) _cache.Set($"k{i}", [1], OpenCache.NoExpiration);
        int seen = withValues ? await ReadUntilCancelledAsync(token => _cache.ScanAsync("*", token), byCall) : await ReadUntilCancelledAsync(token => _cache.ScanKeysAsync("*", token), byCall);
        Assert.InRange(seen, 3, Count - 1);
        Assert.Equal(Count, (await ScanAsync(_cache, withValues, "*")).Count);
    }

    [Theory]
    [MemberData(nameof(KeysOnlyOrValues))]
    public async Task Scan_LeftInTheMiddle_LeaksNothing(bool withValues)
    {
        StoreKeys();
        for (int i = 0; i < 300; i++)
        {
            if (withValues)
            {
                await foreach (var entry in _cache.ScanAsync("*")) break;
            }
            else
            {
                await foreach (string key in _cache.ScanKeysAsync("*")) break;
            }
        }

        AssertSameKeys(Keys, await ScanAsync(_cache, withValues, "*"));
    }

    [Theory]
    [MemberData(nameof(KeysOnlyOrValues))]
    public async Task Scan_ConsumerWrites_ReturnsEveryEntryThatStays(bool withValues)
    {
        StoreKeys();
        var seen = new HashSet<string>(StringComparer.Ordinal);
        int written = 0;
        if (withValues)
        {
            await foreach (var entry in _cache.ScanAsync("*")) Write(entry.Key);
        }
        else
        {
            await foreach (string key in _cache.ScanKeysAsync("*")) Write(key);
        }

        Assert.All(Keys, key => Assert.Contains(key, seen));

        void Write(string key)
        {
            seen.Add(key);
            if (written < 100) _cache.Set($"written {written++}", [1], OpenCache.NoExpiration);
        }
    }

    private static byte[] ValueOf(string key) => key == "k large" ? OpenCache.Value(1_500_000) : OpenCache.Value(key.Length * 7, key.Length);

    private static void AssertSameKeys(string[] expected, IEnumerable<string> actual) => Assert.Equal(expected.Order(StringComparer.Ordinal), actual.Order(StringComparer.Ordinal));

    private static async Task<List<string>> ScanAsync(FasterDistributedCache cache, bool withValues, string glob)
    {
        if (!withValues) return await cache.ScanKeysAsync(glob).ReadAllAsync();
        return [.. (await cache.ScanAsync(glob).ReadAllAsync()).Select(entry => entry.Key)];
    }

    private static async Task<int> ReadUntilCancelledAsync<T>(Func<CancellationToken, IAsyncEnumerable<T>> scan, bool byCall)
    {
        using var source = new CancellationTokenSource();
        int seen = 0;
        await Assert.ThrowsAnyAsync<OperationCanceledException>(async () =>
        {
            await foreach (var found in scan(byCall ? source.Token : default).WithCancellation(byCall ? default : source.Token))
            {
                Assert.NotNull((object?)found);
                if (++seen == 3) source.Cancel();
            }
        });
        return seen;
    }

    private void StoreKeys()
    {
        foreach (string key in Keys) _cache.Set(key, ValueOf(key), OpenCache.NoExpiration);
    }
}
