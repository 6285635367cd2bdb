using System.Diagnostics;
using HybridCaching.Diagnostics;
using HybridCaching.Tests.Configuration;
using HybridCaching.Tests.Support;

namespace HybridCaching.Tests.Tiering;

/// <summary>The disk budget changes while the cache is open.</summary>
public sealed class ResizeDiskTests : IDisposable
{
    private const int EntryBytes = 1048;

    private readonly TestDirectory _directory = new();

    private string Folder => StampCache.FolderIn(_directory.Path);

    [Theory]
    [InlineData("32MB", "64MB", "24MB")]
    [InlineData("32MB", "64MB", "12MB")]
    [InlineData("16MB", "64MB", "63MB")]
    [InlineData("32MB", "256MB", "48MB")]
    [InlineData("16MB", "5600KB", "5MB")]
    public void Folder_AfterShrinking_IsWithinTheNewBudget(string memory, string from, string to)
    {
        using var cache = Open(memory, from);
        Fill(cache, 0, ((ByteSize)from).Bytes / EntryBytes * 2);

        cache.Resize(memory, to);

        Assert.InRange(FolderSize.Of(Folder), 512 << 10, ((ByteSize)to).Bytes);
        Assert.Equal(((ByteSize)to).Bytes, cache.GetStatistics().DiskBudget);
        Assert.InRange(cache.GetStatistics().DiskUsage, 1, ((ByteSize)to).Bytes);
    }

    /// <summary>What has to go there is in FASTER's log, and nothing that could be moved.</summary>
    [Fact]
    public void Resize_NothingIsSettled_DoesNotWaitForTheMover()
    {
        using var cache = Open("32MB", "64MB");
        Fill(cache, 0, 2 * (64 << 20) / EntryBytes);
        long start = Stopwatch.GetTimestamp();

        cache.Resize("32MB", "12MB");

        Assert.InRange(Stopwatch.GetElapsedTime(start), TimeSpan.Zero, Until.Deadline / 3);
    }

    /// <summary>What leads to the records after a sudden end was made for the disk that there was at first.</summary>
    [Theory]
    [InlineData("96MB", false)]
    [InlineData("104MB", true)]
    [InlineData("140MB", true)]
    public void Resize_MoreSegmentsThanWereLedTo_SaysThatAKillLosesThem(string disk, bool isSaid)
    {
        var log = new CollectingLoggerFactory();
        using var cache = new FasterCache<long, Payload>(Options("32MB", "96MB"), log);

        cache.Resize("32MB", disk);

        Assert.Equal(isSaid, log.Entries.Any(e => e.Id.Name == nameof(Log.NotWarmAfterKill)));
    }

    [Fact]
    public void Folder_FilledAfterShrinking_StaysWithinTheNewBudget()
    {
        using var cache = Open("32MB", "96MB");
        Fill(cache, 0, 150_000);
        cache.Resize("32MB", "24MB");
        long most = 0;
        for (long key = 0; key < 60_000; key++)
        {
            cache.Set(key, Payload.Of(key));
            if (key % 100 == 0) most = Math.Max(most, FolderSize.Of(Folder));
        }

        Assert.InRange(most, 12 << 20, 24 << 20);
        Assert.Equal((0, 0), (cache.GetStatistics().DiskWriteErrors, cache.GetStatistics().DroppedWrites));
    }

    [Fact]
    public void Get_AfterShrinking_FindsTheNewestAndNotTheOldest()
    {
        using var cache = Open("32MB", "96MB");
        Fill(cache, 0, 200_000);

        cache.Resize("32MB", "24MB");

        Found.All(8_000, CountHits(cache, 192_000, 8_000));
        Assert.InRange(CountHits(cache, 0, 100_000), 0, 200); // some keys are taken for ones that have come back
    }

    [Fact]
    public void Get_AfterShrinkingToWhatIsThere_FindsEverything()
    {
        using var cache = Open("32MB", "256MB");
        Fill(cache, 0, 40_000);

        cache.Resize("32MB", "96MB");

        Assert.InRange(CountHits(cache, 0, 40_000), 39_990, 40_000); // one in many thousands is taken for another key's
    }

    [Fact]
    public void Get_AfterGrowing_FindsEverythingThatWasThere()
    {
        using var cache = Open("24MB", "64MB");
        Fill(cache, 0, 40_000);

        cache.Resize("24MB", "256MB");

        Assert.InRange(CountHits(cache, 0, 40_000), 39_990, 40_000); // one in many thousands is taken for another key's
    }

