using HybridCaching.Devices;
using HybridCaching.Recovery;
using HybridCaching.Tests.Support;

namespace HybridCaching.Tests.Recovery;

/// <summary>A cache that left no checkpoint is opened again by the same process, which goes on with what leads to its records as another one would.</summary>
public sealed class ReopenedTests : IDisposable
{
    private const int Count = 20_000;

    private readonly TestDirectory _directory = new();
    private readonly CollectingLoggerFactory _log = new();
    private readonly ManualTimeProvider _clock = new();

    public ReopenedTests()
    {
        if (!OperatingSystem.IsLinux()) Assert.Skip("This needs Linux.");
    }

    private string Folder => StampCache.FolderIn(_directory.Path);

    [Fact]
    public void Open_ClosedWhileTheEndOfTheLogCouldNotBeWritten_FindsWhatWasFlushed()
    {
        CloseWithoutCheckpoint();

        using var cache = Open();

        Assert.InRange(cache.CountHits(0, Count, version: 1), Count * 0.99, Count);
        Assert.Empty(_log.Warnings);
    }

    /// <summary>Nobody has to wait for the garbage collector.</summary>
    [Fact]
    public void Open_ClosedTwiceWithoutCheckpoint_FindsWhatWasFlushed()
    {
        CloseWithoutCheckpoint();
        CloseWithoutCheckpoint();

        using var cache = Open();

        Assert.InRange(cache.CountHits(0, Count, version: 1), Count * 0.99, Count);
    }

    [Fact]
    public void Open_FolderFailedTheFirstTime_FindsWhatWasFlushed()
    {
        CloseWithoutCheckpoint();
        string obstacle = Path.Combine(Folder, "manifest.tmp");
        Directory.CreateDirectory(obstacle); // is to be deleted, as a file
        Assert.Throws<IOException>(OpenOrThrow);
        Directory.Delete(obstacle);

        using var cache = OpenOrThrow();

        Assert.InRange(cache.CountHits(0, Count, version: 1), Count * 0.99, Count);
    }

    /// <summary>What leads to the records knows a later time than the folder does.</summary>
    [Fact]
    public void Open_ClockSetBack_LeavesNothingInMemory()
    {
        var start = _clock.GetUtcNow();
        CloseWithoutCheckpoint(TimeSpan.FromMinutes(2));
        string file = $"/dev/shm/hybridcaching-{CheckpointFiles.PeekLive(Folder)!.LiveState:N}";
        Assert.True(File.Exists(file));
        _clock.SetUtcNow(start + TimeSpan.FromSeconds(30));

        using var cache = Open();

        Assert.Equal(0, cache.CountHits(0, Count, version: 1));
        Assert.False(File.Exists(file));
    }

    public void Dispose() => _directory.Dispose();

    private void CloseWithoutCheckpoint(TimeSpan age = default)
    {
        using var cache = StampCache.Open(_directory.Path, change: o => o.TimeProvider = _clock);
        cache.Fill(0, Count, version: 1);
        cache.Tiers.Flush();
        _clock.Advance(age);
        cache.Set(Count, Stamp.Of(Count, 1));
        cache.Tiers.Device!.Fault = static r => r.Kind == IoKind.Write && r.Length > 0;
    }

    private FasterCache<long, Stamp> Open(Action<FasterCacheOptions>? change = null) => StampCache.Open(_directory.Path, _log, o =>
    {
        o.TimeProvider = _clock;
        change?.Invoke(o);
    });

    private FasterCache<long, Stamp> OpenOrThrow() => Open(static o => o.WhenDirectoryUnavailable = DirectoryUnavailable.Throw);
}
