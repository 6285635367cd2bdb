using HybridCaching.Tests.Concurrency;
using HybridCaching.Tests.Configuration;
using HybridCaching.Tests.Support;

namespace HybridCaching.Tests.Tiering;

/// <summary>The file system does not answer, for real: who wants to rename or delete a file waits in the kernel.</summary>
public sealed class HungFolderTests : IDisposable
{
    private readonly LoopDisk _disk = new("xfs");
    private readonly FasterCache<long, Payload> _cache;

    public HungFolderTests()
    {
        _cache = new FasterCache<long, Payload>(new FasterCacheOptions { Directory = _disk.Path, MemoryBudget = "24MB", DiskBudget = "64MB", DiskTimeout = TimeSpan.FromMilliseconds(500) });
        for (long key = 0; key < 10_000; key++) _cache.Set(key, Payload.Of(key));
    }

    public void Dispose()
    {
        _cache.Dispose();
        _disk.Dispose();
    }

    [Fact]
    public void Resize_NothingHasToShrink_Ends()
    {
        MustEndFrozen("Resize", () => _cache.Resize("48MB", "128MB"));

        Assert.Equal(48 << 20, _cache.GetMemoryUsage().Budget);
    }

    [Fact]
    public async Task Set_WhileResting_Ends()
    {
        Assert.True(await _cache.Tiers.CheckpointAsync(TestContext.Current.CancellationToken));

        MustEndFrozen("Set", () => _cache.Set(-1, Payload.Of(-1)));

        Assert.True(_cache.TryGet(-1, out _));
    }

    [Fact]
    public async Task Dispose_AfterRestEnded_Ends()
    {
        Assert.True(await _cache.Tiers.CheckpointAsync(TestContext.Current.CancellationToken));

        MustEndFrozen("Set and Dispose", () =>
        {
            _cache.Set(-1, Payload.Of(-1));
            _cache.Dispose();
        });
    }

    private void MustEndFrozen(string what, Action work)
    {
        _disk.Freeze();
        try
        {
            Crew.MustEnd(what, work);
        }
        finally
        {
            _disk.Thaw();
        }
    }
}
