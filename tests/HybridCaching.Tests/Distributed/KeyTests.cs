using HybridCaching.Tests.Support;

namespace HybridCaching.Tests.Distributed;

/// <summary>Any string is a key of its own.</summary>
public sealed class KeyTests : IDisposable
{
    private const int MaximumLength = FasterDistributedCache.MaximumKeyLength;

    /// <summary>Keys that some encoding, culture or normalization takes for the same.</summary>
    private static readonly string[] LookAlikes =
    [
        "", " ", "  ", "\t", "\n", "\0", "\0\0", "a", "A", "a ", " a", "a\0", "a\0b",
        "ä", "a\u0308", "Ä", "ß", "ss", "ı", "i", "İ", "I", "ﬁ", "fi", "\u00AD", "a\u00AD", "?", "??", "a?", "\u00FF", "\u0100",
        "\uFFFD", "\uFFFD\uFFFD", "a\uFFFD", "\uD800", "\uD801", "\uDBFF", "\uDC00", "\uDFFF", "a\uD800", "\uD800a", "\uDC00\uD800", "\uD800\uDC00", "\uD800\uDC01",
        "\uD83D\uDE00", "\uD83D", "\uDE00",
        "\uFEFF", "\uFEFFa", "日本", "日本語", "日", "a日", "日a", "\u0061\u6100", "\u6100\u0061", "e\u0301", "é", "é ", "\uFFFF", "\uFFFE", "~", "\u007F", "\u0080",
    ];

    private readonly ManualTimeProvider _clock = new();
    private readonly CollectingLoggerFactory _log = new();
    private readonly FasterDistributedCache _cache;

    public KeyTests() => _cache = OpenCache.Open(clock: _clock, log: _log);

    public static TheoryData<SetMember> Setters => [.. CacheMembers.Setters];

    public static TheoryData<GetMember> Getters => [.. CacheMembers.Getters];

    public void Dispose() => _cache.Dispose();

    [Theory]
    [MemberData(nameof(Getters))]
    public async Task Set_KeysThatLookAlike_AreAllDifferent(GetMember get)
    {
        StoreLookAlikes(_cache);
        await AssertLookAlikesAsync(_cache, get);
    }

    [Fact]
    public async Task Set_KeysThatLookAlikeReadFromTheDisk_AreAllDifferent()
    {
        using var directory = new TestDirectory();
        using var cache = OpenCache.OpenCold(directory.Path);
        StoreLookAlikes(cache);
        cache.PushToDisk(LookAlikes);
        await AssertLookAlikesAsync(cache, GetMember.Get);
    }

    [Fact]
    public async Task Set_KeysThatLookAlikeAfterARestart_AreAllDifferent()
    {
        using var directory = new TestDirectory();
        using (var before = OpenCache.Open(directory.Path)) StoreLookAlikes(before);
        using var after = OpenCache.Open(directory.Path);
        await AssertLookAlikesAsync(after, GetMember.Get);
    }

    [Fact]
    public void Remove_OneOfTheKeysThatLookAlike_LeavesTheOthers()
    {
        StoreLookAlikes(_cache);
        _cache.Remove("a");
        Assert.Equal(LookAlikes.Where(key => key != "a"), LookAlikes.Where(key => _cache.Get(key) is not null));
    }

    /// <summary>Not a theory: what is in attributes is UTF-8, which has no lone surrogates.</summary>
    [Fact]
    public void Get_OnlyOneOfTheKeysThatLookAlikeIsStored_IsMissForTheOthers()
    {
        foreach (string stored in LookAlikes)
        {
            _cache.Set(stored, [1], OpenCache.NoExpiration);
            Assert.Equal([stored], LookAlikes.Where(key => _cache.Get(key) is not null));
            _cache.Remove(stored);
        }
    }

    [Fact]
    public void Get_EqualKeyOfAnotherInstance_IsHit()
    {
        _cache.Set("some key", [1], OpenCache.NoExpiration);
        Assert.NotNull(_cache.Get(string.Concat("some", " key")));
    }

    [Theory]
    [MemberData(nameof(Setters))]
    public async Task Set_LongestKey_RoundTrips(SetMember set)
    {
        foreach (string key in KeysOf(MaximumLength))
        {
            await _cache.StoreAsync(set, key, OpenCache.Value(100));
            Assert.Equal(OpenCache.Value(100), _cache.Get(key));
        }

        Assert.Equal(0, _cache.GetStatistics().DroppedWrites);
    }

