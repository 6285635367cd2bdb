using HybridCaching.Tests.Support;
using Microsoft.Extensions.Logging;

namespace HybridCaching.Tests.Recovery;

public sealed class DirectoryUnavailableTests : IDisposable
{
    private readonly TestDirectory _directory = new();
    private readonly CollectingLoggerFactory _log = new();
    private readonly ManualTimeProvider _housekeeping = new();

    private string Folder => StampCache.FolderIn(_directory.Path);

    [Fact]
    public void MemoryOnly_FolderInUse_WarnsOnceWithPathAndProcess()
    {
        using var owner = StampCache.Open(_directory.Path);
        using var cache = OpenSecond();

        string warning = Assert.Single(_log.Warnings);
        Assert.Contains(Folder, warning, StringComparison.Ordinal);
        Assert.Contains($"process {Environment.ProcessId}", warning, StringComparison.Ordinal);
    }

    [Fact]
    public void MemoryOnly_FolderInUse_TellsWhyInTheStatistics()
    {
        using var owner = StampCache.Open(_directory.Path);
        using var cache = OpenSecond();

        Assert.Contains(Folder, cache.GetStatistics().DiskUnavailableReason, StringComparison.Ordinal);
    }

    [Fact]
    public void MemoryOnly_FolderInUse_Serves()
    {
        using var owner = StampCache.Open(_directory.Path);
        using var cache = OpenSecond();
        cache.Fill(0, 1000, version: 1);

        Found.All(1000, cache.CountHits(0, 1000, version: 1));
    }

    [Fact]
    public void MemoryOnly_MoreThanMemory_KeepsTheNewest()
    {
        using var owner = StampCache.Open(_directory.Path);
        using var cache = OpenSecond();
        cache.Fill(0, 200_000, version: 1);

        Found.All(1000, cache.CountHits(199_000, 1000, version: 1));
        Assert.Equal(0, cache.CountHits(0, 1000, version: 1));
    }

    [Fact]
    public void MemoryOnly_MoreThanMemory_StaysWithinTheMemoryBudget()
    {
        using var owner = StampCache.Open(_directory.Path);
        using var cache = OpenSecond();
        cache.Fill(0, 200_000, version: 1);

        _housekeeping.TickUntil(() => cache.GetMemoryUsage().Total <= cache.GetMemoryUsage().Budget, "the memory budget holds");
    }

    [Fact]
    public void MemoryOnly_FolderInUse_LeavesTheOwnersFilesAlone()
    {
        using (var owner = StampCache.Open(_directory.Path))
        {
            owner.Fill(0, 1000, version: 1);
            using var cache = OpenSecond();
            cache.Fill(0, 1000, version: 2);
        }

        using var again = StampCache.Open(_directory.Path);

        Found.All(1000, again.CountHits(0, 1000, version: 1));
    }

    [Fact]
    public void MemoryOnly_StillInUse_WarnsNoMore()
    {
        using var owner = StampCache.Open(_directory.Path);
        using var cache = OpenSecond();
        int ticks = 0;

        _housekeeping.TickUntil(() => ++ticks > 100, "100 ticks");

        Assert.Single(_log.Warnings);
    }

    [Fact]
    public void TakeOver_FolderFree_Happens()
    {
        using var cache = OpenSecondAndCloseFirst();

        TakeOver(cache);
    }

    /// <summary>Whoever is told that the disk is on may rely on it.</summary>
    [Fact]
    public void TakeOver_ReasonGone_IsComplete()
    {
        for (int round = 0; round < 10; round++)
        {
            using var cache = OpenSecondAndCloseFirst(firstFills: 100);
            _housekeeping.TickUntil(() => cache.GetStatistics().DiskUnavailableReason is null, "the disk is on");

            Assert.True(cache.Tiers.Device!.IsAttached);
        }
    }

    [Fact]
    public void TakeOver_FolderFree_WarnsNoMore()
    {
        using var cache = OpenSecondAndCloseFirst();

        TakeOver(cache);

        Assert.Single(_log.Warnings);
    }

    [Fact]
    public void TakeOver_FilesOfTheFormerOwner_AreNotRead()
    {
        using var cache = OpenSecondAndCloseFirst(firstFills: 1000);

        TakeOver(cache);

        Assert.Equal(0, cache.CountHits(0, 1000, version: 1));
    }

    [Fact]
    public void TakeOver_WhatWasStoredMeanwhile_Stays()
    {
        using var cache = OpenSecondAndCloseFirst(firstFills: 1000);
        cache.Fill(0, 1000, version: 2);

        TakeOver(cache);

        Found.All(1000, cache.CountHits(0, 1000, version: 2));
    }

    [Fact]
    public void TakeOver_WhatIsStoredLater_GoesToTheDisk()
    {
        using var cache = OpenSecondAndCloseFirst();
        TakeOver(cache);
        cache.Fill(0, 60_000, version: 2);

        Assert.InRange(cache.CountHits(0, 60_000, version: 2), 59_990, 60_000);
        Assert.InRange(cache.GetStatistics().DiskHits, 1, 60_000);
    }

    [Fact]
    public void Restart_AfterTakeOver_IsWarmWithTheNewerValuesOnly()
    {
        using (var cache = OpenSecondAndCloseFirst(firstFills: 2000))
        {
            cache.Fill(0, 1000, version: 2);
            TakeOver(cache);
            cache.Fill(3000, 1000, version: 2);
        }

        _log.Clear();
        using var again = StampCache.Open(_directory.Path, _log);

        Found.All(2000, again.CountHits(0, 5000, version: 2));
        Assert.Empty(_log.Warnings);
    }

