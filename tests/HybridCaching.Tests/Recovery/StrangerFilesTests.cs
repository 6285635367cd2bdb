using HybridCaching.Recovery;
using HybridCaching.Tests.Concurrency;
using HybridCaching.Tests.Support;

namespace HybridCaching.Tests.Recovery;

/// <summary>Files in the folder that are not the cache's.</summary>
public sealed class StrangerFilesTests(CleanFolder clean) : IClassFixture<CleanFolder>, IDisposable
{
    private readonly TestDirectory _directory = new();
    private readonly CollectingLoggerFactory _log = new();

    /// <summary>Names like those of the cache, but not quite.</summary>
    public static TheoryData<string> Names { get; } = new(
        "readme.txt", "log-app.txt", "log-2026-11-21", "log-", "log-0000000", "log-000000000", "log-00000000.bak", "index-of-files", "index-00000000.bak", "manifest.json", "checksums.md5", "Manifest", "LOG-00000000", ".hidden");

    private string Folder => StampCache.FolderIn(_directory.Path);

    [Fact]
    public void Open_ForeignFilesOnly_StartsColdAndWarnsOnce()
    {
        Put("readme.txt");

        using var cache = StampCache.Open(_directory.Path, _log);

        Assert.Contains("readme.txt", Assert.Single(_log.Warnings), StringComparison.Ordinal);
    }

    [Theory]
    [MemberData(nameof(Names))]
    public void Open_ForeignFilesOnly_LeavesThemAlone(string name)
    {
        Put(name);

        StampCache.Open(_directory.Path).Dispose();

        Assert.Equal("mine", File.ReadAllText(Path.Combine(Folder, name)));
    }

    [Theory]
    [MemberData(nameof(Names))]
    public void Open_StrangerBesideAValidCache_IsWarmWithoutWarning(string name)
    {
        clean.CopyTo(_directory);
        Put(name);

        using var cache = StampCache.Open(_directory.Path, _log);

        Assert.Equal(1, CleanFolder.ShareOfHits(cache, step: 7));
        Assert.Empty(_log.Warnings);
    }

    [Theory]
    [MemberData(nameof(Names))]
    public void Open_StrangerBesideADamagedCache_LeavesItAlone(string name)
    {
        File.Delete(Path.Combine(clean.CopyTo(_directory), "manifest"));
        Put(name);

        StampCache.Open(_directory.Path).Dispose();

        Assert.Equal("mine", File.ReadAllText(Path.Combine(Folder, name)));
    }

    [Fact]
    public void Open_ForeignFolder_LeavesItAlone()
    {
        clean.CopyTo(_directory);
        Directory.CreateDirectory(Path.Combine(Folder, "log-folder"));
        File.WriteAllText(Path.Combine(Folder, "log-folder", "file"), "mine");
        File.Delete(Path.Combine(Folder, "manifest"));

        StampCache.Open(_directory.Path, _log).Dispose();

        Assert.Equal("mine", File.ReadAllText(Path.Combine(Folder, "log-folder", "file")));
        Assert.Single(_log.Warnings);
    }

    [Fact]
    public void Open_SegmentsOfABiggerCache_AreRemoved()
    {
        clean.CopyTo(_directory);
        File.WriteAllText(Path.Combine(Folder, "log-00000999"), "left by an earlier run");

        using (var cache = StampCache.Open(_directory.Path, _log)) Assert.Equal(1, CleanFolder.ShareOfHits(cache, step: 7));

        Assert.False(File.Exists(Path.Combine(Folder, "log-00000999")));
    }

    [Fact]
    public void Dispose_StrangerCameMeanwhile_WritesACheckpoint()
    {
        using (var cache = StampCache.Open(_directory.Path))
        {
            cache.Fill(0, 100, version: 1);
            Put("readme.txt");
        }

        using var again = StampCache.Open(_directory.Path, _log);

        Found.All(100, again.CountHits(0, 100, version: 1));
        Assert.Empty(_log.Warnings);
    }

    [Fact]
    public void PeekLive_Pipe_IsNull()
    {
        Directory.CreateDirectory(Folder);
        Tool.MakePipe(Path.Combine(Folder, "live"));

        Crew.MustEnd("PeekLive", () => Assert.Null(CheckpointFiles.PeekLive(Folder)));
    }

    [Theory]
    [InlineData("checksums")]
    [InlineData("settled")]
    [InlineData("index-00000000")]
    public void Open_PipeInPlaceOfAFileOfTheCheckpoint_StartsCold(string name)
    {
        string folder = clean.CopyTo(_directory);
        File.Delete(Path.Combine(folder, name));
        Tool.MakePipe(Path.Combine(folder, name));

        Crew.MustEnd(
            "Open",
            () =>
            {
                using var cache = StampCache.Open(_directory.Path, _log);
                Assert.Single(_log.Warnings);
                cache.Fill(0, 100, version: 5);
                Found.All(100, cache.CountHits(0, 100, version: 5));
            });
    }

    [Fact]
    public void Open_PipeInPlaceOfTheManifest_ServesFromMemory()
    {
        Directory.CreateDirectory(Folder);
        Tool.MakePipe(Path.Combine(Folder, "manifest"));

        Crew.MustEnd(
            "Open",
            () =>
            {
                using var cache = StampCache.Open(_directory.Path, _log);
                Assert.Contains("is a pipe", cache.GetStatistics().DiskUnavailableReason, StringComparison.Ordinal);
            });
    }

    public void Dispose() => _directory.Dispose();

    private void Put(string name)
    {
        Directory.CreateDirectory(Folder);
        File.WriteAllText(Path.Combine(Folder, name), "mine");
    }
}
