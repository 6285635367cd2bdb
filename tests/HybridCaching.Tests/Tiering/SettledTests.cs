using System.Globalization;
using HybridCaching.Devices;
using HybridCaching.Diagnostics;
using HybridCaching.Tests.Support;

namespace HybridCaching.Tests.Tiering;

/// <summary>What FASTER's log lets go and the disk still holds: what is kept, what goes, and what is never seen again.</summary>
public sealed class SettledTests : IDisposable
{
    /// <summary>Many times what FASTER's log holds, but less than the disk.</summary>
    private const int Fits = 300_000;

    /// <summary>Whoever removes an outdated word takes another key's along now and then.</summary>
    private const int Lost = Fits / 20_000;

    private readonly TestDirectory _directory = new();
    private readonly CollectingLoggerFactory _log = new();

    [Fact]
    public void Set_LessThanTheDiskHolds_LosesNothing()
    {
        using var cache = Open();
        cache.Fill(0, Fits, version: 1);

        Assert.InRange(cache.CountHits(0, Fits, version: 1), Fits - Lost, Fits);
        Assert.InRange(cache.Tiers.Settled!.Index.Count, Fits / 4, Fits);
    }

    [Fact]
    public void EstimatedCount_InLogAndSettled_IsHowManyThereAre()
    {
        using var cache = Open();
        cache.Fill(0, Fits, version: 1);

        Assert.InRange(cache.EstimatedCount, Fits * 0.98, Fits * 1.02);
    }

    [Fact]
    public void Set_SettledKey_IsTheNewest()
    {
        using var cache = Open();
        cache.Fill(0, Fits, version: 1);
        cache.Fill(0, 20_000, version: 2);

        Assert.InRange(cache.CountHits(0, 20_000, version: 2), 20_000 - Lost, 20_000);
        cache.Fill(Fits, Fits, version: 1);
        Assert.InRange(cache.CountHits(0, 20_000, version: 2), 20_000 - Lost, 20_000);
    }

    [Fact]
    public void Remove_SettledKey_IsGone()
    {
        using var cache = Open();
        cache.Fill(0, Fits, version: 1);

        int removed = Enumerable.Range(0, 20_000).Count(key => cache.Remove(key));

        Assert.InRange(removed, 20_000 - Lost, 20_000);
        Assert.Equal(0, cache.CountHits(0, 20_000, version: 1));
        Assert.InRange(cache.CountHits(20_000, 20_000, version: 1), 20_000 - Lost, 20_000);
        Assert.False(cache.Remove(0));
    }

    [Fact]
    public void TryAdd_SettledKey_IsRefused()
    {
        using var cache = Open();
        cache.Fill(0, Fits, version: 1);

        Assert.False(cache.TryAdd(7, Stamp.Of(7, 2)));
        Assert.Equal(1, cache.CountHits(7, 1, version: 1));
    }

    [Fact]
    public void Touch_SettledKey_KeepsItsValue()
    {
        using var cache = Open();
        cache.Fill(0, Fits, version: 1);

        Assert.True(cache.Touch(7, TimeSpan.FromHours(1)));
        Assert.Equal(1, cache.CountHits(7, 1, version: 1));
    }

    [Fact]
    public void Clear_SettledKeys_AreGoneAndSoAreTheirFiles()
    {
        using var cache = Open();
        cache.Fill(0, Fits, version: 1);

        cache.Clear();

        Assert.Equal(0, cache.CountHits(0, Fits, version: 1));
        Assert.Equal(0, cache.EstimatedCount);
        Until.True(() => cache.GetStatistics().DiskUsage < 2 << 20, "the files are gone");
    }

    /// <summary>The files of what was cleared give way to what is written next, whoever comes to delete them, and when; also of what was still in FASTER's log.</summary>
    [Theory]
    [InlineData(2_000_000)]
    [InlineData(600_000)]
    public void Clear_HousekeepingDoesNotComeToIt_WhatIsStoredNextReachesTheDisk(int cleared)
    {
        const int Next = 1_000_000;
        using var cache = Open();
        cache.Fill(0, cleared, version: 1);
        lock (PrivateField.Of<Lock>(cache.Tiers, "_keeping")) // which housekeeping takes while it is at work
        {
            cache.Clear();
            cache.Fill(cleared, Next, version: 2); // keys that were never there: of those that come back some are remembered, and outlive newer ones
            cache.Tiers.Flush();
        }

        Assert.Equal(0, cache.GetStatistics().DiskWriteErrors);
        Assert.InRange(cache.CountHits(cleared + Next - Fits, Fits, version: 2), Fits - Lost, Fits);
    }

    [Fact]
    public void Reopen_LogAndSettled_AreWarm()
    {
        using (var cache = Open()) cache.Fill(0, Fits, version: 1);
        using var again = Open();

        Assert.InRange(again.CountHits(0, Fits, version: 1), Fits - Lost, Fits);
        Assert.InRange(again.GetStatistics().RecoveredEntries, Fits * 0.98, Fits * 1.02);
        Assert.Empty(_log.Warnings);
    }

