using HybridCaching.Configuration;
using HybridCaching.Tests.Support;

namespace HybridCaching.Tests.Configuration;

/// <summary>A memory budget above what the process can have may be meant; it is said.</summary>
public sealed class MemoryWarningTests
{
    private readonly CollectingLoggerFactory _log = new();

    [Fact]
    public void Open_MemoryBudgetAboveTheMemory_IsSaid()
    {
        using var cache = Open(available: 4 << 20);

        Assert.Equal("Cache small has a MemoryBudget of 8MB, but there are only 4MB of memory.", Assert.Single(_log.Warnings));
    }

    [Fact]
    public void Open_MemoryBudgetOfAllTheMemory_IsNotSaid()
    {
        using var cache = Open(available: 8 << 20);

        Assert.Empty(_log.Warnings);
    }

    private FasterCache<long, long> Open(long available) => new(new FasterCacheOptions { Name = "small", MemoryBudget = "8MB" }, new Surroundings { AvailableMemory = available, LoggerFactory = _log });
}
