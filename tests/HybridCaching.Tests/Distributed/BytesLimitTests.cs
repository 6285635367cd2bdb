using HybridCaching.Tests.Support;

namespace HybridCaching.Tests.Distributed;

/// <summary>Keys of every kind and values of every length come back as they were, or are refused as documented: a miss, a count, a line in the log.</summary>
public sealed class BytesLimitTests : IDisposable
{
    private const int MaximumValue = 1 << 20;
    private const string Key = "key";

    private static readonly Dictionary<string, string> KeysByName = new()
    {
        ["empty"] = "",
        ["space"] = " ",
        ["two spaces"] = "  ",
        ["a"] = "a",
        ["a in upper case"] = "A",
        ["a and a space"] = "a ",
        ["NUL"] = "\0",
        ["a and NUL"] = "a\0",
        ["NUL and a"] = "\0a",
        ["path"] = "../../etc/passwd",
        ["windows path"] = "C:\\con\\nul",
        ["newline"] = "a\r\nb",
        ["emoji"] = "\ud83d\ude00",
        ["first half of the emoji"] = "\ud83d",
        ["second half of the emoji"] = "\ude00",
        ["halves the wrong way round"] = "\ude00\ud83d",
        ["another first half"] = "\ud83e",
        ["replacement character"] = "\ufffd",
        ["umlaut"] = "\u00fc",
        ["umlaut in two"] = "u\u0308",
        ["latin-1 as bytes"] = "\u00c3\u00bc",
        ["byte order mark"] = "\ufeffa",
        ["not a character"] = "\uffff",
        ["highest of ASCII"] = "\u007f",
        ["lowest beyond ASCII"] = "\u0080",
        ["two ASCII in one"] = "\u6161",
        ["glob"] = "*",
        ["another glob"] = "[a-z]?\\",
        ["1 KiB"] = new string('k', 1024),
        ["1 KiB and one"] = new string('k', 1025),
        ["as long as can be"] = new string('k', FasterDistributedCache.MaximumKeyLength),
        ["as long as can be, last other"] = new string('k', FasterDistributedCache.MaximumKeyLength - 1) + "l",
        ["as long as can be, beyond ASCII"] = new string('\u00e4', FasterDistributedCache.MaximumKeyLength),
    };

    private readonly TestDirectory _directory = new();
    private readonly CollectingLoggerFactory _log = new();

    /// <summary>Around every power of two, hence around blocks, pages and pieces.</summary>
    public static TheoryData<int> Lengths => [0, .. Enumerable.Range(3, 18).SelectMany(bits => new[] { (1 << bits) - 1, 1 << bits, (1 << bits) + 1 }).Where(length => length <= MaximumValue)];

    public static TheoryData<string> TooLongKeys => ["one more", "64 KiB", "1 MiB", "one more, beyond ASCII"];

    [Fact]
    public void Get_KeysOfEveryKind_AreKeptApart()
    {
        using var cache = BytesCache.Open(directory: null);
        SetAllKeys(cache);

        AssertAllKeys(cache);
    }

    [Fact]
    public void Get_KeysOfEveryKindOnDisk_AreKeptApart()
    {
        using var cache = BytesCache.Open(_directory.Path, change: o => o.HotTierShare = 0);
        SetAllKeys(cache);
        cache.PushToDisk([.. KeysByName.Values]);

        AssertAllKeys(cache);
    }

    [Fact]
    public void Get_KeysOfEveryKindAfterRestart_AreKeptApart()
    {
        using (var cache = BytesCache.Open(_directory.Path)) SetAllKeys(cache);

        using var again = BytesCache.Open(_directory.Path);
        AssertAllKeys(again);
    }

    [Fact]
    public void Remove_KeysOfEveryKind_RemovesNoOther()
    {
        using var cache = BytesCache.Open(directory: null);
        foreach (string removed in KeysByName.Values)
        {
            SetAllKeys(cache);
            cache.Remove(removed);
            Assert.All(KeysByName, key => Assert.Equal(key.Value == removed, cache.Get(key.Value) is null));
        }
    }

