using System.Collections.Concurrent;
using System.Diagnostics;
using HybridCaching.Devices;
using HybridCaching.Tests.Concurrency;
using HybridCaching.Tests.Distributed;
using HybridCaching.Tests.Support;

namespace HybridCaching.Tests.Diagnostics;

/// <summary>Spans for what takes the disk, and for nothing else.</summary>
public sealed class ActivityTests : IDisposable
{
    private const string ReadName = "hybridcaching.disk.read";
    private const string RecoveryName = "hybridcaching.recovery";
    private const string CheckpointName = "hybridcaching.checkpoint";

    private readonly TestDirectory _directory = new();
    private readonly string _name = $"traced-{Guid.NewGuid():N}"[..30];
    private readonly ConcurrentQueue<Activity> _stopped = new();
    private readonly ActivityListener _listener;

    public ActivityTests()
    {
        _listener = new ActivityListener
        {
            ShouldListenTo = source => source.Name == "HybridCaching",
            Sample = static (ref ActivityCreationOptions<ActivityContext> _) => ActivitySamplingResult.AllData,
            ActivityStopped = activity =>
            {
                if (_name.Equals(activity.GetTagItem("hybridcaching.cache.name"))) _stopped.Enqueue(activity);
            },
        };
        ActivitySource.AddActivityListener(_listener);
    }

    public void Dispose()
    {
        _listener.Dispose();
        _directory.Dispose();
    }

    [Fact]
    public void HitsAndMisses_InMemory_HaveNone()
    {
        using var cache = StampCache.Open(_directory.Path, change: o => o.Name = _name);
        _stopped.Clear();
        cache.Fill(0, 100, version: 1);
        cache.CountHits(0, 200, version: 1);
        cache.Remove(1);

        Assert.Empty(_stopped);
    }

    [Fact]
    public void TryGet_OnDisk_HasOneForEachRead()
    {
        using var cache = OpenCold();
        using var caller = new Activity("caller").Start();
        for (int key = 0; key < 5_000; key += 1_000) Assert.True(cache.TryGet(key, out _));

        Assert.Equal(Enumerable.Repeat(ReadName, 5), _stopped.Select(a => a.OperationName));
        Assert.All(_stopped, a => Assert.Equal((caller.SpanId, ActivityStatusCode.Unset), (a.ParentSpanId, a.Status)));
        Assert.Same(caller, Activity.Current);
    }

    [Fact]
    public async Task GetAsync_OnDisk_HasOneForEachRead()
    {
        using var cache = OpenCold();
        using var caller = new Activity("caller").Start();
        for (int key = 0; key < 5_000; key += 1_000) Assert.NotNull(await cache.GetAsync(key));

        Assert.Equal(5, _stopped.Count);
        Assert.All(_stopped, a => Assert.Equal(caller.SpanId, a.ParentSpanId));
        Assert.Same(caller, Activity.Current);
    }

    [Fact]
    public async Task GetAsync_ManyAtOnce_AreChildrenOfTheirOwnCallers()
    {
        using var cache = OpenCold();
        var callers = await Task.WhenAll(Enumerable.Range(0, 20).Select(async i =>
        {
            using var caller = new Activity($"caller {i}").Start();
            Assert.NotNull(await cache.GetAsync(i * 900));
            Assert.Same(caller, Activity.Current);
            return caller.SpanId;
        }));

        Assert.Equal(callers.Order(Comparer<ActivitySpanId>.Create((a, b) => string.CompareOrdinal(a.ToHexString(), b.ToHexString()))).Select(c => c.ToHexString()), _stopped.Select(a => a.ParentSpanId.ToHexString()).Order(StringComparer.Ordinal));
    }

    [Fact]
    public void GetMany_OnDisk_LeavesTheCallersAlone()
    {
        using var cache = OpenCold();
        using var caller = new Activity("caller").Start();
        long[] keys = [.. Enumerable.Range(0, 10).Select(i => i * 1_500L)];
        Assert.Equal(10, cache.GetMany(keys, new Stamp[10], new bool[10]));

        Assert.Equal(10, _stopped.Count);
        Assert.Same(caller, Activity.Current);
    }

