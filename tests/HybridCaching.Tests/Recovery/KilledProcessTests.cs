using HybridCaching.Tests.Support;

namespace HybridCaching.Tests.Recovery;

/// <summary>A process that ends without closing its cache.</summary>
public sealed class KilledProcessTests : IDisposable
{
    private readonly TestDirectory _directory = new();
    private readonly CollectingLoggerFactory _log = new();

    [Fact]
    public void Open_WhileAnotherProcessHasTheCache_NamesItsPathAndProcess()
    {
        using var child = ChildCache.Start(_directory.Path, entries: 1);

        using var cache = StampCache.Open(_directory.Path, _log);

        string warning = Assert.Single(_log.Warnings);
        Assert.Contains(StampCache.FolderIn(_directory.Path), warning, StringComparison.Ordinal);
        Assert.Contains($"process {child.ProcessId}", warning, StringComparison.Ordinal);
    }

    [Fact]
    public void TakeOver_AfterTheOtherProcessWasKilled_Happens()
    {
        var housekeeping = new ManualTimeProvider();
        using var child = ChildCache.Start(_directory.Path, entries: 1000);
        using var cache = StampCache.Open(_directory.Path, _log, housekeeping: housekeeping);
        child.Kill();

        housekeeping.TickUntil(() => cache.GetStatistics().DiskUnavailableReason is null, "the folder is taken over");

        Assert.Equal(0, cache.CountHits(0, 1000, version: 1));
    }

    [Fact]
    public void Open_FilesOfACacheThatIsOpen_IsColdAndWarnsOnce()
    {
        using var elsewhere = new TestDirectory();
        using var open = StampCache.Open(elsewhere.Path);
        open.Fill(0, 60_000, version: 1);
        StampCache.Copy(StampCache.FolderIn(elsewhere.Path), StampCache.FolderIn(_directory.Path));

        using var cache = StampCache.Open(_directory.Path, _log);

        Assert.Equal(0, cache.CountHits(0, 60_000, version: 1));
        Assert.Single(_log.Warnings);
    }

    /// <summary>What the restart before had recovered must not come back: it may have been overwritten or removed since.</summary>
    [Fact]
    public void Open_FilesOfACacheThatWasRecoveredAndIsOpen_IsColdAndWarnsOnce()
    {
        using var elsewhere = new TestDirectory();
        using (var first = StampCache.Open(elsewhere.Path)) first.Fill(0, 60_000, version: 1);
        using var open = StampCache.Open(elsewhere.Path);
        Assert.InRange(open.CountHits(0, 60_000, version: 1), 59_990, 60_000);
        StampCache.Copy(StampCache.FolderIn(elsewhere.Path), StampCache.FolderIn(_directory.Path));

        using var cache = StampCache.Open(_directory.Path, _log);

        Assert.Equal(0, cache.CountHits(0, 60_000, version: 1));
        Assert.Single(_log.Warnings);
    }

    public void Dispose() => _directory.Dispose();
}
