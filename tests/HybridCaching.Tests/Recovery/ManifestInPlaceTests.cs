using HybridCaching.Diagnostics;
using HybridCaching.Tests.Support;

namespace HybridCaching.Tests.Recovery;

/// <summary>A manifest came into its place, and yet that was reported as an error, as network file systems do.</summary>
[Collection(nameof(RunsAlone))]
public sealed class ManifestInPlaceTests : IDisposable
{
    private readonly TestDirectory _directory = new();

    [Fact]
    public async Task CheckpointAsync_ErrorAfterTheManifestIsInPlace_LeavesNoneThatCounts()
    {
        using var cache = StampCache.Open(_directory.Path);
        cache.Fill(0, 1000, version: 1);
        Fault.Reached = static point =>
        {
            if (point == "checkpoint.after-manifest") throw new IOException("the answer got lost");
        };

        Assert.False(await cache.Tiers.CheckpointAsync(TestContext.Current.CancellationToken));
        Fault.Reached = null;

        Assert.False(File.Exists(Path.Combine(StampCache.FolderIn(_directory.Path), "manifest")));
    }

    public void Dispose()
    {
        Fault.Reached = null;
        _directory.Dispose();
    }
}