    [Fact]
    public void TryGet_NobodyTraces_LeavesNoCurrentActivity()
    {
        using var cache = OpenCold();
        Assert.True(cache.TryGet(1, out _));

        Assert.Null(Activity.Current);
    }

    [Fact]
    public void TryGet_DiskHangs_HasTheStatusError()
    {
        using var cache = OpenCold(TimeSpan.FromMilliseconds(20));
        using var gate = new DiskGate(cache.Tiers.Device!, IoKind.Read);
        gate.Close();
        Assert.False(cache.TryGet(1, out _));
        gate.Open();

        Assert.Equal(ActivityStatusCode.Error, Assert.Single(_stopped).Status);
        Assert.Null(Activity.Current);
    }

    [Fact]
    public async Task GetAsync_CancelledWhileTheDiskHangs_Ends()
    {
        using var cache = OpenCold();
        using var gate = new DiskGate(cache.Tiers.Device!, IoKind.Read);
        gate.Close();
        using var cancel = new CancellationTokenSource();
        var read = cache.GetAsync(1, cancel.Token).AsTask();
        gate.AwaitHeld();
        await cancel.CancelAsync();
        await Assert.ThrowsAnyAsync<OperationCanceledException>(() => read);
        gate.Open();

        Assert.Single(_stopped);
    }

    [Fact]
    public void BytesGet_OnDisk_HasOneForEachRead()
    {
        using var cache = BytesCache.Open(_directory.Path, change: o => (o.Name, o.HotTierShare) = (_name, 0));
        cache.Set("k", new byte[300], BytesCache.ForEver);
        cache.PushToDisk("k");
        cache.Tiers.Device!.Fault = static _ => false;
        _stopped.Clear();
        Assert.NotNull(cache.Get("k"));

        Assert.Equal(ReadName, Assert.Single(_stopped).OperationName);
    }

    [Fact]
    public void Open_Directory_IsARecovery()
    {
        using var caller = new Activity("caller").Start();
        using var cache = StampCache.Open(_directory.Path, change: o => o.Name = _name);

        var recovery = Assert.Single(_stopped);
        Assert.Equal((RecoveryName, caller.SpanId), (recovery.OperationName, recovery.ParentSpanId));
        Assert.Same(caller, Activity.Current);
    }

    [Fact]
    public void Open_InMemoryOnly_HasNone()
    {
        using var cache = StampCache.Open(_directory.Path, change: o => (o.Name, o.Directory) = (_name, null));

        Assert.Empty(_stopped);
    }

    [Fact]
    public void Checkpoint_Taken_IsOne()
    {
        using var cache = StampCache.Open(_directory.Path, change: o => o.Name = _name);
        _stopped.Clear();
        using var caller = new Activity("caller").Start();
        Assert.True(cache.Tiers.CheckpointAsync(CancellationToken.None).Result());

        var checkpoint = Assert.Single(_stopped);
        Assert.Equal((CheckpointName, caller.SpanId), (checkpoint.OperationName, checkpoint.ParentSpanId));
    }

    [Fact]
    public void Dispose_Directory_IsACheckpoint()
    {
        var cache = StampCache.Open(_directory.Path, change: o => o.Name = _name);
        _stopped.Clear();
        cache.Dispose();

        Assert.Equal([CheckpointName], _stopped.Select(a => a.OperationName));
        Assert.Null(Activity.Current);
    }

    [Fact]
    public void Tags_OfAll_AreTheNameOnly()
    {
        using (var cache = OpenCold()) cache.TryGet(1, out _);

        Assert.All(_stopped, a => Assert.Equal(["hybridcaching.cache.name"], a.TagObjects.Select(t => t.Key)));
    }

    private FasterCache<long, Stamp> OpenCold(TimeSpan? diskTimeout = null)
    {
        var cache = ColdCache.Open(_directory.Path, diskTimeout, o => o.Name = _name);
        cache.Tiers.Device!.Fault = static _ => false; // else the kernel answers at once
        _stopped.Clear();
        return cache;
    }
}
