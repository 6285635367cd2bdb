using HybridCaching.Devices;
using HybridCaching.Tests.Support;

namespace HybridCaching.Tests.Concurrency;

/// <summary>A read that hangs on the disk: its caller is answered in time, others are not held up, and when the disk is back nothing is amiss.</summary>
public sealed class DiskTimeoutTests : IDisposable
{
    private const long Cold = 3_000;
    private const long Warm = ColdCache.MissingKey + 1;

    private readonly TestDirectory _directory = new();
    private readonly FasterCache<long, Stamp> _cache;
    private readonly DiskGate _gate;

    public DiskTimeoutTests()
    {
        _cache = ColdCache.Open(_directory.Path, diskTimeout: TimeSpan.FromMilliseconds(100));
        _cache.Set(Warm, Stamp.Of(Warm, 1));
        _gate = new DiskGate(_cache.Tiers.Device!, IoKind.Read);
        _gate.Close();
    }

    public void Dispose()
    {
        _gate.Dispose();
        _cache.Dispose();
        _directory.Dispose();
    }

    [Fact]
    public void TryGet_ReadHangs_IsMiss() => MustEnd("TryGet", () => Assert.False(_cache.TryGet(Cold, out _)));

    [Fact]
    public void TryGet_ReadHangs_CountsATimeout()
    {
        MustEnd("TryGet", () => _cache.TryGet(Cold, out _));
        Assert.Equal(1, _cache.GetStatistics().Timeouts);
    }

    [Fact]
    public void ContainsKey_ReadHangs_IsFalse() => MustEnd("ContainsKey", () => Assert.False(_cache.ContainsKey(Cold)));

    [Fact]
    public void TryGetFromMemory_ReadWouldHang_IsMiss() => MustEnd("TryGetFromMemory", () => Assert.False(_cache.TryGetFromMemory(Cold, out _)));

    [Fact]
    public void Touch_ReadHangs_IsFalse() => MustEnd("Touch", () => Assert.False(_cache.Touch(Cold, TimeSpan.FromHours(1))));

    [Fact]
    public void TryAdd_ReadHangs_Ends() => MustEnd("TryAdd", () => _cache.TryAdd(Cold, Stamp.Of(Cold, 2)));

    [Fact]
    public void Remove_ReadHangs_Removes()
    {
        MustEnd("Remove", () => _cache.Remove(Cold));
        _gate.Open();
        Assert.False(_cache.TryGet(Cold, out _));
    }

    [Fact]
    public void GetOrAdd_ReadHangs_CallsTheFactory() => MustEnd("GetOrAdd", () => Assert.Equal(Stamp.Of(Cold, 2), _cache.GetOrAdd(Cold, key => Stamp.Of(key, 2))));

    [Fact]
    public void GetAsync_NoTokenAndReadHangs_IsMiss() => MustEnd("GetAsync", () => Assert.Null(_cache.GetAsync(Cold).AsTask().GetAwaiter().GetResult()));

    [Fact]
    public void GetAsync_TokenAndReadHangs_WaitsForTheToken()
    {
        using var cancel = new CancellationTokenSource();
        var read = _cache.GetAsync(Cold, cancel.Token).AsTask();
        _gate.AwaitHeld();
        MustEnd("another read", () => _cache.TryGet(Cold + 1, out _));
        Assert.False(read.IsCompleted);
        _gate.Open();
        Crew.MustEnd("GetAsync", () => Assert.Equal(Stamp.Of(Cold, 1), read.GetAwaiter().GetResult()));
    }

    [Fact]
    public void GetAsync_CancelledWhileReadHangs_Throws()
    {
        using var cancel = new CancellationTokenSource();
        var read = _cache.GetAsync(Cold, cancel.Token).AsTask();
        _gate.AwaitHeld();
        cancel.Cancel();
        MustEnd("GetAsync", () => Assert.ThrowsAny<OperationCanceledException>(() => read.GetAwaiter().GetResult()));
    }

    [Fact]
    public void GetOrAddAsync_CancelledWhileReadHangs_Throws()
    {
        using var cancel = new CancellationTokenSource();
        var read = _cache.GetOrAddAsync(Cold, (key, _) => ValueTask.FromResult(Stamp.Of(key, 2)), cancellationToken: cancel.Token).AsTask();
        _gate.AwaitHeld();
        cancel.Cancel();
        MustEnd("GetOrAddAsync", () => Assert.ThrowsAny<OperationCanceledException>(() => read.GetAwaiter().GetResult()));
    }

    [Fact]
    public void TryGet_OthersHang_IsHitInMemory()
    {
        var hanging = Enumerable.Range(0, 20).Select(key => Crew.Start(() => Record.Exception(() => _cache.TryGet(key, out _)))).ToList();
        _gate.AwaitHeld();
        MustEnd("TryGet", () => Assert.True(_cache.TryGet(Warm, out _)));
        hanging.ForEach(thread => thread.Join());
    }

    [Fact]
    public void TryGet_DiskBack_IsHit()
    {
        MustEnd("TryGet", () => _cache.TryGet(Cold, out _));
        _gate.Open();
        Until.True(() => _cache.TryGet(Cold, out var value) && value == Stamp.Of(Cold, 1), "the disk answers again");
    }

    [Fact]
    public void Dispose_DiskBackAfterTimeouts_KeepsEverything()
    {
        Crew.Run(20, me => _cache.TryGet(Cold + me, out _));
        _gate.Open();
        Crew.MustEnd("Dispose", _cache.Dispose);
        using var again = StampCache.Open(_directory.Path, change: o => o.DiskBudget = "64MB");
        Assert.Equal(100, again.CountHits(Cold, 100, version: 1));
    }

    [Fact]
    public void TryGet_DisposedWhileAReadHungAndDiskBack_Throws()
    {
        MustEnd("TryGet", () => _cache.TryGet(Cold, out _));
        MustEnd("Dispose", _cache.Dispose);
        _gate.Open();
        for (int i = 0; i < 200; i++)
        {
            Assert.Throws<ObjectDisposedException>(() => _cache.TryGet(Warm, out _));
            Thread.Yield();
        }
    }

    [Fact]
    public void Remove_DisposedWhileItsReadHangs_LeavesItsSessionAlone()
    {
        // The read outlasts the timeout while Dispose collects the sessions: the one it has given up must not come back to the pool before its read has ended.
        var remover = Crew.Start(() => Record.Exception(() => _cache.Remove(Cold)));
        _gate.AwaitHeld();
        MustEnd("Dispose", _cache.Dispose);
        MustEnd("Remove", remover.Join);
    }

    /// <summary>The call ends while the read still hangs.</summary>
    private void MustEnd(string what, Action call)
    {
        Crew.MustEnd(what, call);
        Assert.True(_gate.IsClosed);
    }
}
