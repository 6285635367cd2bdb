using System.Diagnostics;
using HybridCaching.Configuration;
using HybridCaching.Devices;
using HybridCaching.Tests.Concurrency;
using HybridCaching.Tests.Support;

namespace HybridCaching.Tests.Distributed;

/// <summary>A disk whose reads hang: a read is a miss once the timeout is over, every call ends, and when the disk is back nothing is amiss.</summary>
public sealed class BytesHungReadTests : IDisposable
{
    private const string Warm = BytesColdCache.Warm;

    private readonly BytesColdCache _cold = new(TimeSpan.FromMilliseconds(100));
    private readonly FasterDistributedCache _cache;

    public BytesHungReadTests()
    {
        _cache = _cold.Cache;
        _cold.Gate.Close();
    }

    public static TheoryData<string> Keys => [BytesColdCache.Small, BytesColdCache.Large];

    public void Dispose() => _cold.Dispose();

    [Theory]
    [MemberData(nameof(Keys))]
    public void Get_ReadHangs_IsAMissAndATimeout(string key)
    {
        _cold.MustEnd("Get", () => Assert.Null(_cache.Get(key)));

        Assert.InRange(_cache.GetStatistics().Timeouts, 1, 10);
    }

    [Theory]
    [MemberData(nameof(Keys))]
    public void TryGet_ReadHangs_IsAMissThatWritesNothing(string key)
    {
        var writer = new BytesWriter();
        _cold.MustEnd("TryGet", () => Assert.False(_cache.TryGet(key, writer)));
        writer.Close();
        _cold.OpenGateAndClose();

        Assert.Equal((0, 0), (writer.WrittenCount, writer.CallsAfterClose));
    }

    [Theory]
    [MemberData(nameof(Keys))]
    public void TryGet_ReadIntoASpanHangs_LeavesItAlone(string key)
    {
        byte[] span = new byte[300_000];
        _cold.MustEnd("TryGet", () => Assert.False(_cache.TryGet(key, span, out _)));
        _cold.OpenGateAndClose();

        Assert.Equal(-1, span.AsSpan().IndexOfAnyExcept((byte)0));
    }

    [Theory]
    [MemberData(nameof(Keys))]
    public void TryGetEntryInfo_ReadHangs_Ends(string key) => _cold.MustEnd("TryGetEntryInfo", () => _cache.TryGetEntryInfo(key, out _));

    [Theory]
    [MemberData(nameof(Keys))]
    public void AsyncMembers_NoTokenAndReadHangs_AreMisses(string key) => AssertMisses(key, CancellationToken.None);

    [Theory]
    [MemberData(nameof(Keys))]
    public void AsyncMembers_TokenNeverCancelledAndReadHangs_AreMisses(string key)
    {
        using var never = new CancellationTokenSource();
        AssertMisses(key, never.Token);
    }

    /// <summary>More keys than are read at once.</summary>
    [Fact]
    public void GetManyAsync_ReadsHang_CountsEachTimeoutAndFindsWhatIsInMemory()
    {
        const int Hanging = 70;
        string[] keys = [.. Enumerable.Range(0, Hanging).Select(BytesColdCache.ColdKey), Warm];

        _cold.MustEnd("GetManyAsync", () => Assert.Equal([Warm], _cache.GetManyAsync(keys).AsTask().GetAwaiter().GetResult().Keys));

        Assert.Equal(Hanging, _cache.GetStatistics().Timeouts);
    }

    /// <summary>Together they take longer than the disk timeout, each answer comes well within it.</summary>
    [Fact]
    public async Task GetManyAsync_TokenAndSlowDisk_FindsEach()
    {
        var eachTakes = TimeSpan.FromMilliseconds(15) * MemoryPlan.ReadThreads; // there is an answer every 15 ms
        var timeout = TimeSpan.FromSeconds(3);
        using var cold = new BytesColdCache(timeout);
        using var never = new CancellationTokenSource();
        string[] keys = [.. Enumerable.Range(0, BytesColdCache.ColdKeys).Select(BytesColdCache.ColdKey)];
        new Random(1).Shuffle(keys);
        cold.Cache.Tiers.Device!.Fault = request =>
        {
            if (request.Kind == IoKind.Read) Thread.Sleep(eachTakes);
            return false;
        };
        long start = Stopwatch.GetTimestamp();

        Assert.Equal(keys.Length, (await cold.Cache.GetManyAsync(keys, never.Token)).Count);
        Assert.True(Stopwatch.GetElapsedTime(start) > timeout);
    }

