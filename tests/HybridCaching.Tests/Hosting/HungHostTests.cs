using System.Diagnostics;
using HybridCaching.Devices;
using HybridCaching.Diagnostics;
using HybridCaching.Tests.Concurrency;
using HybridCaching.Tests.Support;
using Microsoft.Extensions.Hosting;

namespace HybridCaching.Tests.Hosting;

/// <summary>A host whose disk hangs: it stops when it is told to, and is disposed in little more than the five seconds that are promised.</summary>
public sealed class HungHostTests : IDisposable
{
    private const int Entries = 1_000;
    private static readonly TimeSpan Promised = TimeSpan.FromSeconds(5);

    /// <summary>What a busy machine may add.</summary>
    private static readonly TimeSpan Slack = TimeSpan.FromSeconds(4);

    private readonly TestDirectory _directory = new();
    private readonly CollectingLoggerFactory _log = new();
    private readonly IHost _host;
    private readonly FasterCache<long, Stamp> _cache;
    private readonly DiskGate _gate;

    public HungHostTests()
    {
        _host = App.NewTyped(_directory.Path, _log);
        _host.Start();
        _cache = _host.Typed();
        _cache.Fill(0, Entries, version: 1);
        _gate = new DiskGate(_cache.Tiers.Device!, IoKind.Write);
        _gate.Close();
    }

    public void Dispose()
    {
        _gate.Dispose();
        _host.Dispose();
        App.AwaitFree(_directory.Path, App.TypedName);
        _directory.Dispose();
    }

    [Fact]
    public void StopAsync_WritesHang_EndsWithItsToken() => Assert.InRange(TimeOf(Stop), TimeSpan.Zero, Slack);

    [Fact]
    public void StopAsync_WritesHang_SaysThatThereIsNoCheckpoint()
    {
        TimeOf(Stop);

        Assert.Contains(_log.Entries, e => e.Id.Name == nameof(Log.NoCheckpoint));
    }

    [Fact]
    public void StopAsync_WritesHangAndNoToken_EndsInTheTimePromised() => Assert.InRange(TimeOf(() => _host.StopAsync(CancellationToken.None).GetAwaiter().GetResult()), TimeSpan.Zero, (2 * Promised) + Slack);

    [Fact]
    public void StopAsync_FlushHangs_EndsWithItsToken()
    {
        var flush = _cache.FlushAsync().AsTask();
        _gate.AwaitHeld();

        Assert.InRange(TimeOf(Stop), TimeSpan.Zero, Slack);
        _gate.Open();
        Crew.MustEnd("FlushAsync", () => flush.GetAwaiter().GetResult());
    }

    [Fact]
    public void Members_StoppedWhileWritesHang_AreAnsweredFromMemory()
    {
        TimeOf(Stop);

        Crew.MustEnd("reads", () => Found.All(Entries, _cache.CountHits(0, Entries, version: 1)));
        Crew.MustEnd("writes", () => _cache.Fill(0, Entries, version: 2));
        Crew.MustEnd("reads", () => Found.All(Entries, _cache.CountHits(0, Entries, version: 2)));
    }

    [Fact]
    public void Dispose_WritesHang_EndsInTheTimePromised()
    {
        TimeOf(Stop);

        Assert.InRange(TimeOf(_host.Dispose), TimeSpan.Zero, Promised + Slack);
        Assert.Contains(_log.Entries, e => e.Id.Name == nameof(Log.ClosedWithoutCheckpoint));
    }

    [Fact]
    public void Dispose_FlushHangs_EndsInTheTimePromised()
    {
        _ = _cache.FlushAsync().AsTask();
        _gate.AwaitHeld();

        Assert.InRange(TimeOf(_host.Dispose), TimeSpan.Zero, Promised + Slack);
        Assert.Contains(_log.Entries, e => e.Id.Name == nameof(Log.ClosedWithoutCheckpoint));
    }

    [Fact]
    public void Dispose_WritesGoOnAfterStop_IsWarm()
    {
        TimeOf(Stop);
        _cache.Fill(Entries, Entries, version: 1);
        _gate.Open();
        _host.Dispose();

        AssertIsWarm(2 * Entries);
    }

    /// <summary>The checkpoint that was given up must not come true when it no longer is.</summary>
    [Fact]
    public void Set_AfterStopThatWasGivenUp_IsNotUndoneByTheLateCheckpoint()
    {
        TimeOf(Stop);
        _cache.Fill(0, Entries, version: 2);
        _gate.Open();
        Until.True(() => _cache.Tiers.CheckpointAsync(CancellationToken.None).GetAwaiter().GetResult(), "a later checkpoint is written");

        using var copy = App.CopyOf(_directory.Path, App.TypedName);
        using var again = App.NewTyped(copy.Path);
        Found.All(Entries, again.Typed().CountHits(0, Entries, version: 2));
    }

    [Fact]
    public void StopAsync_Again_WhileTheFirstStillHangs_Ends()
    {
        for (int i = 0; i < 3; i++) Assert.InRange(TimeOf(() => Checkpoint(TimeSpan.FromMilliseconds(100))), TimeSpan.Zero, Slack);
        _gate.Open();
        _host.Dispose();

        AssertIsWarm(Entries);
    }

    /// <summary>A host that is started now finds everything; or else the log says why not.</summary>
    private void AssertIsWarm(long entries)
    {
        Assert.DoesNotContain(_log.Entries, e => e.Id.Name == nameof(Log.ClosedWithoutCheckpoint));
        var log = new CollectingLoggerFactory();
        using var again = App.NewTyped(_directory.Path, log);
        long found = again.Typed().CountHits(0, entries, version: 1);
        Assert.Empty(log.Warnings);
        Found.All(entries, found);
    }

    private static TimeSpan TimeOf(Action work)
    {
        long start = Stopwatch.GetTimestamp();
        Crew.MustEnd("a call while the disk hangs", work);
        return Stopwatch.GetElapsedTime(start);
    }

    private void Checkpoint(TimeSpan limit)
    {
        using var token = new CancellationTokenSource(limit);
        Assert.False(_cache.Tiers.CheckpointAsync(token.Token).GetAwaiter().GetResult());
    }

    private void Stop()
    {
        using var token = new CancellationTokenSource(TimeSpan.FromMilliseconds(300));
        Record.Exception(() => _host.StopAsync(token.Token).GetAwaiter().GetResult());
    }
}
