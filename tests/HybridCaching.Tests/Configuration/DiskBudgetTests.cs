using HybridCaching.Tests.Support;

namespace HybridCaching.Tests.Configuration;

/// <summary>The blocks that the folder of a cache takes are within the budget at every moment.</summary>
public sealed class DiskBudgetTests : IDisposable
{
    private const int EntryBytes = 1048;

    private readonly TestDirectory _directory = new();

    private string Folder => StampCache.FolderIn(_directory.Path);

    [Theory]
    [InlineData("16MB", "16MB")]
    [InlineData("16MB", "32MB")]
    [InlineData("64MB", "12MB")]
    public void Set_TenTimesTheBudget_StaysWithinIt(string memory, string disk)
    {
        using var cache = OpenPayloads(memory, disk);
        long budget = ((ByteSize)disk).Bytes;

        long most = Write(cache, first: 0, count: 10 * budget / EntryBytes);

        Assert.InRange(most, 1, budget);
    }

    [Fact]
    public void Set_ManyThreads_StaysWithinIt()
    {
        using var cache = OpenPayloads("16MB", "16MB");
        long[] most = new long[4];
        var threads = Enumerable.Range(0, most.Length).Select(i => new Thread(() => most[i] = Write(cache, first: i * 1_000_000L, count: 30_000))).ToList();
        threads.ForEach(t => t.Start());
        threads.ForEach(t => t.Join());

        Assert.InRange(most.Max(), 4 << 20, 16 << 20);
    }

    [Fact]
    public void Set_TenTimesTheBudget_LosesNothingItShouldKeep()
    {
        using var cache = OpenPayloads("16MB", "16MB");

        Write(cache, first: 0, count: 160_000);

        var statistics = cache.GetStatistics();
        Assert.Equal((0, 0, 0), (statistics.DiskWriteErrors, statistics.DroppedWrites, statistics.CorruptEntries));
    }

    [Fact]
    public void Get_AfterTenTimesTheBudget_FindsTheNewestAndNotTheOldest()
    {
        using var cache = OpenPayloads("16MB", "16MB");
        Write(cache, first: 0, count: 160_000);

        Found.All(4000, CountHits(cache, 156_000, 4000));
        Assert.InRange(CountHits(cache, 0, 100_000), 0, 200); // some keys are taken for ones that have come back
    }

    [Fact]
    public void DiskUsage_WhileWriting_IsThatOfTheFiles()
    {
        using var cache = OpenPayloads("16MB", "16MB");
        Write(cache, first: 0, count: 40_000);
        cache.Tiers.Flush();

        Until.True(() => cache.GetStatistics().DiskUsage == Directory.EnumerateFiles(Folder).Where(static f => Path.GetFileName(f) is not ("lock" or "owner")).Sum(FolderSize.LengthOf), "usage and files agree");
    }

    [Fact]
    public void Dispose_FullCache_StaysWithinIt()
    {
        using (var cache = OpenPayloads("16MB", "16MB")) Write(cache, first: 0, count: 40_000);

        Assert.InRange(FolderSize.Of(Folder), 4 << 20, 16 << 20);
    }

    /// <summary>Many small entries: the index and its overflow buckets are the larger part of the checkpoint.</summary>
    [Theory]
    [InlineData("12MB", "16MB", 1)]
    [InlineData("12MB", "16MB", 7919)]
    [InlineData("24MB", "32MB", 1)]
    public void Dispose_ManySmallEntries_StaysWithinIt(string memory, string disk, long stride)
    {
        long budget = ((ByteSize)disk).Bytes;
        using (var cache = OpenLongs(memory, disk))
        {
            for (long key = 0; key < 5 * budget / 32; key++) cache.Set(key * stride, key);
            Assert.InRange(FolderSize.Of(Folder), 0, budget);
        }

        Assert.InRange(FolderSize.Of(Folder), 1 << 20, budget);
    }

    [Fact]
    public void Reopen_FullCacheOfManySmallEntries_IsWarm()
    {
        const int Keys = 2_000_000;
        var log = new CollectingLoggerFactory();
        using (var cache = OpenLongs("16MB", "24MB", log))
        {
            for (long key = 0; key < Keys; key++) cache.Set(key, ~key);
        }

        using var again = OpenLongs("16MB", "24MB", log);

        Assert.Empty(log.Warnings);
        for (long key = Keys - 10_000; key < Keys; key++) Assert.True(again.TryGet(key, out long value) && value == ~key, $"key {key}");
    }

