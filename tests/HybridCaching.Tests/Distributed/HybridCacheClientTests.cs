using HybridCaching.Tests.Concurrency;
using HybridCaching.Tests.Support;

namespace HybridCaching.Tests.Distributed;

/// <summary>The cache as the second level of Microsoft's HybridCache.</summary>
public sealed class HybridCacheClientTests : IDisposable
{
    private static readonly TimeSpan FiveMinutes = TimeSpan.FromMinutes(5);

    private readonly TestDirectory _directory = new();
    private readonly ManualTimeProvider _clock = new();
    private FasterDistributedCache _cache;

    public HybridCacheClientTests() => _cache = OpenCache.Open(clock: _clock);

    public static TheoryData<int> Lengths => [0, 1, 500, 60_000, 700_000];

    public void Dispose()
    {
        _cache.Dispose();
        _directory.Dispose();
    }

    [Theory]
    [MemberData(nameof(Lengths))]
    public async Task GetOrCreate_Twice_CreatesOnce(int length)
    {
        var client = NewClient();
        for (int i = 0; i < 2; i++) Assert.Equal(OpenCache.Value(length), await GetOrCreateAsync(client, "k", OpenCache.Value(length)));
        AssertHealthy(client, created: 1);
    }

    [Fact]
    public async Task GetOrCreate_AnotherClient_FindsTheValue()
    {
        await GetOrCreateAsync(NewClient(), "k", [1]);
        var other = NewClient();
        Assert.Equal([1], await GetOrCreateAsync(other, "k", [2]));
        AssertHealthy(other, created: 0);
    }

    [Fact]
    public async Task GetOrCreate_AfterARestart_FindsTheValue()
    {
        Reopen();
        await GetOrCreateAsync(NewClient(), "k", [1]);
        Reopen();
        var client = NewClient();
        Assert.Equal([1], await GetOrCreateAsync(client, "k", [2]));
        AssertHealthy(client, created: 0);
    }

    [Fact]
    public async Task GetOrCreate_AfterTheDuration_CreatesAgain()
    {
        var client = NewClient();
        await GetOrCreateAsync(client, "k", [1]);
        _clock.Advance(FiveMinutes);
        Assert.Equal([2], await GetOrCreateAsync(client, "k", [2]));
        AssertHealthy(client, created: 2);
    }

    [Fact]
    public async Task GetOrCreate_Removed_CreatesAgain()
    {
        var client = NewClient();
        await GetOrCreateAsync(client, "k", [1]);
        await client.RemoveAsync("k");
        await client.RemoveAsync("k");
        Assert.Equal([2], await GetOrCreateAsync(client, "k", [2]));
        AssertHealthy(client, created: 2);
    }

    [Fact]
    public async Task GetOrCreate_InMemory_ReadsSynchronously()
    {
        var client = NewClient();
        int before = client.SynchronousReads;
        await GetOrCreateAsync(client, "k", [1]);
        for (int i = 0; i < 100; i++) await GetOrCreateAsync(client, "k", [1]);
        Assert.Equal(0, client.AsynchronousReads);
        Assert.Equal(101, client.SynchronousReads - before);
    }

    [Fact]
    public async Task GetOrCreate_OnTheDisk_FindsTheValue()
    {
        _cache.Dispose();
        _cache = OpenCache.OpenCold(_directory.Path, _clock);
        var client = NewClient();
        foreach (int length in new[] { 0, 500, 700_000 }) await GetOrCreateAsync(client, $"{length}", OpenCache.Value(length));
        _cache.PushToDisk("0", "500", "700000");
        foreach (int length in new[] { 0, 500, 700_000 }) Assert.Equal(OpenCache.Value(length), await GetOrCreateAsync(client, $"{length}", []));
        AssertHealthy(client, created: 3);
    }

    /// <summary>The writer of a client with a lower limit throws from within our write: it logs that, and all others go on.</summary>
    [Fact]
    public async Task GetOrCreate_PayloadLongerThanTheReaderTakes_IsAMissOfThatReaderOnly()
    {
        await GetOrCreateAsync(NewClient(), "k", OpenCache.Value(5_000));
        var strict = NewClient(maximumPayloadBytes: 4_000);
        Assert.Equal([2], await GetOrCreateAsync(strict, "k", [2]));
        Assert.Equal("Max length exceeded", Assert.IsType<InvalidOperationException>(Assert.Single(strict.Logged)).Message);
        Assert.Equal([2], await GetOrCreateAsync(NewClient(), "k", [3]));
    }

