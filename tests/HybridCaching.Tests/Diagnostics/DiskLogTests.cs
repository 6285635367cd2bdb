using HybridCaching.Devices;
using HybridCaching.Diagnostics;
using HybridCaching.Tests.Concurrency;
using HybridCaching.Tests.Support;

namespace HybridCaching.Tests.Diagnostics;

/// <summary>What a cache logs of a disk that fails again and again.</summary>
public sealed class DiskLogTests : IDisposable
{
    private const int LooksPerMinute = 240;

    private readonly TestDirectory _directory = new();
    private readonly CollectingLoggerFactory _log = new();
    private readonly ManualTimeProvider _housekeeping = new();
    private readonly FasterCache<long, Stamp> _cache;

    public DiskLogTests()
    {
        using (ColdCache.Open(_directory.Path))
        {
            // Left behind on the disk.
        }

        _cache = StampCache.Open(_directory.Path, _log, o => (o.DiskBudget, o.HotTierShare, o.DiskTimeout) = ("64MB", 0, TimeSpan.FromMilliseconds(50)), _housekeeping);
        _log.Clear();
    }

    public void Dispose()
    {
        _cache.Dispose();
        _directory.Dispose();
    }

    [Fact]
    public void ReadsFail_ManyTimes_AreOneMessage()
    {
        FailReads(500);
        Tick(() => Said(nameof(Log.DiskReadsFailed)) > 0);
        FailReads(500);
        int ticks = 0;
        Tick(() => ++ticks > LooksPerMinute / 2);

        Assert.Equal(1, Said(nameof(Log.DiskReadsFailed)));
        Assert.Contains("injected fault", _log.Warnings[0], StringComparison.Ordinal);
    }

    [Fact]
    public void ReadsFail_AfterAMinute_AreSaidAgainWithTheirNumber()
    {
        FailReads(5);
        Tick(() => Said(nameof(Log.DiskReadsFailed)) > 0);
        FailReads(7);
        Tick(() => Said(nameof(Log.DiskReadsFailed)) > 1);

        Assert.Equal(
            ["5", "7"],
            _log.Entries.Where(e => e.Id.Name == nameof(Log.DiskReadsFailed)).Select(e => e.Message.Split(": ")[1].Split(' ')[0]));
    }

    [Fact]
    public void WritesFail_ManyTimes_AreOneMessage()
    {
        _cache.Tiers.Device!.Fault = static r => r.Kind == IoKind.Write;
        _cache.Fill(1 << 20, 60_000, version: 1);
        Tick(() => Said(nameof(Log.DiskWritesFailed)) > 0);
        int ticks = 0;
        Tick(() => ++ticks > LooksPerMinute / 2);

        Assert.Equal(1, Said(nameof(Log.DiskWritesFailed)));
        _cache.Tiers.Device!.Fault = null;
    }

    [Fact]
    public void AllFails_ThenWorks_IsSaidOnceEach()
    {
        _cache.Tiers.Device!.Fault = static _ => true;
        Tick(() => !_cache.TryGet(1, out _) && _cache.GetStatistics().DiskTroubleReason is not null);
        Assert.Contains("injected fault", _cache.GetStatistics().DiskTroubleReason, StringComparison.Ordinal);
        _cache.Tiers.Device!.Fault = static _ => false;
        Tick(() =>
        {
            _cache.TryGet(1, out _);
            return _cache.GetStatistics().DiskTroubleReason is null;
        });

        Tick(() => Said(nameof(Log.DiskWorksAgain)) > 0);
        Assert.Equal((1, 1), (Said(nameof(Log.DiskInTrouble)), Said(nameof(Log.DiskWorksAgain))));
    }

    [Fact]
    public void Hangs_TwoSecondsOfHousekeeping_IsTroubleUntilItGoesOn()
    {
        using var gate = new DiskGate(_cache.Tiers.Device!, IoKind.Read);
        gate.Close();
        Assert.False(_cache.TryGet(1, out _));
        Tick(() => _cache.GetStatistics().DiskTroubleReason is not null);
        Assert.Contains("has not answered", _cache.GetStatistics().DiskTroubleReason, StringComparison.Ordinal);
        gate.Open();

        Tick(() => _cache.GetStatistics().DiskTroubleReason is null);
        Assert.Equal((1, 1), (Said(nameof(Log.DiskInTrouble)), Said(nameof(Log.DiskWorksAgain))));
    }

    [Fact]
    public void Messages_OfAFailingDisk_HoldNoKey()
    {
        _cache.Tiers.Device!.Fault = static _ => true;
        Tick(() => !_cache.TryGet(17_777, out _) && Said(nameof(Log.DiskInTrouble)) > 0);

        Assert.DoesNotContain(_log.Entries, e => e.Message.Contains("17777", StringComparison.Ordinal));
        _cache.Tiers.Device!.Fault = null;
    }

    private void FailReads(int count)
    {
        _cache.Tiers.Device!.Fault = static r => r.Kind == IoKind.Read;
        for (int i = 0; i < count; i++) Assert.False(_cache.TryGet(i * 40, out _));
        _cache.Tiers.Device!.Fault = null;
    }

    private void Tick(Func<bool> until) => _housekeeping.TickUntil(until, "housekeeping does it");

    private int Said(string message) => _log.Entries.Count(e => e.Id.Name == message);
}
