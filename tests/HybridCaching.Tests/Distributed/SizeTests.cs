using HybridCaching.Tests.Support;
using Microsoft.Extensions.Caching.Distributed;

namespace HybridCaching.Tests.Distributed;

/// <summary>Values of every size through every pair of members: in memory, on the disk, and after a restart.</summary>
public sealed class SizeTests : IDisposable
{
    private static readonly int[] SmallLengths = [0, 1, 16, 1 << 10, 64 << 10];
    private static readonly int[] LargeLengths = [1 << 20, 16 << 20];

    private readonly TestDirectory _directory = new();

    /// <summary>Lengths that are tested together.</summary>
    public static TheoryData<int[]> Groups => [SmallLengths, LargeLengths];

    public void Dispose() => _directory.Dispose();

    [Theory]
    [MemberData(nameof(Groups))]
    public async Task Get_InMemoryOnly_IsTheValue(int[] lengths)
    {
        using var cache = OpenCache.Open(change: o => o.MemoryBudget = "192MB");
        await StoreAsync(cache, lengths);
        foreach (var (set, length) in SettersWith(lengths)) await AssertReadsAsync(cache, KeyOf(set, length), length);
    }

    [Theory]
    [MemberData(nameof(Groups))]
    public async Task Get_WithADirectory_IsTheValue(int[] lengths)
    {
        using var cache = OpenCache.Open(_directory.Path);
        await StoreAsync(cache, lengths);
        foreach (var (set, length) in SettersWith(lengths)) await AssertReadsAsync(cache, KeyOf(set, length), length);
    }

    [Theory]
    [MemberData(nameof(Groups))]
    public async Task Get_AfterARestart_IsTheValue(int[] lengths)
    {
        using (var before = OpenCache.Open(_directory.Path)) await StoreAsync(before, lengths);
        using var after = OpenCache.Open(_directory.Path);
        foreach (var (set, length) in SettersWith(lengths)) await AssertReadsAsync(after, KeyOf(set, length), length);
    }

    [Theory]
    [MemberData(nameof(Groups))]
    public async Task Get_OnTheDisk_IsTheValue(int[] lengths)
    {
        using var cache = await OpenWithAllOnDiskAsync(lengths);
        foreach (var (set, length) in SettersWith(lengths)) await AssertReadsAsync(cache, KeyOf(set, length), length);
        Assert.True(cache.GetStatistics().DiskHits > 0);
    }

    [Theory]
    [MemberData(nameof(Groups))]
    public async Task Get_OnTheDiskAfterARestart_IsTheValue(int[] lengths)
    {
        (await OpenWithAllOnDiskAsync(lengths)).Dispose();
        using var after = OpenCache.OpenCold(_directory.Path);
        foreach (var (set, length) in SettersWith(lengths)) await AssertReadsAsync(after, KeyOf(set, length), length);
    }

    [Theory]
    [MemberData(nameof(Groups))]
    public async Task GetManyAsync_OnTheDisk_IsTheValues(int[] lengths)
    {
        using var cache = await OpenWithAllOnDiskAsync(lengths);
        var values = await cache.GetManyAsync(SettersWith(lengths).Select(pair => KeyOf(pair.Set, pair.Length)));
        Assert.Equal(CacheMembers.Setters.Length * lengths.Length, values.Count);
        Assert.All(SettersWith(lengths), pair => AssertSame(pair.Length, values[KeyOf(pair.Set, pair.Length)]));
    }

    [Theory]
    [MemberData(nameof(Groups))]
    public async Task Set_OverAValueOnTheDisk_ReplacesIt(int[] lengths)
    {
        using var cache = await OpenWithAllOnDiskAsync(lengths);
        foreach (var (set, length) in SettersWith(lengths))
        {
            byte[] value = OpenCache.Value(length + 1, seed: 77);
            await cache.StoreAsync(set, KeyOf(set, length), value[..length]);
            Assert.True(value.AsSpan(0, length).SequenceEqual(cache.Get(KeyOf(set, length))));
        }
    }

    [Theory]
    [MemberData(nameof(Groups))]
    public async Task Remove_AValueOnTheDisk_IsMissAlsoAfterARestart(int[] lengths)
    {
        using (var cache = await OpenWithAllOnDiskAsync(lengths))
        {
            foreach (int length in lengths)
            {
                cache.Remove(KeyOf(SetMember.Set, length));
                await cache.RemoveAsync(KeyOf(SetMember.SetAsync, length));
                Assert.Null(cache.Get(KeyOf(SetMember.Set, length)));
                Assert.Null(cache.Get(KeyOf(SetMember.SetAsync, length)));
            }
        }

        using var after = OpenCache.OpenCold(_directory.Path);
        Assert.All(lengths, length => Assert.Null(after.Get(KeyOf(SetMember.Set, length))));
        Assert.All(lengths, length => Assert.Null(after.Get(KeyOf(SetMember.SetAsync, length))));
        Assert.All(lengths, length => AssertSame(length, after.Get(KeyOf(SetMember.SetSequence, length))));
    }

    /// <summary>Every length around the powers of two, where the ways in which values are placed change.</summary>
    [Fact]
    public void Get_LengthsAroundThePowersOfTwo_AreTheValues()
    {
        int[] lengths = [.. from shift in Enumerable.Range(3, 18) from offset in new[] { -40, -20, -1, 0, 1 } select Math.Max(0, (1 << shift) + offset)];
        using (var cache = OpenCache.Open(_directory.Path))
        {
            foreach (int length in lengths) cache.Set($"{length}", OpenCache.Value(length, length), OpenCache.NoExpiration);
            foreach (int length in lengths) AssertSame(length, cache.Get($"{length}"));
        }

        using var after = OpenCache.Open(_directory.Path);
        foreach (int length in lengths) AssertSame(length, after.Get($"{length}"));
    }