    /// <summary>What had left memory before the folder was had is lost; the rest is not.</summary>
    [Fact]
    public void Restart_AfterTakeOverOfALongLog_IsWarmWithTheNewest()
    {
        using (var cache = OpenSecondAndCloseFirst(firstFills: 2000))
        {
            cache.Fill(0, 100_000, version: 2);
            TakeOver(cache);
            cache.Fill(100_000, 10_000, version: 2);
        }

        _log.Clear();
        using var again = StampCache.Open(_directory.Path, _log);

        Found.All(10_000, again.CountHits(100_000, 10_000, version: 2));
        again.CountHits(0, 100_000, version: 2);
        Assert.Empty(_log.Warnings);
    }

    [Fact]
    public void TakeOver_FolderBecomesWritable_Happens()
    {
        using var mount = new MountedDirectory();
        mount.MakeReadOnly();
        using var cache = StampCache.Open(mount.Path, _log, housekeeping: _housekeeping);
        Assert.Single(_log.Warnings);

        mount.MakeWritable();

        TakeOver(cache);
    }

    [Fact]
    public void MemoryOnly_FileInItsPlace_WarnsOnce()
    {
        File.WriteAllText(Folder, "mine");
        using var cache = OpenSecond();

        Assert.Contains(Folder, Assert.Single(_log.Warnings), StringComparison.Ordinal);
    }

    [Fact]
    public void MemoryOnly_CheckpointOnReadOnlyFileSystem_WarnsOnceAndKeepsIt()
    {
        using var mount = new MountedDirectory();
        using (var first = StampCache.Open(mount.Path)) first.Fill(0, 1000, version: 1);
        mount.MakeReadOnly();
        using (StampCache.Open(mount.Path, _log)) Assert.Single(_log.Warnings);
        mount.MakeWritable();

        using var cache = StampCache.Open(mount.Path);

        Found.All(1000, cache.CountHits(0, 1000, version: 1));
    }

    [Fact]
    public void Throw_FolderInUse_NamesPathAndProcess()
    {
        using var owner = StampCache.Open(_directory.Path);

        var refusal = Assert.Throws<IOException>(OpenOrThrow);

        Assert.Contains(Folder, refusal.Message, StringComparison.Ordinal);
        Assert.Contains($"process {Environment.ProcessId}", refusal.Message, StringComparison.Ordinal);
    }

    [Fact]
    public void Throw_FileInItsPlace_Throws()
    {
        File.WriteAllText(Folder, "mine");

        Assert.Contains(Folder, Assert.Throws<IOException>(OpenOrThrow).Message, StringComparison.Ordinal);
    }

    [Fact]
    public void Throw_ReadOnlyFileSystem_Throws()
    {
        using var mount = new MountedDirectory();
        mount.MakeReadOnly();

        Assert.Throws<IOException>(() => StampCache.Open(mount.Path, _log, o => o.WhenDirectoryUnavailable = DirectoryUnavailable.Throw));
    }

    /// <summary>"Serves from memory only" would be a lie.</summary>
    [Fact]
    public void Throw_FolderInUse_LogsNoOtherStory()
    {
        using var owner = StampCache.Open(_directory.Path);

        Assert.Throws<IOException>(OpenOrThrow);

        Assert.DoesNotContain(_log.Warnings, m => m.Contains("memory only", StringComparison.Ordinal));
    }

    [Fact]
    public void Throw_FolderFreeAgain_Opens()
    {
        using (StampCache.Open(_directory.Path)) Assert.Throws<IOException>(OpenOrThrow);

        using var cache = OpenOrThrow();

        Assert.Null(cache.GetStatistics().DiskUnavailableReason);
    }

    [Fact]
    public void Open_ManyAtOnce_OneHasTheFolder()
    {
        for (int round = 0; round < 15; round++)
        {
            var caches = new FasterCache<long, Stamp>[3];
            var threads = Enumerable.Range(0, caches.Length).Select(i => new Thread(() => caches[i] = StampCache.Open(_directory.Path, _log))).ToList();
            threads.ForEach(t => t.Start());
            threads.ForEach(t => t.Join());
            int owners = caches.Count(c => c.GetStatistics().DiskUnavailableReason is null);
            foreach (var cache in caches) cache.Dispose();

            Assert.Equal(1, owners);
        }

        Assert.Equal(15 * 2, _log.Warnings.Count);
    }

    public void Dispose() => _directory.Dispose();

    private FasterCache<long, Stamp> OpenSecond() => StampCache.Open(_directory.Path, _log, housekeeping: _housekeeping);

    private FasterCache<long, Stamp> OpenOrThrow() => StampCache.Open(_directory.Path, _log, o => o.WhenDirectoryUnavailable = DirectoryUnavailable.Throw);

    private FasterCache<long, Stamp> OpenSecondAndCloseFirst(int firstFills = 0)
    {
        using var first = StampCache.Open(_directory.Path);
        first.Fill(0, firstFills, version: 1);
        return OpenSecond();
    }

    private void TakeOver(FasterCache<long, Stamp> cache)
    {
        _housekeeping.TickUntil(() => _log.MessagesOf(LogLevel.Information).Any(m => m.Contains("taken over", StringComparison.Ordinal)), "the folder is taken over");
        Assert.Null(cache.GetStatistics().DiskUnavailableReason);
    }
}
