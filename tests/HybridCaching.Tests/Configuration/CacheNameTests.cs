using HybridCaching.Configuration;

namespace HybridCaching.Tests.Configuration;

public sealed class CacheNameTests
{
    public static TheoryData<string> GoodNames { get; } = new("a", "A", "7", "orders", "Orders-2.v_1", "a.b", "CONSOLE", "com", "com10", "lpt", "0.1", "a..b", new string('x', 64));

    public static TheoryData<string> BadNames { get; } = new(
        "", " ", ".", "..", "...", "../up", "..\\up", "a/b", "a\\b", "/abs", "\\\\server", "C:", "C:\\x", "~", "a ", " a", "a b", "a.", ".a", "-a", "_a", "a\0b", "\0", "a\nb", "a:b", "a*", "a?", "a|b",
        "ä", "ａ", "😀", "a%2e", "$HOME", "CON", "con", "Con.txt", "PRN", "AUX", "aux.", "NUL", "nul.tar.gz", "COM1", "com9.log", "LPT1", "lpt0", new string('x', 65), new string('x', 300));

    [Theory]
    [MemberData(nameof(GoodNames))]
    public void IsValid_GoodName_IsTrue(string name) => Assert.True(CacheName.IsValid(name));

    [Theory]
    [MemberData(nameof(BadNames))]
    public void IsValid_BadName_IsFalse(string name) => Assert.False(CacheName.IsValid(name));

    [Theory]
    [MemberData(nameof(BadNames))]
    public void From_BadName_IsRefusedWithTheRule(string name)
    {
        var refusal = Assert.Throws<ArgumentException>(() => CacheSettings.From(new FasterCacheOptions { Name = name }, "default"));

        Assert.Contains(CacheName.Rule, refusal.Message, StringComparison.Ordinal);
    }

    [Theory]
    [MemberData(nameof(BadNames))]
    public void Cache_BadName_CreatesNothing(string name)
    {
        using var directory = new TestDirectory();

        Assert.Throws<ArgumentException>(() => new FasterCache<long, long>(new FasterCacheOptions { Directory = directory.Combine("caches"), Name = name }));

        Assert.Empty(Directory.EnumerateFileSystemEntries(directory.Path));
    }

    [Theory]
    [InlineData(typeof(long), typeof(long))]
    [InlineData(typeof((Int128, Guid)), typeof(Nested.Con))]
    [InlineData(typeof(KeyValuePair<DateTimeOffset, (int, int, int)>), typeof(Nested._1))]
    public void Of_AnyTypes_IsAValidName(Type key, Type value) => Assert.True(CacheName.IsValid(CacheName.Of(key, value)), CacheName.Of(key, value));

    [Fact]
    public void Of_TypesOfTheSameShortName_AreTwoNames() => Assert.NotEqual(CacheName.Of(typeof(long), typeof(Nested.Con)), CacheName.Of(typeof(long), typeof(Other.Con)));

    [Fact]
    public void Of_SwappedTypes_AreTwoNames() => Assert.NotEqual(CacheName.Of(typeof(long), typeof(int)), CacheName.Of(typeof(int), typeof(long)));

    [Fact]
    public void WithKey_LongNamesThatBeginAlike_AreTwoNames()
    {
        string[] names = [.. new[] { typeof(Nested.SnapshotOfTheDepthOfAMarketByVenueAndSide<int>), typeof(Nested.SnapshotOfTheDepthOfAMarketByVenueAndSide<long>) }.Select(value => CacheName.WithKey(CacheName.Of(typeof(long), value), 1))];

        Assert.NotEqual(names[0], names[1]);
        Assert.All(names, name => Assert.True(CacheName.IsValid(name), name));
    }

    /// <summary>The name is a folder on users' disks: if this fails, every cache without a name of its own starts cold and leaves its old folder behind.</summary>
    [Fact]
    public void Of_LongAndLong_IsTheNameOfEveryRelease() => Assert.Equal("Int64-Int64-b1287d0d", CacheName.Of(typeof(long), typeof(long)));

    private static class Nested
    {
        public struct Con;

        public struct _1;

        public struct SnapshotOfTheDepthOfAMarketByVenueAndSide<T>;
    }

    private static class Other
    {
        public struct Con;
    }
}
