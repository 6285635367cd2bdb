using HybridCaching.Tests.Distributed;
using HybridCaching.Tests.Support;

namespace HybridCaching.Tests.Tiering;

/// <summary>How many entries there are without a disk tier, and how many had to leave. Housekeeping never comes.</summary>
public sealed class MemoryOnlyCountTests
{
    private const int Many = 200_000;
    private const int ValueBytes = 500;

    [Fact]
    public void EstimatedCount_TypedBeyondMemory_IsHowManyThereAre()
    {
        using var cache = OpenTyped();
        cache.Fill(0, Many, version: 1);

        long count = cache.EstimatedCount;

        Assert.InRange(cache.CountHits(0, Many, version: 1), count * 0.9, count * 1.1);
    }

    [Fact]
    public void Evictions_TypedBeyondMemory_AreThoseThatLeft()
    {
        using var cache = OpenTyped();
        cache.Fill(0, Many, version: 1);

        Assert.Equal(Many, cache.EstimatedCount + cache.GetStatistics().Evictions);
    }

    [Fact]
    public void EstimatedCount_BytesBeyondMemory_IsHowManyThereAre()
    {
        using var cache = OpenBytes();
        Fill(cache, 0, Many);

        long count = cache.EstimatedCount;

        Assert.InRange(CountHits(cache, 0, Many), count * 0.9, count * 1.1);
    }

    [Fact]
    public void Evictions_BytesBeyondMemory_AreThoseThatLeft()
    {
        using var cache = OpenBytes();
        Fill(cache, 0, Many);

        Assert.Equal(Many, cache.EstimatedCount + cache.GetStatistics().Evictions);
    }

    [Fact]
    public void EstimatedCount_BytesOverwrittenAgainAndAgain_IsHowManyThereAre()
    {
        using var cache = OpenBytes();
        for (int round = 0; round < 20; round++) Fill(cache, 0, Many / 20, ValueBytes);

        long count = cache.EstimatedCount;

        Assert.InRange(CountHits(cache, 0, Many / 20), count * 0.9, count * 1.1);
    }

    [Fact]
    public void EstimatedCount_BytesStoredAnewAfterTheyLeft_IsHowManyThereAre()
    {
        using var cache = OpenBytes();
        for (int round = 0; round < 10; round++) Fill(cache, 0, Many / 5);

        long count = cache.EstimatedCount;

        Assert.InRange(CountHits(cache, 0, Many / 5), count * 0.9, count * 1.1);
    }

    [Fact]
    public void Evictions_EverythingFits_AreNone()
    {
        using var cache = OpenBytes();
        Fill(cache, 0, 1_000);

        Assert.Equal(0, cache.GetStatistics().Evictions);
    }

    [Fact]
    public void EstimatedCount_ClearedBeyondMemory_IsThatOfWhatCameLater()
    {
        using var cache = OpenBytes();
        Fill(cache, 0, Many);
        cache.Clear();
        Fill(cache, 0, 100);

        Assert.Equal(100, cache.EstimatedCount);
    }

    [Fact]
    public void Statistics_ClearedBeyondMemory_TellOfEveryEntryOnce()
    {
        using var cache = OpenBytes();
        Fill(cache, 0, Many);
        cache.Clear();
        Fill(cache, 0, Many);

        var statistics = cache.GetStatistics();
        Assert.InRange(cache.EstimatedCount + statistics.Evictions + statistics.ClearedEntries, (2 * Many) - 10, (2 * Many) + 10);
    }

    private static FasterCache<long, Stamp> OpenTyped() => new(new FasterCacheOptions { MemoryBudget = "8MB", DiskTimeout = Until.Deadline }, new ManualTimeProvider());

    private static FasterDistributedCache OpenBytes() => BytesCache.Open(null, change: o => o.TypicalEntryBytes = FasterDistributedCacheOptions.DefaultTypicalEntryBytes, housekeeping: new ManualTimeProvider());

    private static void Fill(FasterDistributedCache cache, int first, int count, int bytes = ValueBytes)
    {
        byte[] value = new byte[bytes];
        for (int i = first; i < first + count; i++) cache.Set($"key:{i}", value, BytesCache.ForEver);
    }

    private static int CountHits(FasterDistributedCache cache, int first, int count) => Enumerable.Range(first, count).Count(i => cache.Get($"key:{i}") is not null);
}
