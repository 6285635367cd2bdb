using HybridCaching.Devices;
using HybridCaching.Tests.Support;

namespace HybridCaching.Tests.Devices;

/// <summary>A cache on a disk that fails: misses and counts, no exception, and never a wrong or older value.</summary>
public sealed class FailingDiskTests : IDisposable
{
    private const int Keys = 10_000;
    private const int Filler = 60_000;

    /// <summary>Whoever removes an outdated word takes another key's along now and then.</summary>
    private const int Lost = Filler / 10_000;

    private readonly TestDirectory _directory = new();
    private readonly CollectingLoggerFactory _log = new();

    [Fact]
    public void Set_EveryWriteFails_NeverThrowsAndCounts()
    {
        using var cache = Open();
        cache.Tiers.Device!.Fault = static r => r.Kind == IoKind.Write;

        cache.Fill(0, Filler, version: 1);

        Assert.InRange(cache.GetStatistics().DiskWriteErrors, 1, long.MaxValue);
    }

    [Fact]
    public void Get_EveryWriteFailed_FindsTheNewestInMemory()
    {
        using var cache = Open();
        cache.Tiers.Device!.Fault = static r => r.Kind == IoKind.Write;
        cache.Fill(0, Filler, version: 1);

        Found.All(1000, cache.CountHits(Filler - 1000, 1000, version: 1));
        Assert.Equal(0, cache.CountHits(0, 1000, version: 1));
    }

    [Fact]
    public void Get_EveryReadFails_IsAMissAndCounts()
    {
        using var cache = Open();
        cache.Fill(0, Filler, version: 1);
        cache.Tiers.Device!.Fault = static r => r.Kind == IoKind.Read;

        Assert.Equal(0, cache.CountHits(0, 1000, version: 1));
        Assert.InRange(cache.GetStatistics().DiskReadErrors, 1000, long.MaxValue);
    }

    [Fact]
    public void Get_AfterTheDiskHealed_FindsWhatWasWrittenSince()
    {
        using var cache = Open();
        cache.Tiers.Device!.Fault = static _ => true;
        cache.Fill(0, Filler, version: 1);
        cache.Tiers.Device!.Fault = null;

        cache.Fill(0, Filler, version: 2);

        Assert.InRange(cache.CountHits(0, Filler, version: 2), Filler - Lost, Filler);
    }

    [Fact]
    public void Get_KeyZeroLost_IsAMiss()
    {
        using var cache = Open();
        cache.Tiers.Device!.Fault = static r => r.Kind == IoKind.Write;
        cache.Set(0, default);
        cache.Fill(1, Filler, version: 1);

        Assert.False(cache.TryGet(0, out _));
    }

    /// <summary>Pages are written in pieces, so a record may lie over the edge between what is on the disk and what is lost.</summary>
    [Fact]
    public void Get_OverwrittenWhileSomeWritesFailed_IsNeverTheOlder()
    {
        using var cache = Open();
        cache.Fill(0, Keys, version: 1);
        cache.Fill(Keys, Filler, version: 1);
        FailEveryOtherWrite(cache);

        InPieces(cache, key => cache.Set(key, Stamp.Of(key, 2)));
        cache.Tiers.Device!.Fault = null;
        cache.Fill(Keys, Filler, version: 2);

        cache.CountHits(0, Keys, version: 2);
    }

    [Fact]
    public void Get_RemovedWhileSomeWritesFailed_IsAMiss()
    {
        using var cache = Open();
        cache.Fill(0, Keys, version: 1);
        cache.Fill(Keys, Filler, version: 1);
        FailEveryOtherWrite(cache);

        InPieces(cache, key => cache.Remove(key));
        cache.Tiers.Device!.Fault = null;
        cache.Fill(Keys, Filler, version: 2);

        Assert.Equal(0, cache.CountHits(0, Keys, version: 1));
    }

