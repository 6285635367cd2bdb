using HybridCaching.Devices;
using HybridCaching.Diagnostics;
using HybridCaching.Records;
using HybridCaching.Tests.Support;

namespace HybridCaching.Tests.Distributed;

/// <summary>A removal by prefix that is under way while a checkpoint is taken or the cache is closed: what it cannot read is lost, but not what is only closed.</summary>
[Collection(nameof(RunsAlone))]
public sealed class BytesClosingScanTests : IDisposable
{
    private const int Count = 20_000;

    private readonly TestDirectory _directory = new();

    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public void ScanAsync_CacheIsBeingClosed_ThrowsAndLosesNothing(bool isRemoval)
    {
        using (var cache = Open())
        {
            Fill(cache);
            var scan = Begin(cache, isRemoval);
            Exception? thrown = null;
            Fault.Reached = point =>
            {
                if (point == "close.drained") thrown = Record.Exception(() => MoveNext(scan));
            };

            cache.Dispose();

            Assert.IsType<ObjectDisposedException>(thrown);
        }

        using var again = Open();
        AssertWarm(again);
    }

    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public void ScanAsync_CacheWasClosed_Throws(bool isRemoval)
    {
        using (var cache = Open())
        {
            Fill(cache);
            var scan = Begin(cache, isRemoval);
            cache.Dispose();

            Assert.Throws<ObjectDisposedException>(() => MoveNext(scan));
        }

        using var again = Open();
        AssertWarm(again);
    }

    /// <summary>The checkpoint has what says that the blocks can be read: it must not count once they are lost.</summary>
    [Fact]
    public async Task ScanAsync_MeetsWhatItCannotReadWhileTheCacheRests_EndsTheRest()
    {
        using var cache = Open();
        Fill(cache);
        var scan = Begin(cache, isRemoval: true);
        Assert.True(await cache.Tiers.CheckpointAsync(TestContext.Current.CancellationToken));
        string manifest = Path.Combine(BytesCache.FolderIn(_directory.Path), "manifest");
        Assert.True(File.Exists(manifest));
        cache.Tiers.Device!.Fault = static request => request.Kind == IoKind.Read;

        Assert.False(MoveNext(scan));

        Assert.False(File.Exists(manifest));
    }

    public void Dispose()
    {
        Fault.Reached = null;
        _directory.Dispose();
    }

    /// <summary>A scan that has met the first of all entries, and will meet no other one. Nothing is held while it is not asked for more.</summary>
    private static IAsyncEnumerator<string> Begin(FasterDistributedCache cache, bool isRemoval)
    {
        var scan = cache.Tiers.ScanAsync(KeyPattern.StartingWith(KeyOf(0)), isRemoval, CancellationToken.None).GetAsyncEnumerator();
        Assert.True(MoveNext(scan));
        return scan;
    }

    private static bool MoveNext(IAsyncEnumerator<string> scan) => scan.MoveNextAsync().Await();

    private static string KeyOf(int number) => $"key {number}.";

    private static void Fill(FasterDistributedCache cache)
    {
        for (int i = 0; i < Count; i++) cache.Set(KeyOf(i), BytesValue.Of(KeyOf(i), 1, length: 1_000), BytesCache.ForEver);
        Until.True(() => cache.Tiers.Settled!.Index.Count > 0, "something was let go");
    }

    private static void AssertWarm(FasterDistributedCache cache) => Assert.InRange(Enumerable.Range(0, Count).Count(i => cache.Get(KeyOf(i)) is not null), Count - 2, Count);

    private FasterDistributedCache Open() => BytesCache.Open(_directory.Path, disk: "48MB", change: static o => o.TypicalEntryBytes = "1KB");
}