    [Fact]
    public void Set_AfterRestartOfAFullCache_StaysWithinIt()
    {
        using (var cache = OpenPayloads("16MB", "16MB")) Write(cache, first: 0, count: 40_000);
        using var again = OpenPayloads("16MB", "16MB");

        long most = Write(again, first: 40_000, count: 60_000);

        Assert.InRange(most, 4 << 20, 16 << 20);
    }

    [Fact]
    public void Set_AfterRestartOfAFullCache_LosesNothingItShouldKeep()
    {
        using (var cache = OpenPayloads("16MB", "16MB")) Write(cache, first: 0, count: 40_000);
        using var again = OpenPayloads("16MB", "16MB");
        Write(again, first: 40_000, count: 60_000);

        Assert.Equal(0, again.GetStatistics().DiskWriteErrors);
        Found.All(4000, CountHits(again, 96_000, 4000));
    }

    [Fact]
    public void Dispose_ManyRestartsOfAFullCache_StaysWithinIt()
    {
        for (int run = 0; run < 5; run++)
        {
            using (var cache = OpenPayloads("16MB", "16MB")) Assert.InRange(Write(cache, first: run * 15_000, count: 15_000), 0, 16 << 20);
            Assert.InRange(FolderSize.Of(Folder), 1 << 20, 16 << 20);
        }
    }

    [Fact]
    public void Open_BudgetAboveFreeSpace_WarnsOnce()
    {
        using var mount = new MountedDirectory("32m");
        var log = new CollectingLoggerFactory();
        using var cache = StampCache.Open(mount.Path, log, o => o.DiskBudget = "64MB");

        Assert.Contains("DiskBudget", Assert.Single(log.Warnings), StringComparison.Ordinal);
    }

    /// <summary>What the cache has taken of its budget already need not be free as well.</summary>
    [Fact]
    public void Reopen_BudgetAboveFreeSpaceButNotAboveWhatItHasAndFreeSpace_WarnsOfNothing()
    {
        using var mount = new MountedDirectory("32m");
        var log = new CollectingLoggerFactory();
        using (var cache = StampCache.Open(mount.Path, log, o => o.DiskBudget = "24MB")) cache.Fill(0, 250_000, version: 1);

        using var again = StampCache.Open(mount.Path, log, o => o.DiskBudget = "24MB");

        Assert.Empty(log.Warnings);
    }

    [Fact]
    public void Clear_FullCache_GivesTheDiskBack()
    {
        using var cache = OpenPayloads("16MB", "16MB");
        Write(cache, first: 0, count: 40_000);

        cache.Clear();

        Until.True(() => FolderSize.Of(Folder) < 2 << 20, "the segments are removed");
        Assert.Equal(0, cache.GetStatistics().DiskWriteErrors);
    }

    [Fact]
    public void Remove_Everything_StaysWithinIt()
    {
        using var cache = OpenPayloads("16MB", "16MB");
        Write(cache, first: 0, count: 15_000);
        long most = 0;
        for (int round = 0; round < 4; round++)
        {
            for (long key = 0; key < 15_000; key++)
            {
                cache.Remove(key);
                if (key % 100 == 0) most = Math.Max(most, FolderSize.Of(Folder));
            }

            most = Math.Max(most, Write(cache, first: 0, count: 15_000));
        }

        Assert.InRange(most, 4 << 20, 16 << 20);
    }

    public void Dispose() => _directory.Dispose();

    private static int CountHits(FasterCache<long, Payload> cache, long first, long count)
    {
        int hits = 0;
        for (long key = first; key < first + count; key += 1)
        {
            if (!cache.TryGet(key, out var value)) continue;
            Assert.True(Payload.IsOf(in value, key), $"key {key}");
            hits++;
        }

        return hits;
    }

    /// <summary>Writes entries and returns the most that the folder took meanwhile.</summary>
    private long Write(FasterCache<long, Payload> cache, long first, long count)
    {
        long most = 0;
        for (long key = first; key < first + count; key++)
        {
            cache.Set(key, Payload.Of(key));
            if (key % 100 == 0) most = Math.Max(most, FolderSize.Of(Folder));
        }

        return Math.Max(most, FolderSize.Of(Folder));
    }

    private FasterCache<long, Payload> OpenPayloads(string memory, string disk) => new(Options(memory, disk));

    private FasterCache<long, long> OpenLongs(string memory, string disk, CollectingLoggerFactory? log = null) => new(Options(memory, disk), log);

    private FasterCacheOptions Options(string memory, string disk) =>
        new() { Directory = _directory.Path, Name = StampCache.Name, MemoryBudget = memory, DiskBudget = disk, DiskTimeout = Until.Deadline };
}
