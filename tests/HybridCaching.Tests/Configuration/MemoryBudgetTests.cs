using HybridCaching.Configuration;
using HybridCaching.Tests.Concurrency;
using HybridCaching.Tests.Support;
using HybridCaching.Tiering;
using static HybridCaching.Tests.Support.LongCache;

namespace HybridCaching.Tests.Configuration;

/// <summary>What a cache has allocated comes back within the budget by itself, whatever was stored.</summary>
public sealed class MemoryBudgetTests : IDisposable
{
    private readonly TestDirectory _directory = new();
    private readonly ManualTimeProvider _housekeeping = new();

    [Theory]
    [InlineData("12MB", "16MB")]
    [InlineData("16MB", "64MB")]
    [InlineData("32MB", "32MB")]
    [InlineData("16MB", "1GB")]
    public void Usage_SmallEntriesOnDisk_IsWithinTheBudget(string memory, string disk)
    {
        using var cache = Open(memory, disk);

        Fill(cache, 0, 2_000_000);

        AssertWithinBudget(cache);
    }

    /// <summary>Several times as many keys as the disk holds, in no order: the fullest that each bucket of the index ever was would be far beyond the budget.</summary>
    [Theory]
    [InlineData("12MB", "64MB", 3_000_000)]
    [InlineData("16MB", "64MB", 4_000_000)]
    [InlineData("32MB", "128MB", 6_000_000)]
    [InlineData("24MB", null, 2_000_000)]
    public void Usage_StormOfScatteredKeys_IsNeverAboveTheBudget(string memory, string? disk, int keys)
    {
        using var cache = Open(memory, disk);
        long budget = cache.GetMemoryUsage().Budget;
        long most = 0;
        var random = new Random(4711);

        for (int i = 0; i < keys; i++)
        {
            cache.Set(random.NextInt64(), i);
            if (i % 1000 == 0) most = Math.Max(most, cache.GetMemoryUsage().Total);
        }

        Assert.InRange(most, budget / 2, budget);
    }

    /// <summary>The index takes page after page while the hot tier grows and gives up again.</summary>
    [Fact]
    public void Usage_StormFromManyThreads_IsNeverAboveTheBudget()
    {
        using var cache = new FasterCache<long, long>(Options("48MB", "256MB"));
        long budget = cache.GetMemoryUsage().Budget;
        var most = new long[4];
        Crew.Run(most.Length, me =>
        {
            var random = new Random(me);
            for (int i = 0; i < 1_500_000; i++)
            {
                cache.Set(random.NextInt64(), i);
                if (i % 500 == 0) most[me] = Math.Max(most[me], cache.GetMemoryUsage().Total);
            }
        });

        Assert.InRange(most.Max(), budget / 10 * 9, budget);
    }

    [Fact]
    public void Usage_AfterWarmRestart_IsWithinTheBudget()
    {
        using (var cache = Open("16MB", "64MB")) Fill(cache, 0, 2_000_000);

        using var again = Open("16MB", "64MB");

        AssertWithinBudget(again);
    }

    [Fact]
    public void Usage_WarmRestartsAndMore_IsWithinTheBudget()
    {
        const int Keys = 1_500_000;
        for (int run = 0; run < 4; run++)
        {
            using var cache = Open("16MB", "64MB");
            Fill(cache, run * Keys, (run + 1) * Keys);

            AssertWithinBudget(cache);
        }
    }

    [Theory]
    [InlineData("12MB")]
    [InlineData("16MB")]
    [InlineData("48MB")]
    public void Usage_WithoutDisk_IsWithinTheBudget(string memory)
    {
        using var cache = Open(memory, null);

        Fill(cache, 0, 2_000_000);

        AssertWithinBudget(cache);
    }

    [Fact]
    public void Usage_AfterDispose_ThrowsWithTheNameOfTheCache()
    {
        var cache = Open("16MB", "64MB");
        cache.Dispose();

        Assert.Equal(StampCache.Name, Assert.Throws<ObjectDisposedException>(() => cache.GetMemoryUsage()).ObjectName);
    }