    [Fact]
    public async Task GetOrCreate_ManyKeysWithTheSameRentedArray_KeepsEachValue()
    {
        var client = NewClient();
        for (int i = 0; i < 500; i++) await GetOrCreateAsync(client, $"k{i}", OpenCache.Value(100 + i, i));
        for (int i = 0; i < 500; i++) Assert.Equal(OpenCache.Value(100 + i, i), await GetOrCreateAsync(client, $"k{i}", []));
        AssertHealthy(client, created: 500);
    }

    [Fact]
    public async Task GetOrCreate_SharedOptions_AreNotChanged()
    {
        var client = NewClient();
        for (int i = 0; i < 10; i++)
        {
            await GetOrCreateAsync(client, $"k{i}", [1]);
            _clock.Advance(TimeSpan.FromMinutes(1));
        }

        var (duration, options) = Assert.Single(client.SharedOptions);
        Assert.Equal(duration, options.AbsoluteExpirationRelativeToNow);
        Assert.Null(options.AbsoluteExpiration);
        Assert.Null(options.SlidingExpiration);
    }

    /// <summary>Were the object kept or filled in by an earlier Set, the second entry would expire with the first.</summary>
    [Fact]
    public async Task GetOrCreate_SharedOptionsUsedLater_CountFromThen()
    {
        var client = NewClient();
        await GetOrCreateAsync(client, "first", [1]);
        _clock.Advance(FiveMinutes - TimeSpan.FromSeconds(1));
        await GetOrCreateAsync(client, "second", [1]);
        Assert.Equal(FiveMinutes, _cache.Info("second").TimeLeft);
    }

    [Fact]
    public async Task GetOrCreate_CallersHaveLeft_ThrowsAndTheCacheGoesOn()
    {
        var client = NewClient();
        using var left = new CancellationTokenSource();
        await Assert.ThrowsAnyAsync<OperationCanceledException>(() => client.GetOrCreateAsync("k", () => CancelAndCreate(left), FiveMinutes, token: left.Token));
        Assert.Equal([2], await GetOrCreateAsync(client, "k", [2]));
        AssertHealthy(client, created: 2);
    }

    [Fact]
    public async Task RemoveByTag_TaggedEntries_AreCreatedAgain()
    {
        var client = NewClient();
        await GetOrCreateAsync(client, "tagged", [1], "red", "round");
        await GetOrCreateAsync(client, "other", [1], "blue");
        await GetOrCreateAsync(client, "untagged", [1]);
        _clock.Advance(TimeSpan.FromSeconds(1));
        await client.RemoveByTagAsync("red");
        _clock.Advance(TimeSpan.FromSeconds(1));
        Assert.Equal([2], await GetOrCreateAsync(client, "tagged", [2], "red", "round"));
        Assert.Equal([1], await GetOrCreateAsync(client, "other", [2], "blue"));
        Assert.Equal([1], await GetOrCreateAsync(client, "untagged", [2]));
        AssertHealthy(client, created: 4);
    }

    [Fact]
    public async Task RemoveByTag_CreatedAfterwards_IsFound()
    {
        var client = NewClient();
        await client.RemoveByTagAsync("red");
        _clock.Advance(TimeSpan.FromSeconds(1));
        await GetOrCreateAsync(client, "k", [1], "red");
        Assert.Equal([1], await GetOrCreateAsync(NewClient(), "k", [2], "red"));
    }

    [Theory]
    [InlineData("red")]
    [InlineData("*")]
    public async Task RemoveByTag_AnotherClientAfterARestart_DoesNotFindTheEntries(string removed)
    {
        Reopen();
        var client = NewClient();
        await GetOrCreateAsync(client, "k", [1], "red");
        _clock.Advance(TimeSpan.FromSeconds(1));
        await client.RemoveByTagAsync(removed);
        Reopen();
        _clock.Advance(TimeSpan.FromSeconds(1));
        Assert.Equal([2], await GetOrCreateAsync(NewClient(), "k", [2], "red"));
    }

