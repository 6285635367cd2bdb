using System.Diagnostics;
using HybridCaching.Devices;
using HybridCaching.Tests.Support;

namespace HybridCaching.Tests.Concurrency;

/// <summary>A disk whose writes hang: memory fills up, yet every call ends, and what was overwritten or removed stays so.</summary>
public sealed class HungWriteTests : IDisposable
{
    private const long First = 1L << 30;
    private const int Stored = 5_000;
    private const int OnDisk = 1_200;
    private static readonly TimeSpan Timeout = TimeSpan.FromMilliseconds(1);

    private readonly TestDirectory _directory = new();
    private readonly FasterCache<long, Bulk> _cache;
    private readonly DiskGate _gate;

    public HungWriteTests()
    {
        _cache = new FasterCache<long, Bulk>(new FasterCacheOptions { Directory = _directory.Path, MemoryBudget = "16MB", DiskBudget = "64MB", DiskTimeout = Timeout });
        for (int key = 0; key < Stored; key++) _cache.Set(key, new Bulk(key));
        Until.True(() => !_cache.TryGetFromMemory(OnDisk, out _), "the first keys leave memory");
        _gate = new DiskGate(_cache.Tiers.Device!, IoKind.Write);
        _gate.Close();
    }

    public void Dispose()
    {
        _gate.Dispose();
        _cache.Dispose();
        Hosting.App.AwaitFree(_directory.Path, _cache.Tiers.Settings.Name);
        _directory.Dispose();
    }

    [Fact]
    public void Set_WritesHang_Ends() => MustEnd("Set", FillMemory);

    [Fact]
    public void Set_ManyThreadsAndWritesHang_Ends() => MustEnd("Set", () => Crew.Run(64, me =>
    {
        for (int i = 0; i < 100; i++) _cache.Set(First + (me * 100) + i, new Bulk(i));
    }));

    /// <summary>A batch must not stay in the epoch while it waits for a page: that waits for everybody in it.</summary>
    [Fact]
    public void SetMany_ManyThreadsAndWritesHang_Ends() => MustEnd("SetMany", () => Crew.Run(4, me =>
    {
        long[] keys = [.. Enumerable.Range(0, 2000).Select(i => First + (me * 2000) + i)];
        Bulk[] values = [.. keys.Select(key => new Bulk((int)(key - First)))];
        _cache.SetMany(keys, values);
    }));

    [Fact]
    public void Set_WritesHangAndKeyOnDisk_LeavesNoOlderValue()
    {
        MustEnd("Set", FillMemory);
        MustEnd("Set", () =>
        {
            for (int key = 0; key < OnDisk; key++) _cache.Set(key, new Bulk(-key));
        });
        MustEnd("TryGet", () =>
        {
            for (int key = 1; key < OnDisk; key++) Assert.False(_cache.TryGet(key, out var value) && value.First == key, $"key {key} has its older value");
        });
    }

    [Fact]
    public void Remove_WritesHang_Removes()
    {
        MustEnd("Set", FillMemory);
        MustEnd("Remove", () =>
        {
            for (int key = 0; key < OnDisk; key++) _cache.Remove(key);
        });
        MustEnd("TryGet", () =>
        {
            for (int key = 0; key < OnDisk; key++) Assert.False(_cache.TryGet(key, out _));
        });
    }

    [Fact]
    public void Set_WritesHangAndKeyOnDisk_HoldsTheBudget()
    {
        MustEnd("Set", FillMemory);
        MustEnd("Set", () =>
        {
            for (int key = 0; key < OnDisk; key++) _cache.Set(key, new Bulk(-key));
        });
        Assert.InRange(_cache.GetMemoryUsage().Log, 0, _cache.Tiers.Plan.LogBytes);
    }

    [Fact]
    public void FlushAsync_ManyWhileWritesHang_ReadsFromMemoryGoOn()
    {
        long inMemory = Enumerable.Range(0, Stored).Last(key => _cache.TryGetFromMemory(key, out _)); // one stored now may find no room in time
        var flushes = Enumerable.Range(0, 120).Select(_ => _cache.FlushAsync().AsTask()).ToList();
        MustEnd("TryGetFromMemory", () => Assert.True(_cache.TryGetFromMemory(inMemory, out _)));
        _gate.Open();
        Crew.MustEnd("FlushAsync", () => Task.WaitAll(flushes));
    }

    [Fact]
    public void Clear_WritesHang_Ends() => MustEnd("Clear", _cache.Clear);

    [Fact]
    public void Set_ClearedWhileWritesHang_Ends()
    {
        MustEnd("Set", FillMemory);
        MustEnd("Clear", _cache.Clear);
        MustEnd("Set", () =>
        {
            for (int i = 0; i < OnDisk; i++) _cache.Set(First + i, new Bulk(i));
        });
    }

    [Fact]
    public void Dispose_WritesHang_EndsInTheTimePromised()
    {
        MustEnd("Set", () => _cache.Set(First, new Bulk(1)));
        long start = Stopwatch.GetTimestamp();
        MustEnd("Dispose", _cache.Dispose);

        Assert.InRange(Stopwatch.GetElapsedTime(start), TimeSpan.Zero, TimeSpan.FromSeconds(9));
        Assert.Throws<ObjectDisposedException>(() => _cache.TryGet(First, out _));
    }

    [Fact]
    public void Dispose_ClearedWhileWritesHang_Ends()
    {
        MustEnd("Set", FillMemory);
        MustEnd("Clear", _cache.Clear);
        MustEnd("Set", () => _cache.Set(First, new Bulk(1)));
        MustEnd("Dispose", _cache.Dispose);
    }

    [Fact]
    public void Set_WritesGoOn_IsThereAgain()
    {
        MustEnd("Set", FillMemory);
        _gate.Open();
        Until.True(
            () =>
            {
                _cache.Set(First, new Bulk(7));
                return _cache.TryGet(First, out var value) && value.First == 7;
            },
            "the cache stores again");
    }

    /// <summary>Stores until memory holds no more.</summary>
    private void FillMemory()
    {
        for (int i = 0; i < 8_000 && _cache.GetStatistics().DroppedWrites < 10; i++) _cache.Set(First + i, new Bulk(i));
    }

    private void MustEnd(string what, Action call)
    {
        Crew.MustEnd(what, call);
        Assert.True(_gate.IsClosed);
    }
}