    [Fact]
    public void Dispose_LogAndSettled_TellsHowManyWereWritten()
    {
        using (var cache = Open()) cache.Fill(0, Fits, version: 1);

        string message = Assert.Single(_log.Entries, static e => e.Id.Name == nameof(Log.CheckpointTaken)).Message;
        Assert.InRange(long.Parse(message.Split("about ")[1].Split(' ')[0], CultureInfo.InvariantCulture), Fits * 0.98, Fits * 1.02);
    }

    /// <summary>A start would refuse it.</summary>
    [Fact]
    public void Dispose_EndOfTheLogCannotBeWritten_WritesNoCheckpoint()
    {
        using (var cache = Open())
        {
            cache.Fill(0, 1_000, version: 1);
            cache.Tiers.Device!.Fault = static request => request.Kind == IoKind.Write;
        }

        Assert.Contains("the end of the log could not be written", Assert.Single(_log.Entries, static e => e.Id.Name == nameof(Log.ClosedWithoutCheckpoint)).Message, StringComparison.Ordinal);
        Assert.DoesNotContain(_log.Entries, static e => e.Id.Name == nameof(Log.CheckpointTaken));
    }

    [Fact]
    public void Reopen_RemovedAndOverwrittenWhenSettled_StaysSo()
    {
        using (var cache = Open())
        {
            cache.Fill(0, Fits, version: 1);
            for (int key = 0; key < 10_000; key++) cache.Remove(key);
            cache.Fill(10_000, 10_000, version: 2);
        }

        using var again = Open();

        Assert.Equal(0, again.CountHits(0, 10_000, version: 1));
        Assert.InRange(again.CountHits(10_000, 10_000, version: 2), 10_000 - Lost, 10_000);
    }

    [Fact]
    public void Reopen_Cleared_StaysEmpty()
    {
        using (var cache = Open())
        {
            cache.Fill(0, Fits, version: 1);
            cache.Clear();
        }

        using var again = Open();

        Assert.Equal(0, again.CountHits(0, Fits, version: 1));
    }

    [Fact]
    public void Reopen_IndexOfSettledDamaged_IsColdAndWarnsOnce()
    {
        using (var cache = Open()) cache.Fill(0, Fits, version: 1);
        string index = Path.Combine(StampCache.FolderIn(_directory.Path), "settled");
        byte[] bytes = File.ReadAllBytes(index);
        bytes[bytes.Length / 2] ^= 1;
        File.WriteAllBytes(index, bytes);

        using var again = Open();

        Assert.Equal(0, again.CountHits(0, Fits, version: 1));
        Assert.Single(_log.Warnings);
    }

    [Fact]
    public void Get_BlocksOfSettledDamaged_AnswersNothingWrong()
    {
        using (var cache = Open()) cache.Fill(0, Fits, version: 1);
        foreach (string file in Directory.EnumerateFiles(StampCache.FolderIn(_directory.Path), "log-0*").Order().Take(30))
        {
            byte[] bytes = File.ReadAllBytes(file);
            for (int block = 0; block < bytes.Length; block += 2 * 4096) bytes[block + 100] ^= 0x10;
            File.WriteAllBytes(file, bytes);
        }

        using var again = Open();

        Assert.InRange(again.CountHits(0, Fits, version: 1), Fits / 10, Fits * 9 / 10);
        Assert.True(again.GetStatistics().CorruptEntries > 0, "damage was met");
        again.Fill(Fits, Fits, version: 1);
        again.CountHits(0, 2 * Fits, version: 1);
    }

    /// <summary>The heart of it: what is read again survives a scan that is larger than the disk, what is not read does not.</summary>
    [Fact]
    public void Get_ReadOnTheDisk_OutlivesAScan()
    {
        using var cache = Open(o => o.HotTierShare = 0);
        const int Read = 20_000;
        int read = 0;
        for (int first = 0; first < 3_000_000; first += 10_000)
        {
            cache.Fill(first, 10_000, version: 1);
            if (first % 100_000 == 0) read = cache.CountHits(0, Read, version: 1);
        }

        Assert.InRange(read, Read * 0.98, Read);
        Assert.InRange(cache.CountHits(500_000, 100_000, version: 1), 0, 200); // some are taken for ones that have come back
        Assert.True(cache.Tiers.Settled!.MainTail > cache.Tiers.Settled.Index.FirstOfMain, "the main log was used");
    }

    [Fact]
    public void Set_KeyThatWasDroppedLately_StaysLonger()
    {
        using var cache = Open(o => o.HotTierShare = 0);
        cache.Fill(0, 1_500_000, version: 1);
        long[] dropped = [.. Enumerable.Range(500_000, 5_000).Select(key => (long)key).Where(key => !cache.TryGet(key, out _))]; // nobody has read them, and the disk does not hold so many
        Assert.InRange(dropped.Length, 4_990, 5_000); // whoever removes an outdated word may take another key's along, which then counts as read

        foreach (long key in dropped) cache.Fill(key, 1, version: 2);
        cache.Fill(3_000_000, 1_200_000, version: 1);

        Assert.InRange(dropped.Sum(key => cache.CountHits(key, 1, version: 2)), 4_500, 5_000);
    }