    /// <summary>The marker has to live as long as anything it invalidates, however little it is read.</summary>
    [Theory]
    [InlineData("red")]
    [InlineData("*")]
    public async Task RemoveByTag_MarkerOnTheDisk_StillHolds(string removed)
    {
        _cache.Dispose();
        _cache = OpenCache.OpenCold(_directory.Path, _clock);
        var client = NewClient();
        await client.GetOrCreateAsync("k", () => [1], TimeSpan.FromDays(900), ["red"]);
        _clock.Advance(TimeSpan.FromSeconds(1));
        await client.RemoveByTagAsync(removed);
        _cache.Set("stored later", [1], OpenCache.NoExpiration);
        _cache.PushToDisk("k", "stored later");
        _clock.Advance(TimeSpan.FromDays(800));
        Assert.Equal([2], await GetOrCreateAsync(NewClient(), "k", [2], "red"));
    }

    [Fact]
    public async Task RemoveByTag_Star_InvalidatesEverything()
    {
        var client = NewClient();
        await GetOrCreateAsync(client, "tagged", [1], "red");
        await GetOrCreateAsync(client, "untagged", [1]);
        _clock.Advance(TimeSpan.FromSeconds(1));
        await client.RemoveByTagAsync("*");
        _clock.Advance(TimeSpan.FromSeconds(1));
        var other = NewClient();
        Assert.Equal([2], await GetOrCreateAsync(other, "tagged", [2], "red"));
        Assert.Equal([2], await GetOrCreateAsync(other, "untagged", [2]));
    }

    [Fact]
    public async Task RemoveByTag_MarkerIsAnOrdinaryEntry_OfEightBytesAndAThousandDays()
    {
        await NewClient().RemoveByTagAsync("red");
        var info = _cache.Info("__MSFT_HCT__red");
        Assert.Equal(8, info.Length);
        Assert.Equal(TimeSpan.FromDays(1000), info.TimeLeft);
    }

    /// <summary>Constructors run while the container is being built, perhaps under its locks: nothing may need another thread's help.</summary>
    [Fact]
    public void Constructor_ManyAtOnce_Work() => Crew.Run(4, _ =>
    {
        var client = NewClient();
        Assert.True(client.SynchronousReads > 0);
        Assert.Empty(client.Logged);
    });

    [Fact]
    public async Task GetOrCreate_ManyClientsAtOnce_ReturnOnlyWhatWasStored()
    {
        await Task.WhenAll(Enumerable.Range(0, 8).Select(me => Task.Run(async () =>
        {
            var client = NewClient();
            for (int i = 0; i < 300; i++)
            {
                string key = $"k{i % 10}";
                byte[] value = await GetOrCreateAsync(client, key, OpenCache.Value(2_000, i % 10), "red");
                Assert.Equal(OpenCache.Value(2_000, i % 10), value);
                if (i % 50 == me) await client.RemoveAsync(key);
                if (i % 60 == me) await client.RemoveByTagAsync("red");
            }

            Assert.Empty(client.Logged);
            Assert.Equal(0, client.InvalidData);
        })));
    }

    private static Task<byte[]> GetOrCreateAsync(HybridCacheClient client, string key, byte[] value, params string[] tags) => client.GetOrCreateAsync(key, () => value, FiveMinutes, tags);

    private static byte[] CancelAndCreate(CancellationTokenSource source)
    {
        source.Cancel();
        return [1];
    }

    private static void AssertHealthy(HybridCacheClient client, int created)
    {
        Assert.Equal(created, client.Created);
        Assert.Equal(0, client.InvalidData);
        Assert.Empty(client.Logged);
    }

    private HybridCacheClient NewClient(int maximumPayloadBytes = 1 << 20) => new(_cache, _clock, maximumPayloadBytes);

    /// <summary>Opens what the directory holds.</summary>
    private void Reopen()
    {
        _cache.Dispose();
        _cache = OpenCache.Open(_directory.Path, _clock);
    }
}
