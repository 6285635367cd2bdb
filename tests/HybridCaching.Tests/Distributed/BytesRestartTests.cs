using HybridCaching.Tests.Support;
using Microsoft.Extensions.Caching.Distributed;

namespace HybridCaching.Tests.Distributed;

/// <summary>A cache that was closed properly is as it was when it is opened again, and what was gone stays gone.</summary>
public sealed class BytesRestartTests(BytesFolder clean) : IClassFixture<BytesFolder>, IDisposable
{
    private const string Key = "key";
    private static readonly TimeSpan Window = TimeSpan.FromMinutes(10);

    private readonly TestDirectory _directory = new();
    private readonly CollectingLoggerFactory _log = new();
    private readonly ManualTimeProvider _clock = new(DateTimeOffset.UtcNow); // no earlier than the folder that is copied

    /// <summary>Small, around a block, and large.</summary>
    public static TheoryData<int> Lengths => [0, 100, 4096, 300_000];

    [Fact]
    public void Reopen_ValuesOfAllSizes_FindsEveryOneAsItWas()
    {
        clean.CopyTo(_directory);
        using var cache = Open();

        Assert.Equal(1.0, BytesFolder.ShareOfHits(cache));
        Assert.Empty(_log.Warnings);
        Assert.Equal(0, cache.GetStatistics().CorruptEntries);
    }

    [Fact]
    public void Reopen_ValuesOfAllSizes_ReadsTheDisk()
    {
        clean.CopyTo(_directory);
        using var cache = Open();
        BytesFolder.ShareOfHits(cache);

        Assert.InRange(cache.GetStatistics().DiskHits, 100, BytesFolder.Entries);
        Assert.InRange(cache.GetStatistics().RecoveredEntries, 1, long.MaxValue);
    }

    [Fact]
    public void Reopen_SeveralTimesWithoutUse_FindsEveryOne()
    {
        clean.CopyTo(_directory);
        for (int i = 0; i < 3; i++) Open().Dispose();

        WithCache(cache => Assert.Equal(1.0, BytesFolder.ShareOfHits(cache)));
    }

    /// <summary>FASTER's index has more entries than were planned for, and so does its file; there is room enough for it on the disk.</summary>
    [Theory]
    [InlineData("12MB", "64MB")]
    [InlineData("16MB", "256MB")]
    public void Reopen_ManySmallEntriesAndTheDiskNearlyEmpty_FindsEveryOne(string memory, string disk)
    {
        const int Entries = 100_000;
        using (var cache = BytesCache.Open(_directory.Path, memory, disk))
        {
            for (int i = 0; i < Entries; i++) cache.Set($"key {i}", new byte[8], OpenCache.NoExpiration);
            Assert.Equal(Entries, Hits(cache));
        }

        using var again = BytesCache.Open(_directory.Path, memory, disk);
        Assert.Equal(Entries, Hits(again));

        static int Hits(FasterDistributedCache cache) => Enumerable.Range(0, Entries).Count(i => cache.Get($"key {i}") is { Length: 8 });
    }

    [Fact]
    public void Reopen_NothingWasStored_WarnsOfNothing()
    {
        Open().Dispose();
        Open().Dispose();

        Assert.Empty(_log.Warnings);
    }

    [Theory]
    [InlineData(0)]
    [InlineData(0.95)]
    public void Reopen_OtherHotTierShare_FindsEveryOne(double share)
    {
        clean.CopyTo(_directory);

        WithCache(cache => Assert.InRange(BytesFolder.ShareOfHits(cache), 0, 1), o => o.HotTierShare = share);
    }

    [Fact]
    public void Reopen_OverwrittenByOtherLengths_FindsTheNewer()
    {
        clean.CopyTo(_directory);
        WithCache(cache =>
        {
            for (int i = 0; i < BytesFolder.Entries; i++) BytesFolder.Set(cache, i, version: 4);
        });

        WithCache(cache => Found.All(BytesFolder.Entries, BytesFolder.CountHits(cache, _ => 4)));
    }

