using HybridCaching.Devices;
using HybridCaching.Tests.Support;

namespace HybridCaching.Tests.Concurrency;

/// <summary>A disk whose reads hang: every call ends all the same, and when the disk is back nothing is amiss.</summary>
public sealed class HungReadTests : IDisposable
{
    private const long Cold = 3_000;
    private const long Warm = ColdCache.MissingKey + 1;
    private static readonly TimeSpan Timeout = TimeSpan.FromMilliseconds(100);

    private readonly TestDirectory _directory = new();
    private readonly FasterCache<long, Stamp> _cache;
    private readonly DiskGate _gate;

    public HungReadTests()
    {
        _cache = ColdCache.Open(_directory.Path, Timeout);
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
    public void TryGetFromMemory_ReadHangs_IsMiss() => MustEnd("TryGetFromMemory", () => Assert.False(_cache.TryGetFromMemory(Cold, out _)));

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
    public void Set_ReadHangs_IsThere()
    {
        MustEnd("Set", () => _cache.Set(Cold, Stamp.Of(Cold, 2)));
        MustEnd("TryGet", () => Assert.True(_cache.TryGet(Cold, out _)));
    }

    [Fact]
    public void GetOrAdd_ReadHangs_CallsTheFactory() => MustEnd("GetOrAdd", () => Assert.Equal(Stamp.Of(Cold, 2), _cache.GetOrAdd(Cold, key => Stamp.Of(key, 2))));

    [Fact]
    public void GetAsync_NoTokenAndReadHangs_IsMiss() => MustEnd("GetAsync", () => Assert.Null(_cache.GetAsync(Cold).AsTask().GetAwaiter().GetResult()));

    [Fact]
    public void GetAsync_TokenNeverCancelledAndReadHangs_IsMissAndATimeout()
    {
        using var never = new CancellationTokenSource();
        MustEnd("GetAsync", () => Assert.Null(_cache.GetAsync(Cold, never.Token).AsTask().GetAwaiter().GetResult()));

        Assert.Equal(1, _cache.GetStatistics().Timeouts);
    }

    [Fact]
    public void GetManyAsync_TokenNeverCancelledAndReadHangs_IsMiss()
    {
        using var never = new CancellationTokenSource();
        MustEnd("GetManyAsync", () => Assert.Equal(1, _cache.GetManyAsync(new[] { Cold, Warm }, new Stamp[2], new bool[2], never.Token).AsTask().GetAwaiter().GetResult()));
    }

    [Fact]
    public void GetOrAddAsync_TokenNeverCancelledAndReadHangs_CallsTheFactory()
    {
        using var never = new CancellationTokenSource();
        MustEnd("GetOrAddAsync", () => Assert.Equal(Stamp.Of(Cold, 2), _cache.GetOrAddAsync(Cold, (key, _) => ValueTask.FromResult(Stamp.Of(key, 2)), cancellationToken: never.Token).AsTask().GetAwaiter().GetResult()));
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
    public void TryGet_DiskBack_IsHit()
    {
        MustEnd("TryGet", () => _cache.TryGet(Cold, out _));
        _gate.Open();
        Until.True(() => _cache.TryGet(Cold, out var value) && value == Stamp.Of(Cold, 1), "the disk answers again");
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
    public void Dispose_DiskBackAfterTimeouts_KeepsEverything()
    {
        Crew.Run(20, me => _cache.TryGet(Cold + me, out _));
        _gate.Open();
        MustEnd("Dispose", _cache.Dispose, stillHanging: false);
        using var again = StampCache.Open(_directory.Path, change: o => o.DiskBudget = "64MB");
        Found.All(100, again.CountHits(Cold, 100, version: 1));
    }

    [Fact]
    public void Dispose_ReadHangs_Ends()
    {
        MustEnd("TryGet", () => _cache.TryGet(Cold, out _));
        MustEnd("Dispose", _cache.Dispose);
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
    public void Dispose_WhileARemoveWaitsForTheDisk_Ends()
    {
        var remover = Crew.Start(() => Record.Exception(() => _cache.Remove(Cold)));
        _gate.AwaitHeld();
        MustEnd("Dispose", _cache.Dispose);
        MustEnd("Remove", remover.Join);
    }

    [Fact]
    public void TryGetFromMemory_EveryReaderHangs_IsHit()
    {
        HangReaders();
        MustEnd("TryGetFromMemory", () => Assert.True(_cache.TryGetFromMemory(Warm, out _)));
    }

    [Fact]
    public void TryGet_EveryReaderHangs_IsHitInMemory()
    {
        HangReaders();
        MustEnd("TryGet", () => Assert.True(_cache.TryGet(Warm, out _)));
    }

    [Fact]
    public void Set_EveryReaderHangs_IsThere()
    {
        HangReaders();
        MustEnd("Set", () => _cache.Set(Warm, Stamp.Of(Warm, 2)));
        MustEnd("TryGet", () => Assert.True(_cache.TryGet(Warm, out var value) && value == Stamp.Of(Warm, 2)));
    }

    [Fact]
    public void GetAsync_EveryReaderHangs_Ends()
    {
        HangReaders();
        MustEnd("GetAsync", () => _cache.GetAsync(Cold).AsTask().GetAwaiter().GetResult());
    }

    [Fact]
    public void TryGet_AsyncReadersWithTokensHang_IsHitInMemory()
    {
        using var cancel = new CancellationTokenSource();
        var readers = Enumerable.Range(0, 200).Select(i => _cache.GetAsync(i, cancel.Token).AsTask()).ToList();
        MustEnd("TryGet", () => Assert.True(_cache.TryGet(Warm, out _)));
        cancel.Cancel();
        foreach (var reader in readers) MustEnd("GetAsync", () => Record.Exception(() => reader.GetAwaiter().GetResult()));
    }

    /// <summary>More reads than the cache can have on the disk at once; each caller gives up after the timeout, or should.</summary>
    private void HangReaders()
    {
        var readers = Enumerable.Range(0, 200).Select(key => Crew.Start(() => Record.Exception(() => _cache.TryGet(key, out _)))).ToList();
        _gate.AwaitHeld();
        Until.True(() => _cache.GetStatistics().Timeouts >= 60, "readers give up");
        Assert.NotEmpty(readers);
    }

    private void MustEnd(string what, Action call, bool stillHanging = true)
    {
        Crew.MustEnd(what, call);
        Assert.Equal(stillHanging, _gate.IsClosed);
    }
}