    [Fact]
    public void ScanKeysAsync_KeysOfEveryKind_FindsEach()
    {
        using var cache = BytesCache.Open(directory: null);
        SetAllKeys(cache);

        var found = cache.ScanKeysAsync("*").ToListBlocking();

        Assert.Equal(KeysByName.Values.Order(StringComparer.Ordinal), found.Distinct().Order(StringComparer.Ordinal));
    }

    [Fact]
    public void GetManyAsync_KeysOfEveryKind_FindsEach()
    {
        using var cache = BytesCache.Open(directory: null);
        SetAllKeys(cache);

        var found = cache.GetManyAsync([.. KeysByName.Values, "missing"]).Await();

        Assert.Equal(KeysByName.Count, found.Count);
        Assert.All(KeysByName, key => Assert.Equal(ValueOf(key.Key), found[key.Value]));
    }

    /// <summary>On the disk and in memory, in pieces and in one, sliding, expired, missing, too long: in one call.</summary>
    [Fact]
    public void GetManyAsync_EntriesOfEveryKind_FindsWhatThereIs()
    {
        var clock = new ManualTimeProvider();
        using var cache = BytesCache.Open(_directory.Path, change: o => (o.HotTierShare, o.TimeProvider) = (0, clock));
        var values = new Dictionary<string, byte[]>();
        for (int i = 0; i < 40; i++)
        {
            values.Add($"small {i}", BytesValue.Of($"small {i}", 1, 300));
            if (i % 5 == 0) values.Add($"pieces {i}", BytesValue.Of($"pieces {i}", 1, 200_000));
            cache.Set($"expired {i}", [1], OpenCache.In(TimeSpan.FromMinutes(30)));
        }

        foreach (var (key, value) in values) cache.Set(key, value, key.EndsWith('0') ? OpenCache.Sliding(TimeSpan.FromHours(1)) : BytesCache.ForEver);
        cache.PushToDisk([.. values.Keys]);
        cache.Set("in memory", values["in memory"] = [7], BytesCache.ForEver);
        clock.Advance(TimeSpan.FromMinutes(40));

        for (int round = 0; round < 2; round++) // what slides would be over in the second one if the first had not prolonged it
        {
            var found = cache.GetManyAsync([.. values.Keys, "missing", TooLong("1 MiB"), .. Enumerable.Range(0, 40).Select(i => $"expired {i}")]).Await();
            Assert.Equal(values.Keys.Order(StringComparer.Ordinal), found.Keys.Order(StringComparer.Ordinal));
            Assert.All(values, entry => Assert.True(entry.Value.AsSpan().SequenceEqual(found[entry.Key]), entry.Key));
            clock.Advance(TimeSpan.FromMinutes(40));
        }
    }

    [Theory]
    [InlineData("first half of the emoji", 2)]
    [InlineData("second half of the emoji", 2)]
    [InlineData("emoji", 1)]
    [InlineData("a", 4)]
    [InlineData("umlaut", 1)]
    [InlineData("1 KiB", 4)]
    [InlineData("as long as can be", 1)]
    public void RemoveByPrefixAsync_KeysOfEveryKind_GoesByUnitsOfUtf16(string name, int removed)
    {
        string prefix = KeysByName[name];
        using var cache = BytesCache.Open(directory: null);
        SetAllKeys(cache);

        Assert.Equal(removed, cache.RemoveByPrefixAsync(prefix).Await());
        Assert.All(KeysByName, key => Assert.Equal(key.Value.StartsWith(prefix, StringComparison.Ordinal), cache.Get(key.Value) is null));
    }

    [Theory]
    [MemberData(nameof(TooLongKeys))]
    public void Set_KeyTooLong_IsAMissACountAndALine(string name)
    {
        using var cache = BytesCache.Open(_directory.Path, log: _log);
        int lines = _log.Entries.Count;
        string key = TooLong(name);

        cache.Set(key, [1], BytesCache.ForEver);

        Assert.Null(cache.Get(key));
        Assert.False(cache.TryGetEntryInfo(key, out _));
        Assert.Equal(1, cache.GetStatistics().DroppedWrites);
        Assert.True(_log.Entries.Count > lines, "nothing is said");
        Assert.DoesNotContain(_log.Entries, entry => entry.Message.Contains(key, StringComparison.Ordinal));
    }

