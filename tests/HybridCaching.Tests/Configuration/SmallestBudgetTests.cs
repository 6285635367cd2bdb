using HybridCaching.Store;
using HybridCaching.Tests.Distributed;

namespace HybridCaching.Tests.Configuration;

/// <summary>A cache of little memory beside the default disk keeps what its log lets go: it has both logs.</summary>
public sealed class SmallestBudgetTests : IDisposable
{
    private const string Little = "24MB";

    private readonly TestDirectory _directory = new();

    [Fact]
    public void Open_LittleMemoryAndTheDefaultDisk_HasBothLogs()
    {
        using var cache = new FasterCache<long, long>(new FasterCacheOptions { Directory = _directory.Path, MemoryBudget = Little });

        AssertHasBoth(cache.Tiers.Settled, cache.GetMemoryUsage());
    }

    [Fact]
    public void OpenBytes_LittleMemoryAndTheDefaultDisk_HasBothLogs()
    {
        using var cache = BytesCache.Open(_directory.Path, Little, new ByteSize(FasterCacheOptions.DefaultDiskBudget).ToString());

        AssertHasBoth(cache.Tiers.Settled, cache.GetMemoryUsage());
    }

    public void Dispose() => _directory.Dispose();

    private static void AssertHasBoth(SettledLog? settled, MemoryUsage memory)
    {
        Assert.NotNull(settled);
        Assert.True(settled.FreeSegments > 0);
        Assert.InRange(memory.Total, 1, memory.Budget);
    }
}
