using HybridCaching.Tests.Support;

namespace HybridCaching.Tests.Recovery;

public sealed class RestartTests(CleanFolder clean) : IClassFixture<CleanFolder>, IDisposable
{
    private readonly TestDirectory _directory = new();
    private readonly CollectingLoggerFactory _log = new();

    [Fact]
    public void Reopen_AfterDispose_FindsEveryEntryAsItWas()
    {
        clean.CopyTo(_directory);
        using var cache = Open();

        Assert.InRange(CleanFolder.ShareOfHits(cache), 0.9999, 1); // whoever removes an outdated word takes another key's along now and then
    }

    [Fact]
    public void Reopen_AfterDispose_WarnsOfNothing()
    {
        clean.CopyTo(_directory);
        using var cache = Open();

        Assert.Empty(_log.Warnings);
    }

    [Fact]
    public void Reopen_AfterDispose_CountsWhatItFound()
    {
        clean.CopyTo(_directory);
        using var cache = Open();

        Assert.InRange(cache.GetStatistics().RecoveredEntries, CleanFolder.Alive * 0.8, CleanFolder.Alive * 1.3);
    }

    [Fact]
    public void Reopen_AfterDispose_KnowsWhatTheDiskHolds()
    {
        string folder = clean.CopyTo(_directory);
        using var cache = Open();

        Assert.Equal(Directory.EnumerateFiles(folder).Where(static f => Path.GetFileName(f) is not ("lock" or "owner")).Sum(f => new FileInfo(f).Length), cache.GetStatistics().DiskUsage);
    }

    [Fact]
    public void Reopen_MoreThanMemory_ReadsTheDisk()
    {
        clean.CopyTo(_directory);
        using var cache = Open();
        CleanFolder.ShareOfHits(cache);

        Assert.InRange(cache.GetStatistics().DiskHits, 1, CleanFolder.Entries);
    }

    [Fact]
    public void Reopen_SeveralTimesWithoutUse_FindsEveryEntry()
    {
        clean.CopyTo(_directory);
        for (int i = 0; i < 3; i++) Open().Dispose();
        using var cache = Open();

        Assert.InRange(CleanFolder.ShareOfHits(cache), 0.9999, 1); // whoever removes an outdated word takes another key's along now and then
    }

    [Fact]
    public void Reopen_NewDirectory_WarnsOfNothing()
    {
        using var cache = Open();

        Assert.Empty(_log.Warnings);
    }

    [Fact]
    public void Reopen_NothingWasStored_WarnsOfNothing()
    {
        Open().Dispose();
        Open().Dispose();

        Assert.Empty(_log.Warnings);
    }

    [Fact]
    public void Reopen_OneEntry_FindsIt()
    {
        WithCache(c => c.Set(5, Stamp.Of(5, 1)));

        WithCache(c => Assert.Equal(1, c.CountHits(5, 1, version: 1)));
    }

    [Fact]
    public void Reopen_Cleared_StaysCleared()
    {
        clean.CopyTo(_directory);
        WithCache(c => c.Clear());

        WithCache(c => Assert.Equal(0, CleanFolder.ShareOfHits(c)));
    }

    [Fact]
    public void Reopen_Cleared_WarnsOfNothing()
    {
        clean.CopyTo(_directory);
        WithCache(c => c.Clear());
        WithCache(static _ => { });

        Assert.Empty(_log.Warnings);
    }

    [Fact]
    public void Reopen_ClearedWhileHousekeepingSleeps_StaysCleared()
    {
        using (var cache = Open(housekeeping: new ManualTimeProvider()))
        {
            cache.Fill(0, 1000, version: 1);
            cache.Clear();
        }

        WithCache(c => Assert.Equal(0, c.CountHits(0, 1000, version: 1)));
    }

    [Fact]
    public void Reopen_StoredAfterClear_IsThere()
    {
        clean.CopyTo(_directory);
        WithCache(c =>
        {
            c.Clear();
            c.Fill(0, 1000, version: 3);
        });

        WithCache(c => Found.All(1000, c.CountHits(0, CleanFolder.Entries, version: 3)));
    }

    [Fact]
    public void Reopen_RemovedAfterReopen_StaysRemoved()
    {
        clean.CopyTo(_directory);
        WithCache(c => Assert.True(c.Remove(4)));

        WithCache(c => Assert.False(c.TryGet(4, out _)));
    }