    [Fact]
    public void Set_LongestKeysThatDifferInTheLastCharacter_AreDifferent()
    {
        string[] keys = [.. "xyzé".Select(last => new string('k', MaximumLength - 1) + last)];
        for (int i = 0; i < keys.Length; i++) _cache.Set(keys[i], [(byte)i], OpenCache.NoExpiration);
        Assert.All(keys.Index(), key => Assert.Equal([(byte)key.Index], _cache.Get(key.Item)!));
    }

    [Fact]
    public void Set_LongestKeyReadFromTheDisk_RoundTrips()
    {
        using var directory = new TestDirectory();
        using var cache = OpenCache.OpenCold(directory.Path);
        string[] keys = KeysOf(MaximumLength);
        foreach (string key in keys) cache.Set(key, OpenCache.Value(3_000, key[0]), OpenCache.NoExpiration);
        cache.PushToDisk(keys);
        Assert.All(keys, key => Assert.Equal(OpenCache.Value(3_000, key[0]), cache.Get(key)));
    }

    [Theory]
    [MemberData(nameof(Setters))]
    public async Task Set_KeyTooLong_IsDropped(SetMember set)
    {
        foreach (string key in KeysOf(MaximumLength + 1))
        {
            await _cache.StoreAsync(set, key, [1]);
            foreach (var get in CacheMembers.Getters) Assert.Null(await _cache.ReadAsync(get, key));
        }
    }

    [Theory]
    [MemberData(nameof(Setters))]
    public async Task Set_KeyTooLong_IsCountedAndLogged(SetMember set)
    {
        await _cache.StoreAsync(set, new string('k', MaximumLength + 1), [1]);
        Assert.Equal(1, _cache.GetStatistics().DroppedWrites);
        Assert.NotEmpty(_log.Warnings);
    }

    [Fact]
    public async Task Set_KeyTooLong_RemovesNothingElse()
    {
        string tooLong = new('k', MaximumLength + 1);
        string[] others = [tooLong[1..], tooLong[..100], "", "k"];
        foreach (string other in others) _cache.Set(other, [7], OpenCache.NoExpiration);
        foreach (var set in CacheMembers.Setters) await _cache.StoreAsync(set, tooLong, [1]);
        Assert.All(others, other => Assert.Equal([7], _cache.Get(other)!));
    }

    [Fact]
    public async Task Member_KeyTooLong_DoesNothing()
    {
        string tooLong = new('k', MaximumLength * 4);
        _cache.Set(tooLong[..MaximumLength], [7], OpenCache.NoExpiration);
        _cache.Refresh(tooLong);
        await _cache.RefreshAsync(tooLong);
        _cache.Remove(tooLong);
        await _cache.RemoveAsync(tooLong);
        Assert.False(_cache.TryGetEntryInfo(tooLong, out _));
        Assert.Empty(await _cache.GetManyAsync([tooLong]));
        Assert.Equal(0, await _cache.RemoveByPrefixAsync(tooLong));
        Assert.NotNull(_cache.Get(tooLong[..MaximumLength]));
    }

    [Fact]
    public void Set_KeyTooLongAndExpirationPast_IsAnArgumentError() => Assert.Throws<ArgumentOutOfRangeException>(
        "AbsoluteExpiration",
        () => _cache.Set(new string('k', MaximumLength + 1), [1], OpenCache.At(_clock.GetUtcNow())));

    private static string[] KeysOf(int length) => [new('k', length), new('é', length), new('\uD800', length), string.Concat(Enumerable.Repeat("a日", length))[..length]];

    private static void StoreLookAlikes(FasterDistributedCache cache)
    {
        foreach (var (i, key) in LookAlikes.Index()) cache.Set(key, OpenCache.Value(20, i), OpenCache.NoExpiration);
    }

    private static async Task AssertLookAlikesAsync(FasterDistributedCache cache, GetMember get)
    {
        foreach (var (i, key) in LookAlikes.Index()) Assert.Equal(OpenCache.Value(20, i), await cache.ReadAsync(get, key));
    }
}