    [Theory]
    [MemberData(nameof(TooLongKeys))]
    public async Task Members_KeyTooLong_DoNotThrow(string name)
    {
        using var cache = BytesCache.Open(directory: null);
        string key = TooLong(name);
        var token = TestContext.Current.CancellationToken;
        var writer = new BytesWriter();

        cache.Refresh(key);
        await cache.RefreshAsync(key, token);
        cache.Remove(key);
        await cache.RemoveAsync(key, token);
        await cache.SetAsync(key, [1], BytesCache.ForEver, token);

        Assert.Null(await cache.GetAsync(key, token));
        Assert.False(cache.TryGet(key, writer));
        Assert.False(await cache.TryGetAsync(key, writer, token));
        Assert.False(cache.TryGet(key, new byte[10], out _));
        Assert.Empty(await cache.GetManyAsync([key], token));
        Assert.Equal(0, await cache.RemoveByPrefixAsync(key, token));
        Assert.Equal(0, writer.WrittenCount);
    }

    /// <summary>No key that fits is taken for the beginning of one that does not.</summary>
    [Fact]
    public void Set_KeyTooLong_ChangesNoOtherKey()
    {
        using var cache = BytesCache.Open(directory: null);
        string longest = new('k', FasterDistributedCache.MaximumKeyLength);
        cache.Set(longest, [7], BytesCache.ForEver);
        cache.Set(longest + "k", [8], BytesCache.ForEver);
        cache.Remove(longest + "k");

        Assert.Equal([7], cache.Get(longest));
    }

    [Theory]
    [MemberData(nameof(Lengths))]
    public void Get_AnyLength_IsWhatWasStored(int length)
    {
        using var cache = BytesCache.Open(directory: null, change: o => o.MaximumValueBytes = MaximumValue);
        AssertRoundTrip(cache, Key, length);
    }

    /// <summary>Every length lies there once behind a short key and once behind a long one.</summary>
    [Fact]
    public void Get_EveryLengthOnDisk_IsWhatWasStored()
    {
        using var cache = BytesCache.Open(_directory.Path, disk: "128MB", change: o => (o.HotTierShare, o.MaximumValueBytes) = (0, MaximumValue));
        SetEveryLength(cache);
        cache.PushToDisk([.. Lengths.Select(length => NameOf(length.Data))]);

        AssertEveryLength(cache);
        Assert.Equal(0, cache.GetStatistics().CorruptEntries);
    }

    [Fact]
    public void Get_EveryLengthAfterRestart_IsWhatWasStored()
    {
        using (var cache = BytesCache.Open(_directory.Path, disk: "128MB", change: o => o.MaximumValueBytes = MaximumValue)) SetEveryLength(cache);

        using var again = BytesCache.Open(_directory.Path, disk: "128MB", change: o => o.MaximumValueBytes = MaximumValue);
        AssertEveryLength(again);
    }

    [Theory]
    [InlineData(1, 1)]
    [InlineData(1000, 1000)]
    [InlineData(MaximumValue, MaximumValue)]
    public void Set_AsLongAsAllowed_IsThere(int maximum, int length)
    {
        using var cache = BytesCache.Open(directory: null, change: o => o.MaximumValueBytes = maximum);
        AssertRoundTrip(cache, Key, length);
    }

    [Theory]
    [InlineData(1, 2)]
    [InlineData(1000, 1001)]
    [InlineData(MaximumValue, MaximumValue + 1)]
    [InlineData(MaximumValue, 20 << 20)]
    public void Set_LongerThanAllowed_IsAMissACountAndALine(int maximum, int length)
    {
        using var cache = BytesCache.Open(directory: null, change: o => o.MaximumValueBytes = maximum, log: _log);
        cache.Set(Key, [1], BytesCache.ForEver);
        int lines = _log.Entries.Count;

        cache.Set(Key, new byte[length], BytesCache.ForEver);

        Assert.Null(cache.Get(Key));
        Assert.Equal(1, cache.GetStatistics().DroppedWrites);
        Assert.True(_log.Entries.Count > lines, "nothing is said");
    }

    [Fact]
    public void Set_LongerThanAllowed_StaysAMissAfterRestart()
    {
        using (var cache = BytesCache.Open(_directory.Path))
        {
            cache.Set(Key, [1], BytesCache.ForEver);
            cache.Push(16 << 20, round: 0);
            cache.Set(Key, new byte[2 << 20], BytesCache.ForEver);
            Assert.Null(cache.Get(Key));
        }

        using var again = BytesCache.Open(_directory.Path);
        Assert.Null(again.Get(Key));
    }

