using HybridCaching.Devices;
using HybridCaching.HotTier;
using HybridCaching.Records;
using HybridCaching.Store;
using HybridCaching.Tests.Concurrency;
using HybridCaching.Tests.Support;

namespace HybridCaching.Tests.Distributed;

/// <summary>Entries whose window slides and that lie on the disk are renewed, whatever becomes of other keys of their row while they are read.</summary>
public sealed class ColdSlidingTests : IDisposable
{
    private const string Key = "k";

    private static readonly TimeSpan Window = TimeSpan.FromMinutes(20);

    private readonly TestDirectory _directory = new();
    private readonly ManualTimeProvider _clock = new();
    private readonly FasterDistributedCache _cache;
    private readonly DiskGate _gate;

    public ColdSlidingTests()
    {
        _cache = BytesCache.Open(_directory.Path, change: o => (o.HotTierShare, o.TimeProvider) = (0, _clock));
        _cache.Set(Key, BytesValue.Of(Key, 1, 300), OpenCache.Sliding(Window));
        _cache.PushToDisk(Key);
        _gate = new DiskGate(_cache.Tiers.Device!, IoKind.Read);
        _clock.Advance(Window * 3 / 4);
    }

    public void Dispose()
    {
        _gate.Dispose();
        _cache.Dispose();
        _directory.Dispose();
    }

    /// <summary>Others were told meanwhile that there is none.</summary>
    [Fact]
    public async Task GetAsync_PiecesTakeLongerThanTheWindow_DoesNotBringItBack()
    {
        const string InPieces = "in pieces";
        _cache.Set(InPieces, BytesValue.Of(InPieces, 1, BytesCache.LargestValue), OpenCache.Sliding(Window));
        _cache.PushToDisk(InPieces);
        using var mayGoOn = new ManualResetEventSlim();
        using var never = new CancellationTokenSource();
        int reads = 0;
        _cache.Tiers.Device!.Fault = request =>
        {
            if (request.Kind == IoKind.Read && Interlocked.Increment(ref reads) > 1) mayGoOn.Wait(); // the list comes at once
            return false;
        };
        var reading = _cache.GetAsync(InPieces, never.Token);
        Until.True(() => Volatile.Read(ref reads) > 1, "it waits for its pieces");

        _clock.Advance(2 * Window);
        mayGoOn.Set();
        await reading.WaitAsync(Until.Deadline, TestContext.Current.CancellationToken);

        Assert.Null(await _cache.GetAsync(InPieces, TestContext.Current.CancellationToken));
    }

    [Fact]
    public void GetAsync_RowChangedMeanwhile_Renews()
    {
        ChangeRowDuring(() => Assert.NotNull(_cache.GetAsync(Key).Result()));
        AssertRenewed();
    }

    [Fact]
    public void Get_RowChangedMeanwhile_Renews()
    {
        ChangeRowDuring(() => Assert.NotNull(_cache.Get(Key)));
        AssertRenewed();
    }

    [Fact]
    public void GetManyAsync_RowChangedMeanwhile_Renews()
    {
        ChangeRowDuring(() => Assert.Single(_cache.GetManyAsync([Key, "none"]).Await()));
        AssertRenewed();
    }

    [Fact]
    public void RefreshAsync_RowChangedMeanwhile_Renews()
    {
        ChangeRowDuring(() => _cache.RefreshAsync(Key).Wait(Until.Deadline));
        AssertRenewed();
    }

    [Fact]
    public void GetAsync_RemovedMeanwhile_DoesNotBringItBack()
    {
        During(() => _cache.GetAsync(Key).Result(), () => _cache.Remove(Key));
        Assert.Null(_cache.Get(Key));
    }

    [Fact]
    public void Get_OverwrittenMeanwhile_KeepsTheNewerValue()
    {
        During(() => _cache.Get(Key), () => _cache.Set(Key, [2], BytesCache.ForEver));
        Assert.Equal([2], _cache.Get(Key));
    }

    private void AssertRenewed()
    {
        _clock.Advance(Window * 3 / 4);
        Assert.Equal(BytesValue.Of(Key, 1, 300), _cache.Get(Key));
    }

    private void ChangeRowDuring(Action call)
    {
        var rows = PrivateField.Of<HotRows>(_cache.Tiers, "_rows");
        ulong hash = PrivateField.Of<KeyHasher>(_cache.Tiers, "_hasher").Hash(KeyText.Encode(Key));
        ulong seen = rows.ReadUnlocked(hash);
        During(call, () =>
        {
            for (int i = 0; rows.IsVersion(hash, seen); i++) _cache.Set($"other:{i}", [1], BytesCache.ForEver);
        });
    }

    private void During(Action call, Action change)
    {
        _gate.Close();
        var caller = Task.Factory.StartNew(call, CancellationToken.None, TaskCreationOptions.LongRunning, TaskScheduler.Default);
        _gate.AwaitHeld();
        change();
        _gate.Open();
        Assert.True(caller.Wait(Until.Deadline));
    }
}
