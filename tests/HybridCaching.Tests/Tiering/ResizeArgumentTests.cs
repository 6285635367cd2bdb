using HybridCaching.Tests.Support;
using Microsoft.Extensions.Logging;

namespace HybridCaching.Tests.Tiering;

/// <summary>What Resize refuses at the door: nothing has changed then.</summary>
public sealed class ResizeArgumentTests : IDisposable
{
    private readonly TestDirectory _directory = new();

    [Theory]
    [InlineData("1MB", "64MB", "memoryBudget")]
    [InlineData("0", "64MB", "memoryBudget")]
    [InlineData("129MB", "64MB", "memoryBudget")]
    [InlineData("4TB", "64MB", "memoryBudget")]
    [InlineData("16MB", "0", "diskBudget")]
    [InlineData("16MB", "1MB", "diskBudget")]
    [InlineData("16MB", "2PB", "diskBudget")]
    public void Resize_BudgetThatCannotBe_NamesItAndItsValue(string memory, string disk, string parameter)
    {
        using var cache = Open();

        var refusal = Assert.Throws<ArgumentOutOfRangeException>(() => cache.Resize(memory, disk));

        Assert.Equal(parameter, refusal.ParamName);
        Assert.StartsWith($"{parameter} {(ByteSize)(parameter == "memoryBudget" ? memory : disk)} ", refusal.Message, StringComparison.Ordinal);
        Assert.Equal((ByteSize)(parameter == "memoryBudget" ? memory : disk), refusal.ActualValue);
    }

    [Theory]
    [InlineData("1MB", "64MB")]
    [InlineData("16MB", "1MB")]
    public void Resize_BudgetThatIsTooSmall_NamesTheLeastThatIsPossible(string memory, string disk)
    {
        using var cache = Open();
        var refusal = Assert.Throws<ArgumentOutOfRangeException>(() => cache.Resize(memory, disk));
        long least = LeastIn(refusal);

        if (refusal.ParamName == "diskBudget") cache.Resize("128MB", least);
        else cache.Resize(least, disk);

        Assert.Equal(least, refusal.ParamName == "diskBudget" ? cache.GetStatistics().DiskBudget : cache.GetMemoryUsage().Budget);
    }

    /// <summary>Whoever puts the new budgets into the options must be able to start with them.</summary>
    [Theory]
    [InlineData("64MB")]
    [InlineData("1GB")]
    public void Resize_ToTheLeastThatIsPossible_CanBeOpenedWith(string disk)
    {
        long least;
        using (var cache = Open())
        {
            least = LeastIn(Assert.Throws<ArgumentOutOfRangeException>(() => cache.Resize("1MB", disk)));
            cache.Resize(least, disk);
        }

        new FasterCache<long, long>(new FasterCacheOptions { Directory = _directory.Path, MemoryBudget = least, DiskBudget = disk }).Dispose();
    }

    [Fact]
    public void Resize_BudgetThatIsTooLarge_NamesTheMostThatIsPossible()
    {
        using var cache = Open();

        Assert.Contains("128MB", Assert.Throws<ArgumentOutOfRangeException>(() => cache.Resize("129MB", "64MB")).Message, StringComparison.Ordinal);
        cache.Resize("128MB", "64MB");
    }

    [Fact]
    public void Resize_Refused_ChangesNothing()
    {
        using var cache = Open();
        cache.Set(1, 2);
        var plan = cache.Tiers.Plan;

        Assert.Throws<ArgumentOutOfRangeException>(() => cache.Resize("16MB", "1MB"));

        Assert.Same(plan, cache.Tiers.Plan);
        Assert.True(cache.TryGet(1, out _));
    }

    [Fact]
    public void Resize_DiskBudgetWithoutDirectory_IsRefused()
    {
        using var cache = new FasterCache<long, long>(new FasterCacheOptions { MemoryBudget = "16MB" });

        Assert.Contains("no Directory", Assert.Throws<ArgumentOutOfRangeException>("diskBudget", () => cache.Resize("16MB", "1GB")).Message, StringComparison.Ordinal);
    }

    [Fact]
    public void Resize_NoDiskBudgetWithoutDirectory_Works()
    {
        using var cache = new FasterCache<long, long>(new FasterCacheOptions { MemoryBudget = "16MB" });

        cache.Resize("32MB", 0);

        Assert.Equal((32 << 20, 0), (cache.GetMemoryUsage().Budget, cache.GetStatistics().DiskBudget));
    }

    [Fact]
    public void Meter_AfterResize_TellsTheNewBudgets()
    {
        const string Name = "resized-and-metered";
        using var meter = new MeterReadings(Name);
        using var cache = new FasterCache<long, long>(new FasterCacheOptions { Directory = _directory.Path, Name = Name, MemoryBudget = "16MB", DiskBudget = "64MB" });

        cache.Resize("24MB", "48MB");

        Assert.Equal((24 << 20, 48 << 20), (meter.ValueOf("hybridcaching.memory.limit"), meter.ValueOf("hybridcaching.disk.limit")));
    }

    [Fact]
    public void Log_AfterResize_TellsTheNewBudgets()
    {
        var log = new CollectingLoggerFactory();
        using var cache = new FasterCache<long, long>(new FasterCacheOptions { MemoryBudget = "16MB" }, log);

        cache.Resize("24MB", 0);

        Assert.Contains(log.MessagesOf(LogLevel.Information), message => message.Contains("24MB", StringComparison.Ordinal));
    }

    [Fact]
    public void Resize_AfterDispose_ThrowsWithTheNameOfTheCache()
    {
        var cache = Open();
        cache.Dispose();

        Assert.Equal(StampCache.Name, Assert.Throws<ObjectDisposedException>(() => cache.Resize("16MB", "64MB")).ObjectName);
    }

    [Fact]
    public void ResizeOfBytes_AfterDispose_ThrowsWithTheNameOfTheCache()
    {
        var cache = new FasterDistributedCache(new FasterDistributedCacheOptions { MemoryBudget = "16MB" });
        cache.Dispose();

        Assert.Equal(FasterDistributedCache.DefaultName, Assert.Throws<ObjectDisposedException>(() => cache.Resize("16MB", 0)).ObjectName);
    }

    [Fact]
    public void ResizeOfBytes_BudgetThatCannotBe_NamesItAndItsValue()
    {
        using var cache = new FasterDistributedCache(new FasterDistributedCacheOptions { MemoryBudget = "32MB", Directory = _directory.Path, DiskBudget = "64MB" });

        Assert.StartsWith("diskBudget 1MB ", Assert.Throws<ArgumentOutOfRangeException>("diskBudget", () => cache.Resize("32MB", "1MB")).Message, StringComparison.Ordinal);
        Assert.StartsWith("memoryBudget 5MB ", Assert.Throws<ArgumentOutOfRangeException>("memoryBudget", () => cache.Resize("5MB", "64MB")).Message, StringComparison.Ordinal);
    }

    public void Dispose() => _directory.Dispose();

    /// <summary>The least budget that a refusal names, in bytes.</summary>
    private static long LeastIn(ArgumentOutOfRangeException refusal)
    {
        string before = refusal.Message.Split(" bytes (")[0];
        return long.Parse(before[(before.LastIndexOf(' ') + 1)..], System.Globalization.CultureInfo.InvariantCulture);
    }

    private FasterCache<long, long> Open() => new(new FasterCacheOptions { Directory = _directory.Path, Name = StampCache.Name, MemoryBudget = "16MB", DiskBudget = "64MB" });
}
