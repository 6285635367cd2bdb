using HybridCaching.HotTier;
using HybridCaching.Records;
using HybridCaching.Store;
using HybridCaching.Tests.Distributed;
using HybridCaching.Tests.Support;

namespace HybridCaching.Tests.Concurrency;

/// <summary>An entry that is read all the time, whose record was dropped: its copy in the hot tier is all there is.</summary>
public sealed class OutlivedRecordTests : IDisposable
{
    private const long Key = 7;
    private const string Name = "read all the time";
    private const int ValueBytes = 500;

    private const int ReadsOfEach = 4;

    /// <summary>So many others are read that their copies do not fit.</summary>
    private const int Others = 400_000;

    private readonly TestDirectory _directory = new();

    public void Dispose() => _directory.Dispose();

    [Fact]
    public void TryGet_NoDirectoryAndRowAtWork_IsHit()
    {
        using var cache = new FasterCache<long, Stamp>(new FasterCacheOptions { MemoryBudget = "4MB" });
        var log = PrivateField.Of<HybridLog>(cache.Tiers, "_log");
        cache.Set(Key, Stamp.Of(Key, 1));
        long end = log.TailAddress;
        bool isHit = false;
        Outlive(i => cache.Set(Key + 1 + i, Stamp.Of(Key + 1 + i, 1)), () => cache.TryGet(Key, out _), () => log.BeginAddress >= end);

        RowAtWork.Meet(cache.Tiers, PrivateField.Of<KeyHasher>(cache.Tiers, "_hasher").Hash(Key), () => isHit = cache.TryGet(Key, out _));

        Assert.True(isHit);
    }

    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public void Get_RowAtWork_IsHit(bool hasDisk)
    {
        using var cache = Open(hasDisk);
        ulong hash = OutliveIn(cache);
        byte[]? value = null;

        RowAtWork.Meet(cache.Tiers, hash, () => value = cache.Get(Name));

        Assert.NotNull(value);
    }

    /// <summary>Its segment of the arena is used anew again and again, and meanwhile its reference leads nowhere.</summary>
    [Fact]
    public void Get_ArenaIsFilledMeanwhile_AlwaysHits()
    {
        const int Reads = 200_000;
        using var cache = Open(hasDisk: true);
        OutliveIn(cache);
        string[] others = [.. Enumerable.Range(0, 20_000).Select(OtherName).Where(name => cache.Get(Name) is not null && cache.Get(name) is not null)];
        bool isOver = false;
        var filler = Crew.Start(() =>
        {
            while (!Volatile.Read(ref isOver)) foreach (string name in others) cache.Get(name);
        });
        int misses = 0;
        for (int i = 0; i < Reads; i++)
        {
            if (cache.Get(Name) is null) misses++;
        }

        Volatile.Write(ref isOver, true);
        filler.Join();
        Assert.Equal(0, misses);
    }

    [Fact]
    public void Remove_CopyAlone_IsCounted()
    {
        using var cache = Open(hasDisk: false);
        OutliveIn(cache);

        cache.Remove(Name);

        Assert.Equal(1, cache.GetStatistics().Removals);
        Assert.Null(cache.Get(Name));
    }

    /// <summary>What is read most would be what the next process misses.</summary>
    [Fact]
    public void Dispose_TypedCopyAlone_IsThereAfterwards()
    {
        using (var cache = StampCache.Open(_directory.Path)) OutliveIn(cache);

        using var next = StampCache.Open(_directory.Path);

        Assert.True(next.TryGet(Key, out var value));
        Assert.Equal(Stamp.Of(Key, 1), value);
    }

    [Fact]
    public void Dispose_CopyAlone_IsThereAfterwards()
    {
        using (var cache = Open(hasDisk: true)) OutliveIn(cache);

        using var next = Open(hasDisk: true);

        Assert.Equal(BytesValue.Of(Name, 1, ValueBytes), next.Get(Name));
    }

    [Fact]
    public void Dispose_CopyAloneHasExpired_IsNotThereAfterwards()
    {
        var clock = new ManualTimeProvider();
        using (var cache = StampCache.Open(_directory.Path, change: o => o.TimeProvider = clock))
        {
            OutliveIn(cache, TimeSpan.FromHours(1));
            clock.Advance(TimeSpan.FromHours(2));
        }

        using var next = StampCache.Open(_directory.Path);

        Assert.False(next.TryGet(Key, out _));
    }