    [Fact]
    public void Set_NothingIsRead_KeepsTheNewest()
    {
        using var cache = Open();
        cache.Fill(0, 3_000_000, version: 1);

        int kept = (int)(cache.EstimatedCount * 0.97);
        Assert.InRange(cache.CountHits(3_000_000 - kept, kept, version: 1), kept * 0.998, kept);
    }

    [Fact]
    public async Task EnumerateAsync_LogAndSettled_ReturnsEveryKey()
    {
        using var cache = Open();
        cache.Fill(0, Fits, version: 1);
        for (int key = 0; key < 1_000; key++) cache.Remove(key);

        var keys = new HashSet<long>();
        await foreach (var (key, value) in cache.EnumerateAsync(TestContext.Current.CancellationToken))
        {
            Assert.True(value.IsGenuine(key));
            keys.Add(key);
        }

        Assert.InRange(keys.Count, Fits - 1_000 - Lost, Fits - 1_000);
        Assert.All(keys, key => Assert.InRange(key, 1_000, Fits - 1));
    }

    [Fact]
    public async Task EnumerateAsync_LogTurnsOverMeanwhile_Ends()
    {
        using var cache = Open();
        cache.Fill(0, Fits, version: 1);
        using var deadline = new CancellationTokenSource(Until.Deadline);

        int entries = 0;
        await foreach (var (key, value) in cache.EnumerateAsync(deadline.Token))
        {
            Assert.True(value.IsGenuine(key));
            if (entries++ == 0) cache.Fill(Fits, 2 * Fits, version: 1);
        }

        Assert.InRange(entries, Fits / 2, 4 * Fits);
    }

    [Fact]
    public async Task EnumerateAsync_SomeInTheMainLog_ReturnsEachOnce()
    {
        using var cache = Open(o => o.HotTierShare = 0);
        for (int first = 0; first < 1_500_000; first += 100_000)
        {
            cache.Fill(first, 100_000, version: 1);
            cache.CountHits(0, 20_000, version: 1);
        }

        Assert.True(cache.Tiers.Settled!.MainTail > cache.Tiers.Settled.Index.FirstOfMain, "the main log was used");
        var keys = new List<long>();
        await foreach (var (key, _) in cache.EnumerateAsync(TestContext.Current.CancellationToken)) keys.Add(key);

        Assert.Equal(keys.Count, keys.Distinct().Count());
    }

    [Fact]
    public void GetMany_KeysInLogAndSettled_FindsThem()
    {
        using var cache = Open();
        cache.Fill(0, Fits, version: 1);
        long[] keys = [.. Enumerable.Range(0, 1000).Select(i => i * 299L)];
        var values = new Stamp[keys.Length];
        bool[] found = new bool[keys.Length];

        Assert.InRange(cache.GetMany(keys, values, found), 1000 - Lost, 1000);
        Assert.All(keys.Zip(values, found), item => Assert.True(!item.Third || item.Second == Stamp.Of(item.First, 1)));
    }

    [Fact]
    public void Set_DiskTurnedOverOften_StaysWithinBothBudgets()
    {
        using var cache = Open();
        for (int first = 0; first < 3_000_000; first += 20_000)
        {
            cache.Fill(first, 20_000, version: 1);
            Assert.InRange(FolderSize.Of(StampCache.FolderIn(_directory.Path)), 0, 64 << 20);
            Assert.InRange(cache.GetMemoryUsage().Total, 0, cache.GetMemoryUsage().Budget);
        }

        Assert.InRange(FolderSize.Of(StampCache.FolderIn(_directory.Path)), 40 << 20, 64 << 20); // there is not memory enough for an index of more
        Assert.Equal(0, cache.GetStatistics().DiskWriteErrors);
    }

    [Fact]
    public void Evictions_AndCount_AddUpToWhatWasStored()
    {
        using var cache = Open();
        cache.Fill(0, 2_000_000, version: 1);

        Assert.InRange(cache.EstimatedCount + cache.GetStatistics().Evictions, 1_950_000, 2_050_000);
        Assert.InRange(cache.CountHits(0, 2_000_000, version: 1), cache.EstimatedCount * 0.95, cache.EstimatedCount * 1.05);
    }

    public void Dispose() => _directory.Dispose();

    private FasterCache<long, Stamp> Open(Action<FasterCacheOptions>? change = null) => StampCache.Open(
        _directory.Path,
        _log,
        o =>
        {
            (o.MemoryBudget, o.DiskBudget) = ("32MB", "64MB");
            change?.Invoke(o);
        });
}