    [Fact]
    public void Reopen_ManyGenerations_EachFindsTheOneBefore()
    {
        const int Step = 7;
        for (int generation = 1; generation <= 5; generation++)
        {
            WithCache(cache =>
            {
                for (int i = 0; i < BytesFolder.Entries; i += Step)
                {
                    if (generation > 1) Assert.True(cache.Get(BytesFolder.KeyOf(i)).AsSpan().SequenceEqual(BytesFolder.ValueOf(i, generation - 1)), $"key {i}, generation {generation}");
                    BytesFolder.Set(cache, i, generation);
                }
            });
        }
    }

    [Theory]
    [MemberData(nameof(Lengths))]
    public void Reopen_Removed_StaysRemoved(int length) => AssertStaysGone(length, static cache => cache.Remove(Key));

    [Theory]
    [MemberData(nameof(Lengths))]
    public void Reopen_RemovedByPrefix_StaysRemoved(int length) => AssertStaysGone(length, static cache => Assert.Equal(1, cache.RemoveByPrefixAsync("ke").Await()));

    [Theory]
    [MemberData(nameof(Lengths))]
    public void Reopen_Cleared_StaysCleared(int length) => AssertStaysGone(length, static cache => cache.Clear());

    [Fact]
    public void Reopen_AllRemoved_NoneComesBack()
    {
        clean.CopyTo(_directory);
        WithCache(static cache =>
        {
            for (int i = 0; i < BytesFolder.Entries; i++) cache.Remove(BytesFolder.KeyOf(i));
        });

        for (int i = 0; i < 2; i++) WithCache(static cache => Assert.Equal(0, BytesFolder.CountHits(cache, _ => null)));
    }

    [Fact]
    public void Reopen_AllRemovedByPrefix_NoneComesBack()
    {
        clean.CopyTo(_directory);
        WithCache(static cache => cache.RemoveByPrefixAsync("schl").Await());

        WithCache(static cache => BytesFolder.CountHits(cache, number => number % 2 != 0 || number % 10 == 3 ? null : 1));
    }

    [Fact]
    public void Reopen_AllCleared_NoneComesBack()
    {
        clean.CopyTo(_directory);
        WithCache(static cache => cache.Clear());

        for (int i = 0; i < 2; i++) WithCache(static cache => Assert.Equal(0, BytesFolder.CountHits(cache, _ => null)));
        Assert.Empty(_log.Warnings);
    }

    [Fact]
    public void Reopen_StoredAfterClear_IsThere()
    {
        clean.CopyTo(_directory);
        WithCache(static cache =>
        {
            cache.Clear();
            for (int i = 0; i < BytesFolder.Entries; i += 3) BytesFolder.Set(cache, i, version: 3);
        });

        WithCache(static cache => Found.All(BytesFolder.Entries / 3, BytesFolder.CountHits(cache, number => number % 3 == 0 ? 3 : null)));
    }

    [Theory]
    [MemberData(nameof(Lengths))]
    public void Reopen_ExpiredMeanwhile_IsGone(int length)
    {
        WithCache(cache => Set(cache, length, relative: Window));
        _clock.Advance(Window);

        WithCache(static cache => Assert.Null(cache.Get(Key)));
    }

    [Theory]
    [MemberData(nameof(Lengths))]
    public void Reopen_NotYetExpired_IsThere(int length)
    {
        WithCache(cache => Set(cache, length, relative: Window));
        _clock.Advance(Window - TimeSpan.FromTicks(1));

        WithCache(cache => AssertThere(cache, length));
    }

    [Fact]
    public void Reopen_ExpiredBeforeDispose_StaysGoneThoughTheClockIsSetBack()
    {
        WithCache(cache =>
        {
            Set(cache, 100, relative: Window);
            _clock.Advance(Window);
            Assert.Null(cache.Get(Key));
        });
        _clock.Advance(TimeSpan.FromHours(1));

        WithCache(static cache => Assert.Null(cache.Get(Key)));
    }

