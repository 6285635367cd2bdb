using HybridCaching.Tests.Support;

namespace HybridCaching.Tests.Recovery;

/// <summary>A cache is opened on a disk that others have filled meanwhile: what it has there is as good as before.</summary>
public sealed class FullDiskStartTests : IDisposable
{
    private const int Count = 20_000;

    private readonly MountedDirectory _mount = new("32m");

    public FullDiskStartTests()
    {
        using (var cache = StampCache.Open(_mount.Path)) cache.Fill(0, Count, version: 1);
        _mount.Fill();
    }

    public void Dispose() => _mount.Dispose();

    [Fact]
    public void Open_DiskIsFull_FindsWhatWasThere()
    {
        using var cache = StampCache.Open(_mount.Path);

        Assert.InRange(cache.CountHits(0, Count, version: 1), Count * 0.99, Count);
    }

    [Fact]
    public void Open_DiskIsFull_SaysThatItIsNotWarmAfterAKill()
    {
        var log = new CollectingLoggerFactory();
        using var cache = StampCache.Open(_mount.Path, log);

        Assert.Contains(log.Entries, e => e.Id.Name == "NotWarmAfterKill");
        Assert.Null(cache.GetStatistics().DiskUnavailableReason);
    }
}
