using HybridCaching.Diagnostics;
using HybridCaching.Tests.Support;

namespace HybridCaching.Tests.Recovery;

/// <summary>The disk fails while a cache is opened: a start is never worse for a checkpoint that is there.</summary>
[Collection(nameof(RunsAlone))]
public sealed class FailingStartTests : IDisposable
{
    private readonly TestDirectory _directory = new();
    private readonly CollectingLoggerFactory _log = new();
    private FolderAttribute? _broken;

    public FailingStartTests()
    {
        using (var cache = StampCache.Open(_directory.Path)) cache.Fill(0, 20_000, version: 1);
        FolderAttribute.Immutable(Folder).Dispose(); // skips here where that cannot be
    }

    private string Folder => StampCache.FolderIn(_directory.Path);

    [Theory]
    [InlineData("recovery.log-recovered")]
    [InlineData("recovery.settled-read")]
    [InlineData("recovery.manifest-void")]
    public void Open_FolderCannotBeChangedAnyMore_ServesFromMemory(string point)
    {
        BreakAt(point);

        using var cache = StampCache.Open(_directory.Path, _log);

        cache.Fill(0, 1000, version: 2);
        Found.All(1000, cache.CountHits(0, 1000, version: 2));
        if (point != "recovery.manifest-void") Assert.NotNull(cache.GetStatistics().DiskUnavailableReason);
    }

    [Fact]
    public void Open_FolderCannotBeChangedAnyMoreAndTheOwnerWantsToKnow_Throws()
    {
        BreakAt("recovery.log-recovered");

        Assert.Throws<IOException>(() => StampCache.Open(_directory.Path, _log, o => o.WhenDirectoryUnavailable = DirectoryUnavailable.Throw));
    }

    public void Dispose()
    {
        Fault.Reached = null;
        _broken?.Dispose();
        _directory.Dispose();
    }

    /// <summary>From a point on no file of the folder can be made or deleted; the index of settled records is gone already.</summary>
    private void BreakAt(string at) => Fault.Reached = point =>
    {
        if (point != at || _broken is not null) return;
        File.Delete(Path.Combine(Folder, "settled"));
        _broken = FolderAttribute.Immutable(Folder);
    };
}