    [Fact]
    public void Get_SixteenMebibytesByDefault_IsWhatWasStored()
    {
        var options = new FasterDistributedCacheOptions { Directory = _directory.Path, MemoryBudget = "64MB", DiskBudget = "256MB", DiskTimeout = Until.Deadline };
        using var cache = new FasterDistributedCache(options);
        for (int i = 0; i < 8; i++) AssertRoundTrip(cache, $"{i}", 16 << 20);
    }

    [Fact]
    public void Get_64Mebibytes_IsWhatWasStored()
    {
        using var cache = BytesCache.Open(_directory.Path, "256MB", "512MB", o => o.MaximumValueBytes = "64MB");
        for (int i = 0; i < 2; i++) AssertRoundTrip(cache, $"{i}", 64 << 20);
    }

    /// <summary>What is allowed but finds no room is a miss, and what was there before is gone.</summary>
    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public void Set_LargerThanTheBudgets_IsAMissOrThere(bool onDisk)
    {
        const int Length = 80 << 20;
        using var cache = BytesCache.Open(onDisk ? _directory.Path : null, "32MB", "64MB", o => o.MaximumValueBytes = "128MB");
        cache.Set(Key, [1], BytesCache.ForEver);

        cache.Set(Key, BytesValue.Of(Key, 2, Length), BytesCache.ForEver);

        byte[]? found = cache.Get(Key);
        Assert.True(found is null || found.AsSpan().SequenceEqual(BytesValue.Of(Key, 2, Length)), $"{found?.Length} bytes");
        var usage = cache.GetMemoryUsage();
        Assert.InRange(usage.Total, 0, usage.Budget);
        AssertRoundTrip(cache, "another", 1000);
    }

    public void Dispose() => _directory.Dispose();

    private static byte[] ValueOf(string name) => BytesValue.Of(name, 1, 20 + name.Length);

    private static void SetAllKeys(FasterDistributedCache cache)
    {
        foreach (var (name, key) in KeysByName) cache.Set(key, ValueOf(name), BytesCache.ForEver);
    }

    private static void AssertAllKeys(FasterDistributedCache cache)
    {
        foreach (var (name, key) in KeysByName) Assert.True(cache.Get(key) is { } value && value.AsSpan().SequenceEqual(ValueOf(name)), name);
    }

    private static string TooLong(string name) => name switch
    {
        "64 KiB" => new string('k', 64 << 10),
        "1 MiB" => new string('k', 1 << 20),
        "one more, beyond ASCII" => new string('\u00e4', FasterDistributedCache.MaximumKeyLength + 1),
        _ => new string('k', FasterDistributedCache.MaximumKeyLength + 1),
    };

    private static string NameOf(int length) => length % 2 == 0 ? $"{length}" : $"{length}{new string('.', 1000)}";

    private static void SetEveryLength(FasterDistributedCache cache)
    {
        foreach (int length in Lengths.Select(length => length.Data)) cache.Set(NameOf(length), BytesValue.Of(NameOf(length), 1, length), BytesCache.ForEver);
    }

    private static void AssertEveryLength(FasterDistributedCache cache)
    {
        foreach (int length in Lengths.Select(length => length.Data))
        {
            Assert.True(cache.Get(NameOf(length)) is { } value && value.AsSpan().SequenceEqual(BytesValue.Of(NameOf(length), 1, length)), $"{length} bytes");
        }
    }

    private static void AssertRoundTrip(FasterDistributedCache cache, string key, int length)
    {
        byte[] value = BytesValue.Of(key, 1, length);
        cache.Set(key, value, BytesCache.ForEver);

        byte[]? found = cache.Get(key);
        Assert.True(found is not null && found.AsSpan().SequenceEqual(value), $"{found?.Length} bytes of {length}");
        var writer = new BytesWriter();
        Assert.True(cache.TryGet(key, writer));
        Assert.True(writer.Written.SequenceEqual(value));
        Assert.True(cache.TryGetEntryInfo(key, out var info));
        Assert.Equal(length, info.Length);
    }
}
