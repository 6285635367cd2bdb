using HybridCaching.Configuration;
using HybridCaching.Devices;
using HybridCaching.Tests.Support;
using Microsoft.Extensions.Caching.Distributed;

namespace HybridCaching.Tests.Tiering;

/// <summary>Caches whose files are used past the system's page cache: every read of the disk is one, and waits.</summary>
public sealed class DirectIoTests : IDisposable
{
    private const int Entries = 200_000;

    private readonly TestDirectory _directory = new();

    public void Dispose() => _directory.Dispose();

    [Fact]
    public void TryGet_EntriesOnDisk_AreTheOnesStored()
    {
        using var cache = OpenTyped();
        cache.Fill(0, Entries, version: 1);

        Assert.InRange(cache.CountHits(0, 20_000, version: 1), 19_900, 20_000);
        Assert.True(cache.GetStatistics().DiskReads > 0);
    }

    [Fact]
    public async Task GetAsync_ManyCallers_ReadTheOnesStored()
    {
        using var cache = OpenTyped();
        cache.Fill(0, Entries, version: 1);

        await Parallel.ForAsync(0, 32, new ParallelOptions { MaxDegreeOfParallelism = 32 }, async (worker, token) =>
        {
            for (long key = worker; key < 20_000; key += 32)
            {
                if (await cache.GetAsync(key, token) is { } value) Assert.Equal(Stamp.Of(key, 1), value);
            }
        });

        Assert.True(cache.GetStatistics().DiskHits > 10_000);
        Assert.Equal(0, cache.GetStatistics().DiskReadErrors);
    }

    /// <summary>What somebody has in the page cache has to be written before it can be read past it. The kernel would wait for that; a thread does.</summary>
    [Fact]
    public async Task GetAsync_KernelWouldHaveToWait_FindsAll()
    {
        using var cache = OpenTyped();
        cache.Fill(0, Entries, version: 1);
        await cache.FlushAsync(TestContext.Current.CancellationToken);
        foreach (string segment in Directory.EnumerateFiles(StampCache.FolderIn(_directory.Path), "*-0*"))
        {
            using var file = File.OpenHandle(segment, FileMode.Open, FileAccess.ReadWrite, FileShare.ReadWrite);
            byte[] bytes = new byte[RandomAccess.GetLength(file)];
            RandomAccess.Write(file, bytes.AsSpan(0, RandomAccess.Read(file, bytes, 0)), 0);
        }

        Assert.InRange(cache.CountHits(0, 10_000, version: 1), 9_900, 10_000);
        for (long key = 10_000; key < 20_000; key++)
        {
            if (await cache.GetAsync(key, TestContext.Current.CancellationToken) is { } value) Assert.Equal(Stamp.Of(key, 1), value);
        }

        Assert.True(cache.GetStatistics().DiskHits > 10_000);
        Assert.Equal((0, 0), (cache.GetStatistics().DiskReadErrors, cache.GetStatistics().CorruptEntries));
    }

    [Fact]
    public void Reopen_CleanEnd_IsWarm()
    {
        using (var cache = OpenTyped()) cache.Fill(0, Entries, version: 1);
        using var again = OpenTyped();

        Assert.InRange(again.CountHits(0, 20_000, version: 1), 19_900, 20_000);
    }

    [Fact]
    public void Reopen_WithTheOtherKind_IsWarm()
    {
        using (var cache = OpenTyped()) cache.Fill(0, 1000, version: 1);
        using var again = OpenTyped(DiskIo.Buffered);

        Found.All(1000, again.CountHits(0, 1000, version: 1));
    }

    [Theory]
    [InlineData(0)]
    [InlineData(16)]
    [InlineData(4096)]
    [InlineData(70_000)]
    [InlineData(1 << 20)]
    public async Task Bytes_OfAnyLength_RoundTripOverTheDisk(int length)
    {
        byte[] value = new byte[length];
        new Random(length).NextBytes(value);
        using (var cache = OpenBytes()) await cache.SetAsync("key", value, new DistributedCacheEntryOptions(), TestContext.Current.CancellationToken);
        using var again = OpenBytes();

        Assert.Equal(value, await again.GetAsync("key", TestContext.Current.CancellationToken));
    }

    [Fact]
    public void FileSystem_ThatRefuses_IsUsedBuffered()
    {
        using var mounted = new MountedDirectory(kind: "ramfs");
        using (var cache = StampCache.Open(mounted.Path, change: options => options.DiskIo = DiskIo.Direct)) cache.Fill(0, 1000, version: 1);
        using var again = StampCache.Open(mounted.Path, change: options => options.DiskIo = DiskIo.Direct);

        Found.All(1000, again.CountHits(0, 1000, version: 1));
    }

    /// <summary>The kernel would read a buffered file on the caller's thread.</summary>
    [Fact]
    public void SegmentFiles_FileSystemThatRefuses_GiveTheKernelNoFile()
    {
        using var mounted = new MountedDirectory(kind: "ramfs");
        using var folder = CacheFolder.Open(Path.Combine(mounted.Path, "cache"));
        using var files = new SegmentFiles(folder, "log", 4, isDirect: true);
        files.Write(0, 0, new byte[MemoryPlan.BlockBytes]);

        Assert.Null(files.DirectHandleOf(0));
    }

    [Fact]
    public void Options_UnknownDiskIo_IsRefused() =>
        Assert.Contains("DiskIo", Assert.Throws<ArgumentException>(() => StampCache.Open(_directory.Path, change: options => options.DiskIo = (DiskIo)7)).Message, StringComparison.Ordinal);

    private FasterCache<long, Stamp> OpenTyped(DiskIo diskIo = DiskIo.Direct) => StampCache.Open(_directory.Path, change: options =>
    {
        options.DiskIo = diskIo;
        (options.MemoryBudget, options.DiskBudget) = ("12MB", "32MB");
        options.HotTierShare = 0;
    });

    private FasterDistributedCache OpenBytes() => new(new FasterDistributedCacheOptions { Directory = _directory.Path, MemoryBudget = "24MB", DiskBudget = "64MB", DiskIo = DiskIo.Direct, DiskTimeout = Until.Deadline });
}
