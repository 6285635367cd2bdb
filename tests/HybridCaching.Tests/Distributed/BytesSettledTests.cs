using HybridCaching.Devices;
using HybridCaching.Store;
using HybridCaching.Tests.Concurrency;
using HybridCaching.Tests.Support;

namespace HybridCaching.Tests.Distributed;

/// <summary>The same for the cache of bytes: what FASTER's log lets go, in one piece or in several.</summary>
public sealed class BytesSettledTests : IDisposable
{
    private const int Small = 1_000;
    private const int InPieces = 200_000;

    private readonly TestDirectory _directory = new();

    [Theory]
    [InlineData(Small, 20_000)]
    [InlineData(InPieces, 120)]
    public void Set_LessThanTheDiskHolds_LosesNothing(int length, int count)
    {
        using var cache = Open();
        Fill(cache, "key", length, count);

        Assert.InRange(CountHits(cache, "key", length, count), count - 1, count);
        Assert.True(cache.Tiers.Settled!.Index.Count > 0, "something was let go");
    }

    [Theory]
    [InlineData(Small, 20_000)]
    [InlineData(InPieces, 120)]
    public void Reopen_Settled_IsWarm(int length, int count)
    {
        using (var cache = Open()) Fill(cache, "key", length, count);
        using var again = Open();

        Assert.InRange(CountHits(again, "key", length, count), count - 1, count);
    }

    [Theory]
    [InlineData(Small, 5_000, 8)]
    [InlineData(InPieces, 30, 8)]
    public void Get_ReadOnTheDisk_OutlivesAScan(int length, int count, int rounds)
    {
        using var cache = Open(o => o.HotTierShare = 0);
        Fill(cache, "wanted", length, count);
        for (int round = 0; round < rounds; round++)
        {
            for (int part = 0; part < 4; part++)
            {
                cache.Push(4 << 20, (4 * round) + part);
                CountHits(cache, "wanted", length, count);
            }
        }

        Assert.InRange(CountHits(cache, "wanted", length, count), count * 0.96, count);
        Assert.True(cache.Tiers.Settled!.MainTail > cache.Tiers.Settled.Index.FirstOfMain, "the main log was used");
    }

    /// <summary>The pieces of a value stay or go together: a disk that holds three quarters of the values gives most of those.</summary>
    [Fact]
    public void Get_MoreLongValuesThanTheDiskHolds_FindsWholeOnes()
    {
        const int Values = 300;
        const int Reads = 1_500;
        using var cache = Open(o => (o.HotTierShare, o.TypicalEntryBytes) = (0, "16KB"));
        var random = new Random(7);
        int hits = 0;
        for (int i = -Reads; i < Reads; i++)
        {
            string key = $"long {random.Next(Values)}";
            if (cache.Get(key) is null) cache.Set(key, BytesValue.Of(key, 1, InPieces), BytesCache.ForEver);
            else if (i >= 0) hits++;
        }

        Assert.InRange(hits / (double)Reads, 0.65, 0.8);
    }

    [Fact]
    public void Remove_Settled_IsGoneAlsoAfterARestart()
    {
        using (var cache = Open())
        {
            Fill(cache, "key", Small, 20_000);
            for (int i = 0; i < 1_000; i++) cache.Remove($"key {i}");
            Assert.Equal(0, CountHits(cache, "key", Small, 1_000));
        }

        using var again = Open();

        Assert.Equal(0, CountHits(again, "key", Small, 1_000));
        Assert.InRange(CountHits(again, "key", Small, 20_000), 18_998, 19_000);
    }

    [Fact]
    public void ScanKeysAsync_Settled_ReturnsEveryKey()
    {
        using var cache = Open();
        Fill(cache, "key", Small, 20_000);

        Assert.InRange(cache.ScanKeysAsync("key *", TestContext.Current.CancellationToken).ToListBlocking().Distinct().Count(), 19_998, 20_000);
    }

    [Fact]
    public void RemoveByPrefixAsync_Settled_RemovesThoseAndNoOthers()
    {
        using var cache = Open();
        Fill(cache, "key", Small, 10_000);
        Fill(cache, "other", Small, 10_000);

        Assert.InRange(cache.RemoveByPrefixAsync("key", TestContext.Current.CancellationToken).Await(), 9_998, 10_000);
        Assert.Equal(0, CountHits(cache, "key", Small, 10_000));
        Assert.InRange(CountHits(cache, "other", Small, 10_000), 9_998, 10_000);
    }

