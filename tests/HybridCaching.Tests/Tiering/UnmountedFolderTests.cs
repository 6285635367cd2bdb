using System.Text;
using HybridCaching.Tests.Support;

namespace HybridCaching.Tests.Tiering;

/// <summary>A disk that fails, is unmounted for a while and mounted again, for real.</summary>
public sealed class UnmountedFolderTests : IDisposable
{
    private readonly ManualTimeProvider _housekeeping = new();
    private readonly LoopDisk _disk = new("ext4");

    [Fact]
    public void Folder_Unmounted_IsNotMadeOnWhatLiesBelow()
    {
        using var cache = StampCache.Open(_disk.Path, housekeeping: _housekeeping);
        Unmount(cache);
        int ticks = 200;
        TickUntil(() => --ticks < 0 && cache.GetStatistics().DiskUnavailableReason!.Contains("mounted", StringComparison.Ordinal), "it is tried again");

        Assert.Empty(Directory.EnumerateFileSystemEntries(_disk.Path));
    }

    [Fact]
    public void Folder_MountedAgain_IsTakenOver()
    {
        using var cache = StampCache.Open(_disk.Path, housekeeping: _housekeeping);
        Unmount(cache);
        Assert.True(_disk.Mount());
        TickUntil(() => cache.GetStatistics() is { DiskUnavailableReason: null, DiskTroubleReason: null }, "it is taken over");
        cache.Fill(0, 60_000, version: 3);

        Assert.InRange(cache.CountHits(0, 60_000, version: 3), 59_990, 60_000);
        Assert.InRange(cache.GetStatistics().DiskHits, 1, long.MaxValue);
    }

    [Fact]
    public void Bytes_DiskFailsAndIsMended_KeepsItsPromises()
    {
        const int Keys = 40_000;
        const int Lost = Keys / 10_000; // whoever removes an outdated word takes another key's along now and then
        using var cache = new FasterDistributedCache(
            new FasterDistributedCacheOptions { Directory = _disk.Path, Name = StampCache.Name, MemoryBudget = "24MB", DiskBudget = "128MB" }, _housekeeping, loggerFactory: null);
        Fill("old");
        Assert.InRange(CountHits("old"), Keys - Lost, Keys);
        _disk.ShutDown();
        Fill("new");
        Assert.InRange(CountHits("new"), 1, Keys - 1);
        Assert.InRange(cache.GetStatistics().DiskWriteErrors, 1, long.MaxValue);
        TickUntil(() => cache.GetStatistics().DiskUnavailableReason is not null, "the folder is given up");
        TickUntil(() => NobodyHasFilesOpen() && _disk.TryRemount(), "the disk is mounted again");
        TickUntil(() => cache.GetStatistics() is { DiskUnavailableReason: null, DiskTroubleReason: null }, "the folder is taken over");
        Fill("last");

        Assert.InRange(CountHits("last"), Keys - Lost, Keys);

        byte[] ValueOf(int key, string round) => Encoding.ASCII.GetBytes($"{round} value of key {key}".PadRight(700));

        void Fill(string round)
        {
            for (int key = 0; key < Keys; key++) cache.Set($"key {key}", ValueOf(key, round), new());
        }

        int CountHits(string round)
        {
            int hits = 0;
            for (int key = 0; key < Keys; key++)
            {
                if (cache.Get($"key {key}") is not { } value) continue;
                Assert.Equal(ValueOf(key, round), value);
                hits++;
            }

            return hits;
        }
    }

    public void Dispose() => _disk.Dispose();

    /// <summary>Without a tick meanwhile, so that nobody looks at the folder at that moment.</summary>
    private void Unmount(FasterCache<long, Stamp> cache)
    {
        cache.Fill(0, 60_000, version: 1);
        _disk.ShutDown();
        cache.Fill(0, 60_000, version: 2);
        TickUntil(() => cache.GetStatistics().DiskUnavailableReason is not null, "the folder is given up");
        TickUntil(NobodyHasFilesOpen, "the files are closed");
        Until.True(_disk.TryUnmount, "the disk is unmounted");
    }

    private bool NobodyHasFilesOpen() =>
        !Directory.EnumerateFiles("/proc/self/fd").Any(file => (new FileInfo(file).LinkTarget ?? "").StartsWith(_disk.Path, StringComparison.Ordinal));

    private void TickUntil(Func<bool> condition, string what) => _housekeeping.TickUntil(condition, what);
}