    /// <summary>Where the log gets it lies beyond the end of the walk, which has not come to its row yet.</summary>
    [Fact]
    public async Task EnumerateAsync_CopyAloneIsLoggedAndPushedOutMeanwhile_ReturnsIt()
    {
        using var cache = StampCache.Open(_directory.Path);
        ulong hash = OutliveIn(cache);
        var hot = PrivateField.Of<HotTable<long, Stamp>>(cache.Tiers, "_hot");
        await using var walk = cache.EnumerateAsync(TestContext.Current.CancellationToken).GetAsyncEnumerator(TestContext.Current.CancellationToken);
        var found = new List<KeyValuePair<long, Stamp>>();
        Assert.True(await walk.MoveNextAsync());
        found.Add(walk.Current);
        Assert.True(await cache.Tiers.CheckpointAsync(TestContext.Current.CancellationToken));
        var hasher = PrivateField.Of<KeyHasher>(cache.Tiers, "_hasher");
        long[] ofItsRow = [.. Enumerable.Range(1, Others).Select(i => Key + i).Where(key => hot.RowIndexOf(hasher.Hash(in key)) == hot.RowIndexOf(hash))];
        PushOut(ofItsRow, key => cache.TryGet(key, out _), () => hot.Find(Key, hash) < 0);

        while (await walk.MoveNextAsync()) found.Add(walk.Current);

        Assert.Contains(new(Key, Stamp.Of(Key, 1)), found);
    }

    [Fact]
    public async Task ScanKeysAsync_CopyAloneIsLoggedAndPushedOutMeanwhile_ReturnsIt()
    {
        using var cache = Open(hasDisk: true);
        ulong hash = OutliveIn(cache);
        var hot = PrivateField.Of<HotBytes>(cache.Tiers, "_hot");
        await using var walk = cache.ScanKeysAsync("*", TestContext.Current.CancellationToken).GetAsyncEnumerator(TestContext.Current.CancellationToken);
        Assert.True(await walk.MoveNextAsync());
        var found = new List<string> { walk.Current };
        Assert.True(await cache.Tiers.CheckpointAsync(TestContext.Current.CancellationToken));
        PushOut([.. Enumerable.Range(0, Others)], i => cache.Get(OtherName(i)), () => hot.Find(KeyText.Encode(Name), hash) < 0);

        while (await walk.MoveNextAsync()) found.Add(walk.Current);

        Assert.Contains(Name, found);
    }

    private static ulong OutliveIn(FasterCache<long, Stamp> cache, TimeSpan? timeToLive = null)
    {
        var log = PrivateField.Of<HybridLog>(cache.Tiers, "_log");
        ulong hash = PrivateField.Of<KeyHasher>(cache.Tiers, "_hasher").Hash(Key);
        if (timeToLive is { } time) cache.Set(Key, Stamp.Of(Key, 1), time);
        else cache.Set(Key, Stamp.Of(Key, 1));
        long end = log.TailAddress;
        Outlive(
            i => cache.Set(Key + 1 + i, Stamp.Of(Key + 1 + i, 1)),
            () => cache.TryGet(Key, out _),
            () => log.BeginAddress >= end && cache.Tiers.Settled!.ProbationBegin >= end);
        Drop(cache.Tiers.Settled, hash);
        return hash;
    }

    private static string OtherName(int number) => $"other:{number}";

    private static ulong OutliveIn(FasterDistributedCache cache)
    {
        var log = PrivateField.Of<HybridLog>(cache.Tiers, "_log");
        ulong hash = PrivateField.Of<KeyHasher>(cache.Tiers, "_hasher").Hash(KeyText.Encode(Name));
        cache.Set(Name, BytesValue.Of(Name, 1, ValueBytes), BytesCache.ForEver);
        long end = log.TailAddress;
        Outlive(
            i => cache.Set(OtherName(i), BytesValue.Of(OtherName(i), 1, ValueBytes), BytesCache.ForEver),
            () => cache.Get(Name) is not null,
            () => log.BeginAddress >= end && (cache.Tiers.Settled is not { } settled || settled.ProbationBegin >= end));
        Drop(cache.Tiers.Settled, hash);
        return hash;
    }

    /// <summary>It may have been read on the disk before there was a copy: then it stays for long.</summary>
    private static void Drop(SettledLog? settled, ulong hash) => settled?.Index.Remove(hash);

    /// <summary>Stores others, and reads the entry in between, until its record is gone.</summary>
    private static void Outlive(Action<int> setOther, Func<bool> read, Func<bool> isGone)
    {
        for (int i = 0; !isGone(); i++)
        {
            Assert.True(i < 2_000_000, "its record is dropped");
            setOther(i);
            if (i % 16 == 0) read();
        }

        Assert.True(read(), "its copy is there");
    }

    /// <summary>Reads others, each often enough to be worth a place, until they have taken that of its copy.</summary>
    private static void PushOut<T>(T[] others, Action<T> readOther, Func<bool> isGone)
    {
        for (int i = 0; !isGone(); i++)
        {
            Assert.True(i < 4_000_000, "its copy is pushed out");
            readOther(others[i / ReadsOfEach % others.Length]);
        }
    }

    private FasterDistributedCache Open(bool hasDisk) => BytesCache.Open(hasDisk ? _directory.Path : null, "12MB", "16MB", static o => o.TypicalEntryBytes = "1KB");
}
