using HybridCaching.Devices;
using HybridCaching.Recovery;
using HybridCaching.Tests.Support;

namespace HybridCaching.Tests.Recovery;

/// <summary>A process that ends without closing its cache leaves what it had written, and nothing that is out of date.</summary>
public sealed class WarmAfterKillTests : IDisposable
{
    private const int Count = 20_000;

    /// <summary>More than the disk holds.</summary>
    private const int Many = 200_000;

    /// <summary>Fewer than the hot tier has copies of.</summary>
    private const int Hot = 1_000;

    /// <summary>Who removes an outdated word takes another key's along now and then.</summary>
    private const int Lost = Count / 2000;

    private readonly TestDirectory _directory = new();
    private readonly CollectingLoggerFactory _log = new();

    [Fact]
    public void Open_AfterKill_FindsWhatWasFlushed()
    {
        Kill($"set 0 {Count} 1,flush");

        using var cache = StampCache.Open(_directory.Path, _log);

        Assert.InRange(cache.CountHits(0, Count, version: 1), Count - Lost, Count);
        Assert.InRange(cache.GetStatistics().RecoveredEntries, Count - Lost, Count);
        Assert.Empty(_log.Warnings);
    }

    [Fact]
    public void Open_KilledTwice_FindsWhatWasFlushed()
    {
        Kill($"set 0 {Count} 1,flush");
        Kill($"set {Count} {Count} 1,flush");

        using var cache = StampCache.Open(_directory.Path, _log);

        Assert.InRange(cache.CountHits(0, 2 * Count, version: 1), 2 * (Count - Lost), 2 * Count);
    }

    /// <summary>What only copies in the hot tier had is lost, and nothing older comes back.</summary>
    [Fact]
    public void Open_KilledWhileOnlyCopiesHadEntries_FindsNothingOlder()
    {
        Kill($"set 0 {Many} 1,flush,again {Many / 2} {Hot} 2");

        using var cache = StampCache.Open(_directory.Path, _log);

        Assert.InRange(cache.CountHits(Many / 2, Hot, version: 2), 0, Hot / 2);
    }

    [Fact]
    public void Open_KilledAfterOnlyCopiesHadEntriesThatWereFlushed_FindsThem()
    {
        Kill($"set 0 {Many} 1,flush,again {Many / 2} {Hot} 2,flush");

        using var cache = StampCache.Open(_directory.Path, _log);

        Assert.InRange(cache.CountHits(Many / 2, Hot, version: 2), Hot - Lost, Hot);
    }

    [Fact]
    public void Open_KilledAfterACleanRestart_FindsWhatThereWas()
    {
        using (var first = StampCache.Open(_directory.Path)) first.Fill(0, Count, version: 1);
        Kill("flush");

        using var cache = StampCache.Open(_directory.Path, _log);

        Assert.InRange(cache.CountHits(0, Count, version: 1), Count - Lost, Count);
    }

    [Fact]
    public void Open_RestartedAfterAKill_FindsWhatThereWas()
    {
        Kill($"set 0 {Count} 1,flush");
        StampCache.Open(_directory.Path).Dispose();

        using var cache = StampCache.Open(_directory.Path, _log);

        Assert.InRange(cache.CountHits(0, Count, version: 1), Count - Lost, Count);
    }

    /// <summary>A checkpoint is refused without the end of its log: the next process goes on as after a kill.</summary>
    [Fact]
    public void Open_ClosedWhileTheEndOfTheLogCouldNotBeWritten_FindsWhatWasFlushed()
    {
        Kill($"set 0 {Count} 1,flush,set {Count} 1 1,fail-writes,close");

        using var cache = StampCache.Open(_directory.Path, _log);

        Assert.InRange(cache.CountHits(0, Count, version: 1), Count * 0.99, Count);
    }

    /// <summary>What says that a checkpoint counts no more needs no disk.</summary>
    [Fact]
    public void Open_CheckpointCouldNotBeDeletedWhenTheCacheWentOn_FindsNothingOlder()
    {
        Kill($"set 0 {Count} 1,flush,rest,copy manifest kept,set 0 100 2,remove 100 100,copy kept manifest");

        AssertNothingOlder();
    }

