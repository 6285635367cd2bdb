using System.Diagnostics;
using HybridCaching.Devices;
using HybridCaching.Tests.Concurrency;
using HybridCaching.Tests.Support;
using static HybridCaching.Tests.Support.LongCache;

namespace HybridCaching.Tests.Tiering;

/// <summary>The memory budget changes while the cache is open.</summary>
public sealed class ResizeMemoryTests : IDisposable
{
    private const string Disk = "256MB";
    private const int Keys = 400_000;

    /// <summary>On the disk, one key in many thousands is taken for another.</summary>
    private const int AllKeys = Keys - 20;

    private readonly TestDirectory _directory = new();
    private readonly ManualTimeProvider _housekeeping = new();

    [Theory]
    [InlineData("64MB", "18MB", Disk)]
    [InlineData("64MB", "32MB", Disk)]
    [InlineData("64MB", "63MB", Disk)]
    [InlineData("64MB", "21MB", null)]
    [InlineData("64MB", "32MB", null)]
    public void Usage_AfterShrinking_IsWithinTheNewBudget(string from, string to, string? disk)
    {
        using var cache = Open(from, disk);
        Fill(cache, 0, Keys);

        cache.Resize(to, disk ?? "0");

        var usage = cache.GetMemoryUsage();
        Assert.Equal((ByteSize)to, usage.Budget);
        Assert.InRange(usage.Total, 0, usage.Budget);
    }

    [Theory]
    [InlineData("18MB", Disk)]
    [InlineData("24MB", null)]
    public void Usage_FilledAfterShrinking_IsWithinTheNewBudget(string to, string? disk)
    {
        using var cache = Open("64MB", disk);
        Fill(cache, 0, Keys);
        cache.Resize(to, disk ?? "0");
        long most = 0;
        for (int i = 0; i < Keys; i++)
        {
            cache.Set(Keys + i, i);
            if (i % 100 == 0) most = Math.Max(most, cache.GetMemoryUsage().Total);
        }

        Assert.InRange(most, 8 << 20, ((ByteSize)to).Bytes);
    }

    [Theory]
    [InlineData("24MB", "96MB", Disk)]
    [InlineData("24MB", "96MB", null)]
    [InlineData("16MB", "128MB", null)]
    public void Usage_FilledAfterGrowing_IsWithinTheNewBudgetAndUsesIt(string from, string to, string? disk)
    {
        using var cache = Open(from, disk);
        cache.Resize(to, disk ?? "0");
        var random = new Random(1);
        long most = 0;
        for (int i = 0; i < 3_000_000; i++)
        {
            cache.Set(random.NextInt64(), i);
            if (i % 1000 == 0) most = Math.Max(most, cache.GetMemoryUsage().Total);
        }

        Assert.InRange(most, 2 * ((ByteSize)from).Bytes, ((ByteSize)to).Bytes);
    }

    [Fact]
    public void Usage_MuchSmallerDisk_CountsTheChecksumsThatAreStillThere()
    {
        using var cache = new FasterCache<long, long>(new FasterCacheOptions { Directory = _directory.Path, MemoryBudget = "64MB", DiskBudget = "8GB" });

        cache.Resize("64MB", "64MB");

        Assert.InRange(cache.GetMemoryUsage().Buffers, cache.Tiers.Device!.State!.ChecksumBytes, 64 << 20);
    }

    [Fact]
    public void Get_AfterGrowing_FindsEverything()
    {
        using var cache = Open("24MB", Disk);
        Fill(cache, 0, Keys);

        cache.Resize("96MB", Disk);

        Assert.InRange(CountHits(cache, 0, Keys), AllKeys, Keys);
    }

    [Fact]
    public void Get_AfterGrowingWithoutDisk_FindsWhatWasThere()
    {
        using var cache = Open("24MB", null);
        Fill(cache, 0, Keys);
        int before = CountHits(cache, 0, Keys);

        cache.Resize("96MB", 0);

        Found.All(before, CountHits(cache, 0, Keys));
    }

    [Fact]
    public void Get_FilledAfterGrowingWithoutDisk_FindsMoreThanBefore()
    {
        using var cache = Open("24MB", null);
        Fill(cache, 0, 2_000_000);
        int before = CountHits(cache, 0, 2_000_000);
        cache.Resize("96MB", 0);
        Fill(cache, 0, 2_000_000);

        Assert.InRange(CountHits(cache, 0, 2_000_000), 3 * before, 2_000_000);
    }

    /// <summary>Where the disk has room for all, only the way to it gets longer.</summary>
    [Fact]
    public void Get_AfterShrinkingBesideALargeDisk_FindsEverything()
    {
        using var cache = Open("64MB", Disk);
        Fill(cache, 0, Keys);

        cache.Resize("24MB", Disk);

        Assert.InRange(CountHits(cache, 0, Keys), AllKeys, Keys);
    }