    /// <summary>What could be read when it was copied to the main log, and cannot be when all with its prefix are removed, is not found where it was copied to.</summary>
    [Fact]
    public async Task RemoveByPrefixAsync_UnreadableWhileItIsCopied_RemovesAll()
    {
        const int Count = 5_000;
        using var cache = Open(o => o.HotTierShare = 0);
        Fill(cache, "wanted", Small, Count);
        bool isUnreadable = false;
        int removed = 0;
        cache.Tiers.Device!.Fault = request =>
        {
            if (request.Kind == IoKind.Read) return Volatile.Read(ref isUnreadable);
            if (request.Kind != IoKind.Write || request.Segment < SegmentFiles.FirstOfMain || Interlocked.Exchange(ref removed, 1) == 1) return false;
            Volatile.Write(ref isUnreadable, true);
            cache.RemoveByPrefixAsync("wanted").Await();
            Volatile.Write(ref isUnreadable, false);
            return false;
        };
        for (int round = 0; round < 40 && removed == 0; round++)
        {
            cache.Push(4 << 20, round);
            CountHits(cache, "wanted", Small, Count);
        }

        Until.True(() => removed == 1, "the main log is written");
        await cache.FlushAsync(TestContext.Current.CancellationToken); // who moves has done it
        Assert.Equal(0, CountHits(cache, "wanted", Small, Count));
    }

    /// <summary>A page that was flushed half, which failed, and whose other half is still being written, leaves memory by halves.</summary>
    [Fact]
    public async Task RemoveByPrefixAsync_PageOfWhichHalfIsUnreadable_RemovesAllOfIt()
    {
        const int Before = 10, After = 30;
        using var cache = BytesCache.Open(_directory.Path, change: o => (o.HotTierShare, o.DiskTimeout) = (0, TimeSpan.FromMilliseconds(20)), housekeeping: new ManualTimeProvider());
        using var gate = new DiskGate(cache.Tiers.Device!, IoKind.Write);
        var hold = cache.Tiers.Device!.Fault!;
        Fill(cache, "wanted before", Small, Before);
        cache.Tiers.Device!.Fault = static request => request.Kind == IoKind.Write;
        cache.Tiers.Flush();
        gate.Close();
        cache.Tiers.Device!.Fault = hold;
        Fill(cache, "wanted after", Small, After);
        var log = PrivateField.Of<HybridLog>(cache.Tiers, "_log");
        for (int i = 0; i < 16_000 && log.HeadAddress < Before * Small; i++) Fill(cache, $"other {i}", Small, 1);
        Assert.InRange(log.HeadAddress, Before * Small, (Before + After) * Small);

        await cache.RemoveByPrefixAsync("wanted", TestContext.Current.CancellationToken);

        AssertGone();
        gate.Open();
        cache.Tiers.Flush();
        AssertGone();

        void AssertGone() => Assert.Equal((0, 0), (CountHits(cache, "wanted before", Small, Before), CountHits(cache, "wanted after", Small, After)));
    }

    public void Dispose() => _directory.Dispose();

    private static void Fill(FasterDistributedCache cache, string prefix, int length, int count)
    {
        for (int i = 0; i < count; i++) cache.Set($"{prefix} {i}", BytesValue.Of($"{prefix} {i}", 1, length), BytesCache.ForEver);
    }

    private static int CountHits(FasterDistributedCache cache, string prefix, int length, int count)
    {
        int hits = 0;
        for (int i = 0; i < count; i++)
        {
            if (cache.Get($"{prefix} {i}") is not { } value) continue;
            Assert.True(value.AsSpan().SequenceEqual(BytesValue.Of($"{prefix} {i}", 1, length)), $"{prefix} {i}");
            hits++;
        }

        return hits;
    }

    private FasterDistributedCache Open(Action<FasterDistributedCacheOptions>? change = null) => BytesCache.Open(
        _directory.Path,
        disk: "48MB",
        change: o =>
        {
            o.TypicalEntryBytes = "1KB";
            change?.Invoke(o);
        });
}