    /// <summary>The file that names what says so is damaged, as it may be on a disk that could not delete the checkpoint.</summary>
    [Fact]
    public void Open_CheckpointCouldNotBeDeletedAndWhatNamesTheRestIsDamaged_FindsNothingOlder()
    {
        Kill($"set 0 {Count} 1,flush,rest,copy manifest kept,set 0 100 2,remove 100 100,copy kept manifest");
        string live = Path.Combine(StampCache.FolderIn(_directory.Path), "live");
        byte[] bytes = File.ReadAllBytes(live);
        bytes[bytes.Length / 2] ^= 1;
        File.WriteAllBytes(live, bytes);

        OpenWithNothingOlder().Dispose();

        Assert.Contains("cannot be read", Assert.Single(_log.Warnings), StringComparison.Ordinal);
    }

    /// <summary>Nor does it go with what else leads to the records, when the folder is given up, say.</summary>
    [Fact]
    public void Open_CheckpointCouldNotBeDeletedAndTheRestWasForgone_FindsNothingOlder()
    {
        Kill($"set 0 {Count} 1,flush,rest,copy manifest kept,set 0 100 2,remove 100 100,copy kept manifest,forgo");

        using var cache = StampCache.Open(_directory.Path, _log);

        cache.CountHits(0, 100, version: 2);
        Assert.Equal(0, cache.CountHits(100, 100, version: 1));
        Assert.Contains("has changed since", Assert.Single(_log.Warnings), StringComparison.Ordinal);
    }

    /// <summary>The disk that failed is not mounted when another cache of the machine starts, and comes back.</summary>
    [Fact]
    public void Open_CheckpointCouldNotBeDeletedAndAnotherCacheStartedWhileTheDiskWasAway_FindsNothingOlder()
    {
        Kill($"set 0 {Count} 1,flush,rest,copy manifest kept,set 0 100 2,remove 100 100,copy kept manifest");
        string folder = StampCache.FolderIn(_directory.Path), away = _directory.Combine("away");
        Directory.Move(folder, away);
        using (var other = new TestDirectory()) StampCache.Open(other.Path).Dispose();
        Directory.Move(away, folder);

        OpenWithNothingOlder().Dispose();
    }

    /// <summary>The disk that failed is not mounted when the process is started again, and mounted before the start after that.</summary>
    [Fact]
    public void Open_CheckpointCouldNotBeDeletedAndTheNextStartWasBesideTheDisk_FindsNothingOlder()
    {
        Kill($"set 0 {Count} 1,flush,rest,copy manifest kept,set 0 100 2,remove 100 100,copy kept manifest,forgo");
        string folder = StampCache.FolderIn(_directory.Path), away = _directory.Combine("away");
        Directory.Move(folder, away);
        StampCache.Open(_directory.Path).Dispose();
        Directory.Delete(folder, recursive: true);
        Directory.Move(away, folder);

        OpenWithNothingOlder().Dispose();
    }

    /// <summary>It would count as a part of the log, however far that is from its end.</summary>
    [Fact]
    public void Open_StrangersFileLooksLikeALaterSegment_GoesOnWithWhatThereWas()
    {
        Kill($"set 0 {Count} 1,flush");
        File.WriteAllText(Path.Combine(StampCache.FolderIn(_directory.Path), "log-20240131"), "");

        using var cache = StampCache.Open(_directory.Path, _log);

        Assert.InRange(cache.CountHits(0, Count, version: 1), Count - Lost, Count);
        cache.Fill(Count, 1000, version: 1);
        Found.All(1000, cache.CountHits(Count, 1000, version: 1));
    }

    [Theory]
    [InlineData("settled.tmp")]
    [InlineData("checksums.tmp")]
    [InlineData("manifest.tmp")]
    public void Open_KilledWhileACheckpointWasWritten_LeavesNothingOfThat(string file)
    {
        Kill($"set 0 {Count} 1,flush");
        string path = Path.Combine(StampCache.FolderIn(_directory.Path), file);
        File.WriteAllText(path, "half");

        using var cache = StampCache.Open(_directory.Path, _log);

        Assert.False(File.Exists(path));
    }