    [Fact]
    public void Restart_SomeWritesFailed_AnswersNothingOlder()
    {
        using (var cache = Open())
        {
            cache.Fill(0, Keys, version: 1);
            cache.Fill(Keys, Filler, version: 1);
            FailEveryOtherWrite(cache);
            InPieces(cache, key => cache.Set(key, Stamp.Of(key, 2)));
            cache.Tiers.Device!.Fault = null;
            cache.Fill(Keys, Filler, version: 2);
        }

        using var again = Open();

        again.CountHits(0, Keys, version: 2);
        again.CountHits(Keys, Filler, version: 2);
    }

    [Fact]
    public void Restart_LastWritesFailed_NeverThrows()
    {
        using (var cache = Open())
        {
            cache.Fill(0, Keys, version: 1);
            cache.Tiers.Device!.Fault = static r => r.Kind == IoKind.Write;
            cache.Fill(0, Keys, version: 2);
        }

        using var again = Open();

        again.CountHits(0, Keys, version: 2);
        Assert.InRange(_log.Warnings.Count, 0, 1);
    }

    [Fact]
    public void Set_FilesCannotBeRemoved_StaysWithinTheDiskBudget()
    {
        using var cache = Open();
        cache.Fill(0, Keys, version: 1);
        using var undeletable = FolderAttribute.Undeletable(StampCache.FolderIn(_directory.Path));
        long most = 0;

        for (int i = 0; i < 20; i++)
        {
            cache.Fill(i * 40_000, 40_000, version: 1);
            most = Math.Max(most, FolderSize.Of(StampCache.FolderIn(_directory.Path)));
        }

        Assert.InRange(most, 1 << 20, 16 << 20);
    }

    [Fact]
    public void Set_FilesCanBeRemovedAgain_Heals()
    {
        using var cache = Open();
        cache.Fill(0, Keys, version: 1);
        using (FolderAttribute.Undeletable(StampCache.FolderIn(_directory.Path))) cache.Fill(0, 800_000, version: 1);

        cache.Fill(0, 800_000, version: 2);
        cache.Fill(0, Filler, version: 3);

        Assert.InRange(cache.CountHits(0, Filler, version: 3), Filler - Lost, Filler);
    }

    [Fact]
    public void Set_FullFileSystem_NeverThrowsAndHeals()
    {
        using var mount = new MountedDirectory("6m");
        using var cache = StampCache.Open(mount.Path, _log);
        cache.Fill(0, 300_000, version: 1);
        Assert.InRange(cache.GetStatistics().DiskWriteErrors, 1, long.MaxValue);

        mount.Resize("64m");
        cache.Fill(0, Filler, version: 2);

        Assert.InRange(cache.CountHits(0, Filler, version: 2), Filler - Lost, Filler);
    }

    [Fact]
    public void Dispose_FullFileSystem_EndsAndTheNextStartAnswersNothingWrong()
    {
        using var mount = new MountedDirectory("6m");
        using (var cache = StampCache.Open(mount.Path, _log)) cache.Fill(0, 300_000, version: 1);

        using var again = StampCache.Open(mount.Path, _log);

        again.CountHits(0, 300_000, version: 1);
    }

    public void Dispose() => _directory.Dispose();

    private static void FailEveryOtherWrite(FasterCache<long, Stamp> cache)
    {
        int writes = 0;
        cache.Tiers.Device!.Fault = r => r.Kind == IoKind.Write && Interlocked.Increment(ref writes) % 2 == 0;
    }

    /// <summary>Does something with every key, and writes what there is to the disk again and again meanwhile.</summary>
    private static void InPieces(FasterCache<long, Stamp> cache, Action<long> act)
    {
        for (long key = 0; key < Keys; key++)
        {
            act(key);
            if (key % 97 == 0) cache.Tiers.Flush();
        }
    }

    private FasterCache<long, Stamp> Open() => StampCache.Open(_directory.Path, _log);
}