    [Fact]
    public void Set_AfterDispose_ThrowsWithTheNameOfTheCache()
    {
        var cache = Open("16MB", "64MB");
        cache.Dispose();

        Assert.Equal(StampCache.Name, Assert.Throws<ObjectDisposedException>(() => cache.Set(1, 1)).ObjectName);
    }

    [Fact]
    public void Get_WithoutDisk_FindsTheNewestAndNotTheOldest()
    {
        using var cache = Open("12MB", null);
        Fill(cache, 0, 1_000_000);

        Assert.Equal((10_000, 0), (CountHits(cache, 990_000, 10_000), CountHits(cache, 0, 10_000)));
    }

    [Fact]
    public void Cache_SmallestBudgetWithTheDefaultDiskBudget_Works()
    {
        const int Keys = 200_000;
        using var cache = OpenSmallest(FasterCacheOptions.DefaultDiskBudget);
        Fill(cache, 0, Keys);

        Found.All(Keys, CountHits(cache, 0, Keys));
        AssertWithinBudget(cache);
    }

    [Fact]
    public void Cache_SmallestBudgetWithTheDefaultDiskBudget_IsWarmAgain()
    {
        const int Keys = 200_000;
        using (var cache = OpenSmallest(FasterCacheOptions.DefaultDiskBudget)) Fill(cache, 0, Keys);

        using var again = OpenSmallest(FasterCacheOptions.DefaultDiskBudget);

        Found.All(Keys, CountHits(again, 0, Keys));
        AssertWithinBudget(again);
    }

    [Fact]
    public void Cache_SmallestBudgets_Works()
    {
        using var cache = OpenSmallest(MemoryPlan.SmallestDiskBudget(32));
        Fill(cache, 0, 300_000);

        Found.All(1000, CountHits(cache, 299_000, 1000));
        AssertWithinBudget(cache);
    }

    [Fact]
    public void Cache_MuchMemoryAndTheSmallestDisk_Works()
    {
        using var cache = Open("512MB", new ByteSize(MemoryPlan.SmallestDiskBudget(32)).ToString());
        Fill(cache, 0, 500_000);

        Found.All(1000, CountHits(cache, 499_000, 1000));
        Assert.Equal(0, cache.GetStatistics().DroppedWrites);
    }

    public void Dispose() => _directory.Dispose();

    private void AssertWithinBudget(FasterCache<long, long> cache)
    {
        var usage = cache.GetMemoryUsage();
        for (int tick = 0; tick < 200 && usage.Total > usage.Budget; tick++)
        {
            _housekeeping.Advance(Housekeeper.Tick);
            Thread.Yield();
            usage = cache.GetMemoryUsage();
        }

        Until.True(() => (usage = cache.GetMemoryUsage()).Total <= usage.Budget, $"within the budget: {usage}");
        Assert.InRange(usage.Total, 0, usage.Budget);
    }

    private FasterCache<long, long> OpenSmallest(long diskBudget)
    {
        var options = Options("1MB", new ByteSize(diskBudget).ToString());
        string message = Assert.Throws<ArgumentException>(() => new FasterCache<long, long>(options)).Message;
        options.MemoryBudget = long.Parse(message.Split("the smallest MemoryBudget is ")[1].Split(' ')[0], System.Globalization.CultureInfo.InvariantCulture);
        return new FasterCache<long, long>(options, _housekeeping);
    }

    private FasterCache<long, long> Open(string memory, string? disk) => new(Options(memory, disk), _housekeeping);

    private FasterCacheOptions Options(string memory, string? disk) => new()
    {
        Directory = disk is null ? null : _directory.Path,
        Name = StampCache.Name,
        MemoryBudget = memory,
        DiskBudget = disk ?? "1GB",
        DiskTimeout = Until.Deadline,
    };
}