    /// <summary>It was given up when its manifest was in its place and nobody knew.</summary>
    [Fact]
    public void Open_CheckpointGivenUpWhileItWasCommitted_FindsNothingOlder()
    {
        Kill($"set 0 {Count} 1,flush,rest-hung,set 0 100 2,remove 100 100");

        AssertNothingOlder();
    }

    [Fact]
    public void Open_OverwrittenBeforeTheKill_FindsNothingOlder()
    {
        Kill($"set 0 {Count} 1,flush,set 0 {Count / 2} 2");

        using var cache = StampCache.Open(_directory.Path, _log);

        cache.CountHits(0, Count / 2, version: 2);
        Assert.InRange(cache.CountHits(Count / 2, Count / 2, version: 1), (Count / 2) - Lost, Count / 2);
    }

    [Fact]
    public void Open_RemovedBeforeTheKill_FindsNothingOfIt()
    {
        Kill($"set 0 {Count} 1,flush,remove 0 {Count / 2}");

        using var cache = StampCache.Open(_directory.Path, _log);

        Assert.Equal(0, cache.CountHits(0, Count / 2, version: 1));
        Assert.InRange(cache.CountHits(Count / 2, Count / 2, version: 1), (Count / 2) - Lost, Count / 2);
    }

    [Fact]
    public void Open_ClearedBeforeTheKill_FindsOnlyWhatCameLater()
    {
        Kill($"set 0 {Count} 1,flush,clear,set 0 1000 2,flush");

        using var cache = StampCache.Open(_directory.Path, _log);

        Assert.InRange(cache.CountHits(0, 1000, version: 2), 1000 - Lost, 1000);
        Assert.Equal(0, cache.CountHits(1000, Count - 1000, version: 1));
    }

    /// <summary>The second process leaves no file that says how far the log had come, but what leads to its records still knows.</summary>
    [Fact]
    public void Open_KilledWithNothingOnTheDisk_FindsWhatCameLater()
    {
        Kill($"set 0 {Count} 1,flush,clear");
        Kill("flush");
        Kill("set 0 1000 2,flush");

        using var cache = StampCache.Open(_directory.Path, _log);

        Assert.InRange(cache.CountHits(0, 1000, version: 2), 1000 - Lost, 1000);
    }

    [Fact]
    public void Open_DiskTurnedOverBeforeTheKill_FindsWhatWasThere()
    {
        Kill("set 0 600000 1,flush");

        using var cache = StampCache.Open(_directory.Path, _log);
        long hits = cache.CountHits(0, 600_000, version: 1);

        Assert.InRange(hits, cache.GetStatistics().RecoveredEntries * 0.99, 600_000);
        Assert.InRange(hits, 100_000, 600_000);
    }

    /// <summary>The new log takes its share of the disk back from what the process before has left: that is looked through like everything else that goes.</summary>
    [Fact]
    public void Get_FoundOnAFullDiskAfterAKill_OutlivesAScan()
    {
        const int Written = 600_000;
        const int Read = 60_000;
        Kill($"set 0 {Written} 1,flush");
        using var cache = StampCache.Open(_directory.Path, _log);
        long first = Written - (cache.GetStatistics().RecoveredEntries * 9 / 10);

        for (int written = 0; written < Written; written += Read)
        {
            cache.CountHits(first, Read, version: 1);
            cache.Fill(Written + written, Read, version: 1);
        }

        Assert.InRange(cache.CountHits(first, Read, version: 1), Read * 0.98, Read);
    }

    [Fact]
    public void Open_MemoryGone_IsColdAndWarnsOnce()
    {
        Kill($"set 0 {Count} 1,flush");
        LoseMemory();

        using var cache = StampCache.Open(_directory.Path, _log);

        Assert.Equal(0, cache.CountHits(0, Count, version: 1));
        Assert.Single(_log.Warnings);
    }

    [Fact]
    public void Open_MemoryGoneAndManifestDamaged_TellsBoth()
    {
        Kill($"set 0 {Count} 1,flush");
        LoseMemory();
        File.WriteAllText(Path.Combine(StampCache.FolderIn(_directory.Path), "manifest"), "damaged");

        using var cache = StampCache.Open(_directory.Path, _log);

        Assert.Contains("its manifest is damaged, and the memory that outlives a process is gone", Assert.Single(_log.Warnings), StringComparison.Ordinal);
    }