    [Fact]
    public void Get_ExpiredWhileClosed_IsMiss()
    {
        var clock = new ManualTimeProvider();
        using (var before = OpenCache.Open(_directory.Path, clock))
        {
            before.Set("short", [1], OpenCache.In(TimeSpan.FromMinutes(5)));
            before.Set("long", [1], OpenCache.In(TimeSpan.FromMinutes(50)));
            before.Set("for ever", [1], OpenCache.NoExpiration);
        }

        clock.Advance(TimeSpan.FromMinutes(5));
        using var after = OpenCache.Open(_directory.Path, clock);
        Assert.Null(after.Get("short"));
        Assert.Equal(TimeSpan.FromMinutes(45), after.Info("long").TimeLeft);
        Assert.Null(after.Info("for ever").TimeLeft);
    }

    [Fact]
    public void Get_SlidingAfterARestart_RenewsUpToTheAbsoluteExpiration()
    {
        var clock = new ManualTimeProvider();
        using (var before = OpenCache.Open(_directory.Path, clock)) before.Set("k", [1], SlidingUpTo(12));
        clock.Advance(TimeSpan.FromMinutes(6));
        using var after = OpenCache.Open(_directory.Path, clock);
        Assert.NotNull(after.Get("k"));
        Assert.Equal(TimeSpan.FromMinutes(6), after.Info("k").TimeLeft);
        clock.Advance(TimeSpan.FromMinutes(6));
        Assert.Null(after.Get("k"));
    }

    [Fact]
    public void Get_RenewedBeforeARestart_IsRenewedAfterIt()
    {
        var clock = new ManualTimeProvider();
        using (var before = OpenCache.Open(_directory.Path, clock))
        {
            before.Set("k", [1], OpenCache.Sliding(TimeSpan.FromMinutes(8)));
            clock.Advance(TimeSpan.FromMinutes(6));
            Assert.NotNull(before.Get("k"));
        }

        clock.Advance(TimeSpan.FromMinutes(6));
        using var after = OpenCache.Open(_directory.Path, clock);
        Assert.NotNull(after.Get("k"));
    }

    [Theory]
    [InlineData(10)]
    [InlineData(1_000_000)]
    public void Get_SlidingOnTheDisk_RenewsUpToTheAbsoluteExpiration(int length) => AssertRenewsOnDisk(length, static cache => Assert.NotNull(cache.Get("k")));

    [Theory]
    [InlineData(10)]
    [InlineData(1_000_000)]
    public void Refresh_SlidingOnTheDisk_RenewsUpToTheAbsoluteExpiration(int length) => AssertRenewsOnDisk(length, static cache => cache.Refresh("k"));

    private static DistributedCacheEntryOptions SlidingUpTo(int minutes) =>
        new() { SlidingExpiration = TimeSpan.FromMinutes(8), AbsoluteExpirationRelativeToNow = TimeSpan.FromMinutes(minutes) };

    private static string KeyOf(SetMember set, int length) => $"{set} {length}";

    private static IEnumerable<(SetMember Set, int Length)> SettersWith(int[] lengths) => from length in lengths from set in CacheMembers.Setters select (set, length);

    private static async Task StoreAsync(FasterDistributedCache cache, int[] lengths)
    {
        foreach (var (set, length) in SettersWith(lengths)) await cache.StoreAsync(set, KeyOf(set, length), OpenCache.Value(length, length));
    }

    private static async Task AssertReadsAsync(FasterDistributedCache cache, string key, int length)
    {
        foreach (var get in CacheMembers.Getters) AssertSame(length, await cache.ReadAsync(get, key));
        Assert.Equal(length, cache.Info(key).Length);
    }

    /// <summary>Faster than comparing element by element.</summary>
    private static void AssertSame(int length, byte[]? value)
    {
        Assert.NotNull(value);
        Assert.Equal(length, value.Length);
        Assert.True(OpenCache.Value(length, length).AsSpan().SequenceEqual(value), $"another value of {length} bytes");
    }

    private void AssertRenewsOnDisk(int length, Action<FasterDistributedCache> renew)
    {
        var clock = new ManualTimeProvider();
        using var cache = OpenCache.OpenCold(_directory.Path, clock);
        cache.Set("k", OpenCache.Value(length, length), SlidingUpTo(20));
        foreach (var left in new[] { 8, 8, 2 })
        {
            cache.PushToDisk("k");
            clock.Advance(TimeSpan.FromMinutes(6));
            renew(cache);
            Assert.Equal(TimeSpan.FromMinutes(left), cache.Info("k").TimeLeft);
        }

        AssertSame(length, cache.Get("k"));
        clock.Advance(TimeSpan.FromMinutes(2));
        Assert.Null(cache.Get("k"));
    }

    private async Task<FasterDistributedCache> OpenWithAllOnDiskAsync(int[] lengths)
    {
        var cache = OpenCache.OpenCold(_directory.Path);
        await StoreAsync(cache, lengths);
        cache.PushToDisk([.. SettersWith(lengths).Select(pair => KeyOf(pair.Set, pair.Length))]);
        return cache;
    }
}
