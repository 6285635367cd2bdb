using HybridCaching.Devices;
using HybridCaching.Tests.Concurrency;
using HybridCaching.Tests.Support;

namespace HybridCaching.Tests.Recovery;

/// <summary>A checkpoint that cannot be taken ends, and the next one is taken all the same.</summary>
public sealed class CheckpointTroubleTests : IDisposable
{
    private readonly TestDirectory _directory = new();
    private readonly ManualTimeProvider _housekeeping = new();

    public void Dispose() => _directory.Dispose();

    [Fact]
    public async Task CheckpointAsync_FolderWasGoneDuringAnEarlierOne_IsTakenOnceItIsBack()
    {
        var log = new CollectingLoggerFactory();
        using var cache = StampCache.Open(_directory.Path, log, housekeeping: _housekeeping);
        cache.Fill(0, 1000, version: 1);
        string folder = StampCache.FolderIn(_directory.Path);
        Directory.Delete(folder, recursive: true);
        Assert.False(await cache.Tiers.CheckpointAsync(TestContext.Current.CancellationToken));
        _housekeeping.TickUntil(() => Directory.Exists(folder) && cache.GetStatistics().DiskUnavailableReason is null, "the folder is taken over");

        cache.Fill(0, 1000, version: 2);
        bool isTaken = await cache.Tiers.CheckpointAsync(TestContext.Current.CancellationToken);

        Assert.True(isTaken, string.Join('|', log.Warnings));
    }

    [Fact]
    public async Task CheckpointAsync_IndexFileCouldNotBeDeletedOnce_IsTakenLater()
    {
        using var cache = StampCache.Open(_directory.Path, housekeeping: _housekeeping);
        cache.Fill(0, 1000, version: 1);
        string inTheWay = Path.Combine(StampCache.FolderIn(_directory.Path), "index-00000000");
        Directory.CreateDirectory(inTheWay);
        Assert.False(await cache.Tiers.CheckpointAsync(TestContext.Current.CancellationToken));
        Directory.Delete(inTheWay);

        Assert.True(await cache.Tiers.CheckpointAsync(TestContext.Current.CancellationToken));
    }

    /// <summary>It waits for what is being moved; that others get answers from the disk is no sign that this goes on.</summary>
    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public async Task CheckpointAsync_ReadOfWhoMovesHangs_GivesUp(bool doOthersRead)
    {
        using var cache = ColdCache.Open(_directory.Path, TimeSpan.FromMilliseconds(100));
        using var open = new ManualResetEventSlim();
        int held = 0;
        cache.Tiers.Device!.Fault = r =>
        {
            if (r.Kind != IoKind.Read || r.Record is not { Largest: > 16 << 10 } || open.IsSet) return false;
            Interlocked.Increment(ref held);
            open.Wait();
            return false;
        };
        for (long key = 1L << 33; Volatile.Read(ref held) == 0; key++) cache.Set(key, Stamp.Of(key, 1));
        using var end = new CancellationTokenSource();
        var reader = Crew.Start(() =>
        {
            for (long key = 0; doOthersRead && !end.IsCancellationRequested; key = (key + 1) % ColdCache.ColdKeys) cache.TryGet(key, out _);
        });
        try
        {
            Assert.False(await cache.Tiers.CheckpointAsync(CancellationToken.None).WaitAsync(Until.Deadline, TestContext.Current.CancellationToken));
        }
        finally
        {
            open.Set();
            end.Cancel();
            reader.Join();
        }
    }
}
