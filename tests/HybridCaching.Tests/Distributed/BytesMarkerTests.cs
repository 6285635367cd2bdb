using HybridCaching.Tests.Support;
using Microsoft.Extensions.Caching.Distributed;

namespace HybridCaching.Tests.Distributed;

/// <summary>
/// The tag markers of HybridCache and FusionCache leave only by expiry or removal, however much else is stored: with a marker gone, what it has invalidated would count again.
/// </summary>
public sealed class BytesMarkerTests : IDisposable
{
    private const string Ordinary = "ordinary";
    internal const string MicrosoftTag = "__MSFT_HCT__tag";
    private const string MicrosoftAll = "__MSFT_HCT__*";
    private const string FusionTag = "v2:__fc:t:tag";
    private const string FusionAll = "v2:__fc:t:!";
    private const long DiskBytes = 32 << 20;
    private const int OtherBytes = 2000;

    internal static readonly DistributedCacheEntryOptions ThousandDays = new() { AbsoluteExpirationRelativeToNow = TimeSpan.FromDays(1000) };
    private static readonly string[] Markers = [MicrosoftTag, MicrosoftAll, FusionTag, FusionAll];

    private readonly TestDirectory _directory = new();
    private readonly ManualTimeProvider _clock = new();

    /// <summary>A value too long for a marker is stored as any other; the one of its key that was stored before, or comes after, must not hide behind it.</summary>
    [Theory]
    [InlineData(OtherBytes, 8)]
    [InlineData(8, OtherBytes)]
    [InlineData(8, 9)]
    public void Get_SetAgainWithAnotherLength_FindsTheNewer(int length, int newerLength)
    {
        using var cache = BytesCache.Open(_directory.Path);
        cache.Set(MicrosoftTag, BytesValue.Of(MicrosoftTag, 1, length), ThousandDays);
        cache.Set(MicrosoftTag, new byte[newerLength], ThousandDays);

        Assert.Equal(new byte[newerLength], cache.Get(MicrosoftTag));
    }

    [Fact]
    public void Get_DiskFilledTenTimes_FindsTheMarkers()
    {
        using var cache = OpenOnDisk();
        SetMarkers(cache, version: 1);
        Fill(cache, 10 * DiskBytes, round: 0);

        AssertMarkers(cache, version: 1);
    }

    [Fact]
    public void Get_DiskFilledTenTimesWithLargeValues_FindsTheMarkers()
    {
        using var cache = OpenOnDisk();
        SetMarkers(cache, version: 1);
        Fill(cache, 10 * DiskBytes, round: 0, valueBytes: 200_000);

        AssertMarkers(cache, version: 1);
    }

    [Fact]
    public void Get_MemoryFilledManyTimes_FindsTheMarkers()
    {
        using var cache = Open(directory: null);
        SetMarkers(cache, version: 1);
        Fill(cache, 10 * (16 << 20), round: 0);

        AssertMarkers(cache, version: 1);
    }

    [Fact]
    public void Get_DiskFilledAndRestartedAndFilled_FindsTheMarkers()
    {
        using (var cache = OpenOnDisk())
        {
            SetMarkers(cache, version: 1);
            Fill(cache, 5 * DiskBytes, round: 0);
        }

        using var again = OpenOnDisk();
        AssertMarkers(again, version: 1);
        Fill(again, 5 * DiskBytes, round: 1);

        AssertMarkers(again, version: 1);
    }

    [Fact]
    public void Get_RestartedAgainAndAgain_FindsTheMarkers()
    {
        using (var cache = OpenOnDisk()) SetMarkers(cache, version: 1);
        for (int round = 0; round < 5; round++)
        {
            using var cache = OpenOnDisk();
            Fill(cache, 2 * DiskBytes, round);
        }

        using var again = OpenOnDisk();

        AssertMarkers(again, version: 1);
    }

    [Fact]
    public void Get_SetAgainInTheMiddle_FindsTheNewer()
    {
        using var cache = OpenOnDisk();
        SetMarkers(cache, version: 1);
        Fill(cache, 3 * DiskBytes, round: 0);
        SetMarkers(cache, version: 2);
        Fill(cache, 7 * DiskBytes, round: 1);

        AssertMarkers(cache, version: 2);
    }

    [Fact]
    public void Get_SetAgainBeforeARestart_FindsTheNewer()
    {
        using (var cache = OpenOnDisk())
        {
            SetMarkers(cache, version: 1);
            Fill(cache, 3 * DiskBytes, round: 0);
            SetMarkers(cache, version: 2);
        }

        using var again = OpenOnDisk();
        Fill(again, 7 * DiskBytes, round: 1);

        AssertMarkers(again, version: 2);
    }

    [Fact]
    public void Get_Removed_StaysRemoved()
    {
        using (var cache = OpenOnDisk())
        {
            SetMarkers(cache, version: 1);
            Fill(cache, 3 * DiskBytes, round: 0);
            foreach (string marker in Markers) cache.Remove(marker);
            AssertNone(cache);
            Fill(cache, 3 * DiskBytes, round: 1);
            AssertNone(cache);
        }

        using var again = OpenOnDisk();
        AssertNone(again);
        Fill(again, 4 * DiskBytes, round: 2);

        AssertNone(again);
    }