    [Theory]
    [MemberData(nameof(Lengths))]
    public void Reopen_Sliding_GoesOnSliding(int length)
    {
        WithCache(cache => Set(cache, length, sliding: Window));
        for (int i = 0; i < 4; i++)
        {
            _clock.Advance(Window * 0.9);
            WithCache(cache => AssertThere(cache, length));
        }

        _clock.Advance(Window);
        WithCache(static cache => Assert.Null(cache.Get(Key)));
    }

    /// <summary>What a read has renewed counts, although the value was on the disk already.</summary>
    [Theory]
    [MemberData(nameof(Lengths))]
    public void Reopen_SlidingRenewedOnDisk_LivesFromThen(int length)
    {
        WithCache(
            cache =>
            {
                Set(cache, length, sliding: Window);
                cache.PushToDisk(Key);
                _clock.Advance(Window * 0.9);
                cache.Refresh(Key);
            },
            o => o.HotTierShare = 0);
        _clock.Advance(Window * 0.9);

        WithCache(cache => AssertThere(cache, length), o => o.HotTierShare = 0);
    }

    [Theory]
    [MemberData(nameof(Lengths))]
    public void Reopen_SlidingWithACap_EndsAtTheCap(int length)
    {
        WithCache(cache => Set(cache, length, relative: 2 * Window, sliding: Window));
        _clock.Advance(Window * 0.9);
        WithCache(cache => AssertThere(cache, length));
        _clock.Advance(Window * 0.9);
        WithCache(cache => AssertThere(cache, length));
        _clock.Advance(Window * 0.2);

        WithCache(static cache => Assert.Null(cache.Get(Key)));
    }

    [Theory]
    [MemberData(nameof(Lengths))]
    public void Reopen_EntryInfo_IsThatOfBefore(int length)
    {
        WithCache(cache => Set(cache, length, relative: 2 * Window, sliding: Window));
        _clock.Advance(TimeSpan.FromSeconds(60));

        WithCache(cache =>
        {
            Assert.True(cache.TryGetEntryInfo(Key, out var info));
            Assert.Equal((length, TimeSpan.FromSeconds(60), Window - TimeSpan.FromSeconds(60)), (info.Length, info.Age, info.TimeLeft));
        });
    }

    [Fact]
    public void Dispose_WholeLife_AllFilesArePrivate()
    {
        WithCache(static cache => cache.Push(20 << 20, round: 1));

        string folder = BytesCache.FolderIn(_directory.Path);
        Assert.All(Directory.EnumerateFiles(folder), file => Assert.Equal(FileModes.PrivateFile, FileModes.Of(file)));
    }

    public void Dispose() => _directory.Dispose();

    private static void AssertThere(FasterDistributedCache cache, int length) => Assert.True(cache.Get(Key) is { } value && value.AsSpan().SequenceEqual(BytesValue.Of(Key, 1, length)));

    private static void Set(FasterDistributedCache cache, int length, TimeSpan? relative = null, TimeSpan? sliding = null) =>
        cache.Set(Key, BytesValue.Of(Key, 1, length), new DistributedCacheEntryOptions { AbsoluteExpirationRelativeToNow = relative, SlidingExpiration = sliding });

    /// <summary>Once while the value is in memory, once while it is on the disk only, once after a restart.</summary>
    private void AssertStaysGone(int length, Action<FasterDistributedCache> remove)
    {
        for (int when = 0; when < 3; when++)
        {
            WithCache(cache =>
            {
                Set(cache, length);
                if (when == 1) cache.PushToDisk(Key);
                if (when == 2) return;
                remove(cache);
                Assert.Null(cache.Get(Key));
            });
            if (when == 2) WithCache(remove);

            for (int i = 0; i < 2; i++) WithCache(static cache => Assert.Null(cache.Get(Key)));
        }
    }

    private FasterDistributedCache Open(Action<FasterDistributedCacheOptions>? change = null) => BytesCache.Open(
        _directory.Path,
        change: o =>
        {
            o.TimeProvider = _clock;
            change?.Invoke(o);
        },
        log: _log);

    private void WithCache(Action<FasterDistributedCache> use, Action<FasterDistributedCacheOptions>? change = null)
    {
        using var cache = Open(change);
        use(cache);
    }
}