    [Fact]
    public void Open_SegmentLostAfterAKill_FindsTheRestAlsoLater()
    {
        Kill($"set 0 {Many} 1,flush");
        LoseOneSegment();
        int hits;
        using (var damaged = StampCache.Open(_directory.Path)) hits = damaged.CountHits(0, Many, version: 1);

        using var cache = StampCache.Open(_directory.Path, _log);

        Assert.InRange(cache.CountHits(0, Many, version: 1), hits - Lost, hits);
        Assert.InRange(hits, Many / 2, Many);
    }

    [Fact]
    public void Open_SettledSegmentLost_FindsTheRest()
    {
        using (var first = StampCache.Open(_directory.Path)) first.Fill(0, Many, version: 1);
        int hits;
        using (var whole = StampCache.Open(_directory.Path)) hits = whole.CountHits(0, Many, version: 1);
        int segments = LoseOneSegment(Directory.EnumerateFiles(StampCache.FolderIn(_directory.Path), "main-*").Count() > 1 ? "main-*" : "log-*"); // what was read may have left all of FASTER's older segments, and one of those it still has must be there

        using var cache = StampCache.Open(_directory.Path, _log);

        Assert.InRange(cache.CountHits(0, Many, version: 1), hits * (segments - 2) / segments, hits - 1);
    }

    /// <returns>How many there were.</returns>
    private int LoseOneSegment(string files = "log-*")
    {
        string[] segments = [.. Directory.EnumerateFiles(StampCache.FolderIn(_directory.Path), files).Order(StringComparer.Ordinal)];
        File.Delete(segments[1]);
        return segments.Length;
    }

    [Fact]
    public void Open_OtherBudgetsAfterAKill_IsColdAndWarnsOnce()
    {
        Kill($"set 0 {Count} 1,flush");

        using var cache = StampCache.Open(_directory.Path, _log, o => o.DiskBudget = "256MB");

        Assert.Equal(0, cache.CountHits(0, Count, version: 1));
        Assert.Single(_log.Warnings);
    }

    [Fact]
    public void Open_ResizedBeforeTheKill_IsNeverOlder()
    {
        Kill($"set 0 {Count} 1,flush,resize 16MB 64MB,set 0 {Count} 2,flush");

        using var cache = StampCache.Open(_directory.Path, _log);

        cache.CountHits(0, Count, version: 2);
    }

    [Fact]
    public void Dispose_AfterAll_LeavesNothingInMemory()
    {
        StampCache.Open(_directory.Path).Dispose();

        using var folder = CacheFolder.Open(StampCache.FolderIn(_directory.Path));
        Assert.Null(CheckpointFiles.ReadLive(folder));
    }

    [Fact]
    public void WriteOut_IntervalOver_SettlesWhatIsInMemory()
    {
        var housekeeping = new ManualTimeProvider();
        using var cache = StampCache.Open(_directory.Path, _log, o => o.CheckpointInterval = TimeSpan.FromSeconds(5), housekeeping);
        cache.Fill(0, 1000, version: 1);

        housekeeping.TickUntil(() => cache.Tiers.Settled!.Index.Count >= 1000 - Lost, "all is settled");

        Found.All(1000, cache.CountHits(0, 1000, version: 1));
    }

    public void Dispose() => _directory.Dispose();

    /// <summary>The first hundred were overwritten, the second removed.</summary>
    private void AssertNothingOlder()
    {
        using var cache = OpenWithNothingOlder();
        Assert.InRange(cache.CountHits(200, Count - 200, version: 1), Count - 200 - Lost, Count - 200);
    }

    private FasterCache<long, Stamp> OpenWithNothingOlder()
    {
        var cache = StampCache.Open(_directory.Path, _log);
        cache.CountHits(0, 100, version: 2);
        Assert.Equal(0, cache.CountHits(100, 100, version: 1));
        return cache;
    }

    private void Kill(string steps)
    {
        using var child = ChildCache.Start(_directory.Path, steps);
        child.Kill();
    }

    /// <summary>Takes away what outlives the process.</summary>
    private void LoseMemory()
    {
        using var folder = CacheFolder.Open(StampCache.FolderIn(_directory.Path));
        LiveState.Delete(CheckpointFiles.ReadLive(folder)!.LiveState);
    }
}