    [Fact]
    public async Task Get_RemovedByPrefix_StaysRemoved()
    {
        using var cache = OpenOnDisk();
        SetMarkers(cache, version: 1);
        Fill(cache, 3 * DiskBytes, round: 0);
        await cache.RemoveByPrefixAsync("__MSFT_HCT__", TestContext.Current.CancellationToken);
        Fill(cache, 3 * DiskBytes, round: 1);

        Assert.Equal((null, null), (cache.Get(MicrosoftTag), cache.Get(MicrosoftAll)));
        Assert.NotNull(cache.Get(FusionTag));
    }

    [Fact]
    public void Get_Expired_IsGone()
    {
        using var cache = OpenOnDisk();
        foreach (string marker in Markers) cache.Set(marker, ValueOf(marker, 1), new DistributedCacheEntryOptions { AbsoluteExpirationRelativeToNow = TimeSpan.FromDays(10) });
        Fill(cache, 3 * DiskBytes, round: 0);
        _clock.Advance(TimeSpan.FromDays(10) - TimeSpan.FromTicks(1));
        AssertMarkers(cache, version: 1);
        _clock.Advance(TimeSpan.FromTicks(1));
        AssertNone(cache);
        Fill(cache, 3 * DiskBytes, round: 1);

        AssertNone(cache);
    }

    [Fact]
    public void TimeLeft_DiskFilledManyTimes_IsThatOfTheBeginning()
    {
        using var cache = OpenOnDisk();
        SetMarkers(cache, version: 1);
        _clock.Advance(TimeSpan.FromDays(3));
        Fill(cache, 4 * DiskBytes, round: 0);

        foreach (string marker in Markers)
        {
            Assert.True(cache.TryGetEntryInfo(marker, out var info), marker);
            Assert.Equal((TimeSpan.FromDays(997), TimeSpan.FromDays(3)), (info.TimeLeft, info.Age));
        }
    }

    [Fact]
    public void Get_AThousandMarkers_FindsAll()
    {
        const int Tags = 1000;
        using var cache = OpenOnDisk();
        for (int i = 0; i < Tags; i++) cache.Set($"__MSFT_HCT__tag {i}", ValueOf($"{i}", 1), ThousandDays);
        Fill(cache, 10 * DiskBytes, round: 0);

        Assert.Equal(Tags, Enumerable.Range(0, Tags).Count(i => cache.Get($"__MSFT_HCT__tag {i}") is { } value && value.AsSpan().SequenceEqual(ValueOf($"{i}", 1))));
    }

    [Fact]
    public async Task TryGetAsync_DiskFilledManyTimes_FindsTheMarkers()
    {
        using var cache = OpenOnDisk();
        SetMarkers(cache, version: 1);
        Fill(cache, 4 * DiskBytes, round: 0);

        foreach (string marker in Markers)
        {
            var writer = new BytesWriter();
            Assert.True(await cache.TryGetAsync(marker, writer, TestContext.Current.CancellationToken), marker);
            Assert.Equal(ValueOf(marker, 1), writer.Written.ToArray());
        }
    }

    public void Dispose() => _directory.Dispose();

    private static byte[] ValueOf(string marker, long version) => BytesValue.Of(marker, version, marker.StartsWith("v2:", StringComparison.Ordinal) ? 120 : 8);

    private static void SetMarkers(FasterDistributedCache cache, long version)
    {
        foreach (string marker in Markers) cache.Set(marker, ValueOf(marker, version), ThousandDays);
    }

    /// <summary>Stores other entries, whose first must not be there any more when all are: or the cache could hold them all.</summary>
    private static void Fill(FasterDistributedCache cache, long bytes, int round, int valueBytes = OtherBytes)
    {
        byte[] value = BytesValue.Of(Ordinary, round, valueBytes);
        long count = bytes / valueBytes;
        for (long i = 0; i < count; i++) cache.Set($"{Ordinary}:{round}:{i}", value, BytesCache.ForEver);
        Assert.Null(cache.Get($"{Ordinary}:{round}:0"));
        Assert.NotNull(cache.Get($"{Ordinary}:{round}:{count - 1}"));
    }

    private static void AssertMarkers(FasterDistributedCache cache, long version)
    {
        foreach (string marker in Markers) Assert.True(cache.Get(marker) is { } value && value.AsSpan().SequenceEqual(ValueOf(marker, version)), $"{marker} is lost");
    }

    private static void AssertNone(FasterDistributedCache cache)
    {
        foreach (string marker in Markers) Assert.Null(cache.Get(marker));
    }

    private FasterDistributedCache OpenOnDisk() => Open(_directory.Path);

    private FasterDistributedCache Open(string? directory) => BytesCache.Open(directory, "16MB", new ByteSize(DiskBytes).ToString(), o => o.TimeProvider = _clock);
}