    /// <summary>What has been written may be settled while it cannot leave memory yet: then there is none for the index to grow.</summary>
    [Fact]
    public void Resize_IndexGrowsBeforePagesHaveLeft_NothingLosesItsPlace()
    {
        using var cache = Open("64MB", "64MB");
        using var gate = new DiskGate(cache.Tiers.Device!, IoKind.Write);
        var index = cache.Tiers.Settled!.Index;
        Fill(cache, 0, Keys);
        gate.Close();
        var session = cache.Tiers.Sessions.Rent();
        var resizing = Crew.Start(() => cache.Resize("24MB", "48MB"));
        gate.AwaitHeld();
        session.Hold(); // who is inside the epoch keeps pages in memory
        gate.Open();

        AwaitRest(() => index.Count);
        session.Release();
        cache.Tiers.Sessions.Return(session);
        Assert.True(resizing.Join(Until.Deadline));

        Found.All(Keys / 20, Enumerable.Range(0, Keys / 20).Sum(i => CountHits(cache, i * 20, 1)));
    }

    [Theory]
    [InlineData("18MB", Disk, 100_000)]
    [InlineData("24MB", null, 60_000)]
    public void Get_AfterShrinking_FindsTheNewest(string to, string? disk, int newest)
    {
        using var cache = Open("64MB", disk);
        Fill(cache, 0, Keys);

        cache.Resize(to, disk ?? "0");

        Found.All(newest, CountHits(cache, Keys - newest, newest));
    }

    [Fact]
    public void Get_AfterShrinkingWithoutDisk_DoesNotFindTheOldest()
    {
        using var cache = Open("64MB", null);
        Fill(cache, 0, Keys);
        Found.All(Keys, CountHits(cache, 0, Keys));

        cache.Resize("14MB", 0);

        Assert.InRange(CountHits(cache, 0, Keys / 2), 0, Keys / 10); // copies in the hot tier
    }

    [Fact]
    public void Get_ShrunkAndGrownAgain_FindsWhatWasStoredSince()
    {
        using var cache = Open("64MB", Disk);
        Fill(cache, 0, Keys);
        for (int round = 0; round < 4; round++)
        {
            cache.Resize("20MB", Disk);
            cache.Resize("96MB", Disk);
        }

        Fill(cache, Keys, Keys + 200_000);

        Found.All(200_000, CountHits(cache, Keys, 200_000));
        Assert.Equal(0, cache.GetStatistics().CorruptEntries);
    }

    [Theory]
    [InlineData(Disk)]
    [InlineData(null)]
    public void Calls_BudgetShrinksAndGrows_AnswerNothingWrongWithinTheBudget(string? disk)
    {
        using var cache = Open("48MB", disk);
        long end = Stopwatch.GetTimestamp() + (5 * Stopwatch.Frequency);
        bool IsOver() => Stopwatch.GetTimestamp() > end;
        Crew.Run(4, me =>
        {
            if (me == 0)
            {
                for (int i = 0; !IsOver(); i++)
                {
                    string budget = new[] { "22MB", "100MB", "30MB", "48MB" }[i % 4];
                    cache.Resize(budget, disk ?? "0");
                    for (int look = 0; look < 20; look++)
                    {
                        var usage = cache.GetMemoryUsage();
                        Assert.Equal((ByteSize)budget, usage.Budget);
                        Assert.True(usage.Total <= usage.Budget, usage.ToString());
                        Thread.Yield();
                    }
                }
            }
            else
            {
                var random = new Random(me);
                for (long i = 0; !IsOver(); i++)
                {
                    long key = random.Next(Keys);
                    if (me == 1 || i % 4 == 0) cache.Set(key, ~key);
                    else if (cache.TryGet(key, out long value)) Assert.Equal(~key, value);
                }
            }
        });

        Assert.Equal(0, cache.GetStatistics().CorruptEntries);
    }

    public void Dispose() => _directory.Dispose();

    /// <summary>Waits until something has not changed for many ticks of housekeeping.</summary>
    private void AwaitRest(Func<long> what)
    {
        long seen = what();
        int looks = 0;
        _housekeeping.TickUntil(
            () =>
            {
                long now = what();
                looks = now == seen ? looks + 1 : 0;
                seen = now;
                return looks > 200;
            },
            "it is at rest");
    }

    private FasterCache<long, long> Open(string memory, string? disk) => new(
        new FasterCacheOptions
        {
            Directory = disk is null ? null : _directory.Path,
            Name = StampCache.Name,
            MemoryBudget = memory,
            DiskBudget = disk ?? "1GB",
            DiskTimeout = Until.Deadline,
        },
        _housekeeping);
}