    [Fact]
    public void Reopen_OverwrittenAfterReopen_IsTheNewest()
    {
        clean.CopyTo(_directory);
        WithCache(c => c.Fill(0, CleanFolder.Entries, version: 3));

        WithCache(c => Found.All(CleanFolder.Entries, c.CountHits(0, CleanFolder.Entries, version: 3)));
    }

    [Fact]
    public void Reopen_ManyGenerations_EachFindsTheLatestOfEveryKey()
    {
        const int Keys = 3000;
        for (int generation = 1; generation <= 6; generation++)
        {
            WithCache(c =>
            {
                for (long key = 0; key < Keys; key++)
                {
                    if (generation > 1) Assert.True(c.TryGet(key, out var found) && found == Stamp.Of(key, generation - 1), $"key {key}, generation {generation}");
                    c.Set(key, Stamp.Of(key, generation));
                }
            });
        }
    }

    [Fact]
    public void Reopen_NotYetExpired_IsThere()
    {
        var clock = new ManualTimeProvider();
        WithCache(c => c.Set(1, Stamp.Of(1, 1), TimeSpan.FromHours(1)), clock);
        clock.Advance(TimeSpan.FromMinutes(59));

        WithCache(c => Assert.True(c.TryGet(1, out _)), clock);
    }

    [Fact]
    public void Reopen_ExpiredMeanwhile_IsGone()
    {
        var clock = new ManualTimeProvider();
        WithCache(c => c.Set(1, Stamp.Of(1, 1), TimeSpan.FromHours(1)), clock);
        clock.Advance(TimeSpan.FromHours(1));

        WithCache(c => Assert.False(c.TryGet(1, out _)), clock);
    }

    [Fact]
    public void Reopen_TouchedBeforeDispose_LivesAsLongAsTouched()
    {
        var clock = new ManualTimeProvider();
        WithCache(
            c =>
            {
                c.Set(1, Stamp.Of(1, 1), TimeSpan.FromHours(1));
                c.Touch(1, TimeSpan.FromHours(3));
            },
            clock);
        clock.Advance(TimeSpan.FromHours(2));

        WithCache(c => Assert.True(c.TryGet(1, out _)), clock);
    }

    [Fact]
    public void Reopen_KeysAndValuesOfOddSizes_FindsThem()
    {
        for (int run = 0; run < 2; run++)
        {
            using var cache = new FasterCache<Odd, Gap>(new FasterCacheOptions { Directory = _directory.Path, MemoryBudget = "12MB", DiskBudget = "8MB" }, _log);
            for (int i = 0; i < 1000; i++)
            {
                var key = new Odd((short)i, (short)-i, (byte)i);
                if (run == 0) cache.Set(key, new Gap((byte)i, i));
                else Assert.True(cache.TryGet(key, out var value) && value == new Gap((byte)i, i), $"key {i}");
            }
        }
    }

    [Fact]
    public void Dispose_WholeLife_AllFilesArePrivate()
    {
        using (var cache = Open())
        {
            cache.Fill(0, CleanFolder.Entries, version: 1);
            AssertPrivate();
        }

        AssertPrivate();
    }

    public void Dispose() => _directory.Dispose();

    private FasterCache<long, Stamp> Open(TimeProvider? clock = null, TimeProvider? housekeeping = null) => StampCache.Open(_directory.Path, _log, o => o.TimeProvider = clock, housekeeping);

    private void WithCache(Action<FasterCache<long, Stamp>> use, TimeProvider? clock = null)
    {
        using var cache = Open(clock);
        use(cache);
    }

    private void AssertPrivate()
    {
        string folder = StampCache.FolderIn(_directory.Path);
        Assert.Equal(FileModes.PrivateFolder, FileModes.Of(folder));
        Assert.All(Directory.EnumerateFiles(folder), file => Assert.Equal(FileModes.PrivateFile, FileModes.Of(file)));
    }

    [System.Runtime.InteropServices.StructLayout(System.Runtime.InteropServices.LayoutKind.Sequential, Pack = 1)]
    private readonly record struct Odd(short A, short B, byte C);

    private readonly record struct Gap(byte Small, long Large);
}