    [Fact]
    public void GetManyAsync_DiskBackAfterTimeouts_FindsEach()
    {
        string[] keys = [BytesColdCache.Large, .. Enumerable.Range(0, 70).Select(BytesColdCache.ColdKey), BytesColdCache.Small];
        _cold.MustEnd("GetManyAsync", () => Assert.Empty(_cache.GetManyAsync(keys).AsTask().GetAwaiter().GetResult()));
        _cold.Gate.Open();

        Until.True(() => _cache.GetManyAsync(keys).AsTask().GetAwaiter().GetResult() is { } found && found.Count == keys.Length && found.All(pair => BytesColdCache.ValueOf(pair.Key, 1).AsSpan().SequenceEqual(pair.Value)), "the disk answers again");
    }

    [Theory]
    [MemberData(nameof(Keys))]
    public void Remove_ReadHangs_Removes(string key)
    {
        _cold.MustEnd("Remove", () => _cache.Remove(key));
        _cold.Gate.Open();

        Assert.Null(_cache.Get(key));
    }

    [Theory]
    [MemberData(nameof(Keys))]
    public void Set_ReadHangs_IsThere(string key)
    {
        _cold.MustEnd("Set", () => _cold.Set(key, version: 2));
        _cold.MustEnd("Get", () => Assert.Equal(BytesColdCache.ValueOf(key, 2), _cache.Get(key)));
    }

    [Theory]
    [MemberData(nameof(Keys))]
    public void Refresh_ReadHangs_Ends(string key) => _cold.MustEnd("Refresh", () => _cache.Refresh(key));

    [Fact]
    public void Clear_ReadsHang_Clears()
    {
        _cold.MustEnd("Get", () => _cache.Get(BytesColdCache.Small));
        _cold.MustEnd("Clear", _cache.Clear);
        _cold.Gate.Open();

        Assert.Equal((null, null), (_cache.Get(BytesColdCache.Small), _cache.Get(BytesColdCache.Large)));
    }

    [Fact]
    public void Dispose_ReadHangs_Ends()
    {
        _cold.MustEnd("Get", () => _cache.Get(BytesColdCache.Small));
        _cold.MustEnd("Dispose", _cache.Dispose);
    }

    [Fact]
    public void Dispose_DiskBackAfterTimeouts_KeepsEverything()
    {
        Crew.Run(20, me => _cache.Get(me % 2 == 0 ? BytesColdCache.Large : BytesColdCache.ColdKey(me)));
        _cold.OpenGateAndClose();

        using var again = _cold.Reopen();
        Assert.All([BytesColdCache.Small, BytesColdCache.Large, Warm], key => BytesColdCache.AssertThere(again, key));
    }

    [Theory]
    [MemberData(nameof(Keys))]
    public void Get_DiskBack_IsHit(string key)
    {
        _cold.MustEnd("Get", () => Assert.Null(_cache.Get(key)));
        _cold.Gate.Open();

        Until.True(() => _cache.Get(key) is { } value && value.AsSpan().SequenceEqual(BytesColdCache.ValueOf(key, 1)), "the disk answers again");
    }

    [Fact]
    public void Members_OthersHang_AreAnsweredFromMemory()
    {
        var hanging = Enumerable.Range(0, 200).Select(i => Crew.Start(() => Record.Exception(() => _cache.Get(i % 2 == 0 ? BytesColdCache.ColdKey(i) : BytesColdCache.Large)))).ToList();
        _cold.Gate.AwaitHeld();
        _cold.MustEnd("Get", () => BytesColdCache.AssertThere(_cache, Warm));
        _cold.MustEnd("Set", () => _cold.Set(Warm, version: 2));
        _cold.MustEnd("Get", () => Assert.Equal(BytesColdCache.ValueOf(Warm, 2), _cache.Get(Warm)));
        foreach (var thread in hanging) _cold.MustEnd("Get", thread.Join);
    }

    private void AssertMisses(string key, CancellationToken token)
    {
        var writer = new BytesWriter();
        _cold.MustEnd("GetAsync", () => Assert.Null(_cache.GetAsync(key, token).GetAwaiter().GetResult()));
        _cold.MustEnd("TryGetAsync", () => Assert.False(_cache.TryGetAsync(key, writer, token).AsTask().GetAwaiter().GetResult()));
        _cold.MustEnd("GetManyAsync", () => Assert.Equal([Warm], _cache.GetManyAsync([key, Warm], token).AsTask().GetAwaiter().GetResult().Keys));
        _cold.MustEnd("RefreshAsync", () => _cache.RefreshAsync(key, token).GetAwaiter().GetResult());

        Assert.Equal(0, writer.WrittenCount);
    }
}