    [Theory]
    [InlineData("24MB", "24MB", "32MB", "192MB")]
    [InlineData("24MB", "24MB", "64MB", "192MB")]
    [InlineData("24MB", "24MB", "12MB", "48MB")]
    public void Get_FilledAfterGrowing_FindsMoreThanFitBefore(string memory, string newMemory, string from, string to)
    {
        using var cache = Open(memory, from);
        cache.Resize(newMemory, to);
        long count = ((ByteSize)to).Bytes / EntryBytes * 3 / 4;
        Fill(cache, 0, count);

        Assert.Equal((0, 0), (cache.GetStatistics().DiskWriteErrors, cache.GetStatistics().DroppedWrites));
        Assert.InRange(CountHits(cache, 0, count), count * 98 / 100, count); // where the machine has no time for the mover, a segment may go as it is
    }

    /// <summary>Small entries: what limits them is the index of those on the disk, which gets another table.</summary>
    [Fact]
    public void Get_SmallEntriesAfterGrowing_FindsMoreThanFitBefore()
    {
        using var cache = OpenLongs("32MB", "24MB");
        cache.Resize("64MB", "128MB");
        Assert.InRange(cache.Tiers.Plan.SettledTables.Length, 2, 4);
        const int Count = 2_500_000;
        for (long key = 0; key < Count; key++) cache.Set(key, ~key);
        int hits = 0;
        for (long key = 0; key < Count; key++) hits += cache.TryGet(key, out long value) && value == ~key ? 1 : 0;

        Assert.InRange(hits, Count / 100 * 99, Count);
    }

    [Fact]
    public void Evictions_AfterShrinking_TellWhatLeft()
    {
        using var cache = Open("32MB", "96MB");
        Fill(cache, 0, 80_000);
        long before = cache.GetStatistics().Evictions;

        cache.Resize("32MB", "24MB");

        Assert.InRange(cache.GetStatistics().Evictions - before, 40_000, 80_000);
        Assert.InRange(cache.EstimatedCount, 8_000, 26_000);
    }

    /// <summary>A checkpoint of the larger cache is left in the folder, though it does not count any more.</summary>
    [Fact]
    public async Task Folder_ShrunkAfterACheckpoint_IsWithinTheNewBudget()
    {
        using var cache = OpenLongs("64MB", "64MB");
        for (long key = 0; key < 3_000_000; key++) cache.Set(key, ~key);
        Assert.True(await cache.Tiers.CheckpointAsync(TestContext.Current.CancellationToken));

        cache.Resize("64MB", "24MB");

        Assert.InRange(FolderSize.Of(Folder), 1 << 20, 24 << 20);
    }

    [Theory]
    [InlineData("64MB", "24MB")]
    [InlineData("64MB", "32MB")]
    public void Dispose_ManySmallEntriesAfterShrinking_StaysWithinTheNewBudget(string from, string to)
    {
        using (var cache = OpenLongs("48MB", from))
        {
            for (long key = 0; key < 3_000_000; key++) cache.Set(key, ~key);
            cache.Resize("48MB", to);
            Assert.InRange(FolderSize.Of(Folder), 1 << 20, ((ByteSize)to).Bytes);
        }

        Assert.InRange(FolderSize.Of(Folder), 1 << 20, ((ByteSize)to).Bytes);
    }

    public void Dispose() => _directory.Dispose();

    private static void Fill(FasterCache<long, Payload> cache, long first, long count)
    {
        for (long key = first; key < first + count; key++) cache.Set(key, Payload.Of(key));
    }

    private static int CountHits(FasterCache<long, Payload> cache, long first, long count)
    {
        int hits = 0;
        for (long key = first; key < first + count; key++)
        {
            if (!cache.TryGet(key, out var value)) continue;
            Assert.True(Payload.IsOf(in value, key), $"key {key}");
            hits++;
        }

        return hits;
    }

    private FasterCache<long, Payload> Open(string memory, string disk) => new(Options(memory, disk));

    private FasterCache<long, long> OpenLongs(string memory, string disk) => new(Options(memory, disk));

    private FasterCacheOptions Options(string memory, string disk) =>
        new() { Directory = _directory.Path, Name = StampCache.Name, MemoryBudget = memory, DiskBudget = disk, DiskTimeout = Until.Deadline };
}
