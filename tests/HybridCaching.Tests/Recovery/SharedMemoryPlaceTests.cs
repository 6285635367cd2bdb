using HybridCaching.Diagnostics;
using HybridCaching.Recovery;
using HybridCaching.Tests.Support;

namespace HybridCaching.Tests.Recovery;

/// <summary>What the place is like where memory is to outlive the process: on a disk, too small, or tidied by somebody else.</summary>
public sealed class SharedMemoryPlaceTests : IDisposable
{
    private const string Place = "/dev/shm";
    private const string Left = "hybridcaching-*";
    private const int Entries = 20_000;

    private readonly TestDirectory _directory = new();
    private readonly CollectingLoggerFactory _log = new();

    public SharedMemoryPlaceTests()
    {
        if (!OperatingSystem.IsLinux()) Assert.Skip("This needs Linux.");
    }

    private bool IsSaidToBeCold => _log.Entries.Any(static e => e.Id.Name == nameof(Log.NotWarmAfterKill));

    /// <summary>After a loss of power it would be there as it was some time before.</summary>
    [Fact]
    public async Task Open_PlaceIsOnADisk_IsNotWarmAfterAKill()
    {
        using var disk = new LoopDisk("ext4");

        await ChildTest.MustPassAsync(typeof(SharedMemoryPlaceTests), nameof(Child_PlaceIsOnADisk_IsNotWarmAfterAKill), Place, disk.Path);
    }

    [Fact]
    public async Task Open_KilledAtRestAndNoRoomForTwo_IsWarmAfterTheNextKill()
    {
        (long Allocated, long Length) state;
        using (var cache = StampCache.Open(_directory.Path)) state = FolderSampler.SizeOf(FileOf(cache));
        using var memory = new MountedDirectory($"{(state.Length + (state.Allocated / 2)) >> 10}k"); // all of it is reserved for a moment

        await ChildTest.MustPassAsync(typeof(SharedMemoryPlaceTests), nameof(Child_KilledAtRestAndNoRoomForTwo_IsWarmAfterTheNextKill), Place, memory.Path);
    }

    [Fact]
    public void Housekeeping_StateWasDeleted_SaysThatAKillLosesAll()
    {
        var housekeeping = new ManualTimeProvider();
        using var cache = StampCache.Open(_directory.Path, _log, housekeeping: housekeeping);
        Assert.False(IsSaidToBeCold);

        File.Delete(FileOf(cache));

        housekeeping.TickUntil(() => IsSaidToBeCold, "it is said");
    }

    /// <summary>What another cache left may be led to by a file that cannot be read just now.</summary>
    [Theory]
    [InlineData("nonsense", true)]
    [InlineData(null, false)]
    public void MayLeadTo_LiveFile_UnlessItIsNotThere(string? content, bool expected)
    {
        if (content is not null) File.WriteAllText(_directory.Combine("live"), content);

        Assert.Equal(expected, CheckpointFiles.MayLeadTo(_directory.Path, Guid.NewGuid()));
    }

    public void Dispose() => _directory.Dispose();

    [Fact(Explicit = true)]
    public void Child_PlaceIsOnADisk_IsNotWarmAfterAKill()
    {
        using var cache = StampCache.Open(_directory.Path, _log);

        Assert.Contains(_log.Entries, static e => e.Id.Name == nameof(Log.NotWarmAfterKill) && e.Message.Contains("is not memory here", StringComparison.Ordinal));
        Assert.False(File.Exists(Path.Combine(StampCache.FolderIn(_directory.Path), "live")));
        Assert.Empty(Directory.EnumerateFiles(Place, Left));
        cache.Fill(0, Entries, version: 1);
        Found.All(Entries, cache.CountHits(0, Entries, version: 1));
    }

    [Fact(Explicit = true)]
    public void Child_KilledAtRestAndNoRoomForTwo_IsWarmAfterTheNextKill()
    {
        using (var child = ChildCache.Start(_directory.Path, $"set 0 {Entries} 1,rest")) child.Kill();
        Assert.Single(Directory.EnumerateFiles(Place, Left));

        using var cache = StampCache.Open(_directory.Path, _log);

        Assert.False(IsSaidToBeCold);
        Assert.Equal([FileOf(cache)], Directory.EnumerateFiles(Place, Left));
        Found.All(Entries, cache.CountHits(0, Entries, version: 1));
    }

    private static string FileOf(FasterCache<long, Stamp> cache) => Path.Combine(Place, $"hybridcaching-{cache.Tiers.Device!.State!.Name:N}");
}
