using HybridCaching.Tests.Concurrency;
using HybridCaching.Tests.Configuration;
using HybridCaching.Tests.Support;

namespace HybridCaching.Tests.Tiering;

/// <summary>Budgets change while the file system does not answer, for real: who wants to delete a file waits in the kernel.</summary>
public sealed class FrozenResizeTests
{
    [Fact]
    public void Resize_NothingHasToShrink_Ends()
    {
        using var disk = new LoopDisk("xfs");
        using var cache = new FasterCache<long, Payload>(new FasterCacheOptions { Directory = disk.Path, MemoryBudget = "24MB", DiskBudget = "64MB", DiskTimeout = TimeSpan.FromMilliseconds(500) });
        for (long key = 0; key < 10_000; key++) cache.Set(key, Payload.Of(key));
        disk.Freeze();
        try
        {
            Crew.MustEnd("Resize", () => cache.Resize("48MB", "128MB"));
        }
        finally
        {
            disk.Thaw();
        }

        Assert.Equal(48 << 20, cache.GetMemoryUsage().Budget);
    }
}
