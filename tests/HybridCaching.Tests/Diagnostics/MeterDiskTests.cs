using HybridCaching.Devices;
using HybridCaching.Tests.Concurrency;
using HybridCaching.Tests.Distributed;
using HybridCaching.Tests.Support;

namespace HybridCaching.Tests.Diagnostics;

/// <summary>What the meter says of a disk after operations whose numbers are known.</summary>
public sealed class MeterDiskTests : MeteredCaches
{
    [Fact]
    public void Requests_OnDisk_AreCountedAndTimed()
    {
        using var cache = OpenCold("a");
        using var meter = new MeterReadings("a", Factory);
        cache.Tiers.Device!.Fault = static _ => false; // else the kernel answers at once
        long before = cache.GetStatistics().DiskReadBytes;
        for (int key = 0; key < 10_000; key += 1_000) Assert.True(cache.TryGet(key, out _));
        var durations = meter.All.Where(r => r.Is("hybridcaching.disk.operation.duration", ("direction", "read"))).ToList();
        var readings = meter.Collect();

        Assert.Equal(10, readings.Single(r => r.Is("hybridcaching.requests", ("result", "hit"), ("tier", "disk"))).Value);
        Assert.Equal(10, durations.Count);
        Assert.All(durations, d => Assert.InRange(d.Value, 0, Until.Deadline.TotalSeconds));
        Assert.Equal(10 * 4096, readings.Single(r => r.Is("hybridcaching.disk.io", ("direction", "read"))).Value - before);
    }

    [Fact]
    public void Requests_DiskHangs_AreTimeoutsAndMisses()
    {
        using var cache = OpenCold("a", TimeSpan.FromMilliseconds(20));
        using var meter = new MeterReadings("a", Factory);
        using var gate = new DiskGate(cache.Tiers.Device!, IoKind.Read);
        gate.Close();
        for (int key = 0; key < 3; key++) Assert.False(cache.TryGet(key * 5_000, out _));

        Assert.Equal(3, meter.ValueOf("hybridcaching.requests", ("result", "timeout")));
        Assert.Equal(0, meter.ValueOf("hybridcaching.requests", ("result", "miss")));
        gate.Open();
    }

    [Fact]
    public void Evictions_MoreThanTheDiskHolds_AreCounted()
    {
        using var cache = Open("a", o => o.DiskBudget = "16MB");
        using var meter = new MeterReadings("a", Factory);
        cache.Fill(0, 400_000, version: 1);

        Assert.InRange(meter.ValueOf("hybridcaching.evictions", ("reason", "capacity")), 100_000, 400_000);
    }

    [Fact]
    public void Recovery_Warm_IsMeasured()
    {
        using (var first = Open("a")) first.Fill(0, 1_000, version: 1);
        using var cache = Open("a");
        using var meter = new MeterReadings("a", Factory);

        Assert.InRange(meter.ValueOf("hybridcaching.recovery.entries"), 900, 1_100);
        Assert.InRange(meter.ValueOf("hybridcaching.recovery.duration"), 0.000_001, Until.Deadline.TotalSeconds);
    }

    [Fact]
    public void DiskErrors_ReadsAndWritesFail_AreCountedByKind()
    {
        using var cache = OpenCold("a");
        using var meter = new MeterReadings("a", Factory);
        cache.Tiers.Device!.Fault = static _ => true;
        for (int key = 0; key < 4_000; key += 1_000) Assert.False(cache.TryGet(key, out _));
        Assert.Equal(4, meter.ValueOf("hybridcaching.disk.errors", ("error.type", "read")));
        cache.Fill(1 << 20, 60_000, version: 1);

        Until.True(() => cache.GetStatistics().DiskWriteErrors == meter.ValueOf("hybridcaching.disk.errors", ("error.type", "write")), "both say the same: one write more may fail between them");
        Assert.InRange(cache.GetStatistics().DiskWriteErrors, 1, long.MaxValue);
    }

    [Fact]
    public void Corruption_FilesDamaged_IsCounted()
    {
        using var cache = OpenCold("a");
        using var meter = new MeterReadings("a", Factory);
        foreach (string file in System.IO.Directory.EnumerateFiles(Directory.Combine("a"), "log-*"))
        {
            using var stream = new FileStream(file, FileMode.Open, FileAccess.Write, FileShare.ReadWrite);
            stream.Write(new byte[stream.Length]);
        }

        for (int key = 0; key < 10_000; key += 1_000) Assert.False(cache.TryGet(key, out _));

        Assert.InRange(meter.ValueOf("hybridcaching.corruption"), 1, 20);
    }

    [Fact]
    public void DiskState_FolderInUse_IsOff()
    {
        const string Name = "in-use"; // no other test's: whose meter it is cannot be said
        using var owner = Open(Name);
        using var cache = BytesCache.Open(Directory.Path, change: o => (o.Name, o.WhenDirectoryUnavailable) = (Name, DirectoryUnavailable.MemoryOnly));
        using var meter = new MeterReadings(Name);

        Assert.Equal([2.0, 0.0], meter.Collect().Where(r => r.Instrument == "hybridcaching.disk.state").Select(r => r.Value).OrderDescending());
    }

    [Fact]
    public void Checkpoints_TakenAndNot_AreTimed()
    {
        using var cache = Open("a");
        using var meter = new MeterReadings("a", Factory);
        cache.Fill(0, 100, version: 1);
        Assert.True(cache.Tiers.CheckpointAsync(CancellationToken.None).Result());
        Assert.Single(meter.All, r => r.Is("hybridcaching.checkpoint.duration", ("result", "ok")));
        cache.Fill(0, 100, version: 2);
        using (FolderAttribute.Immutable(Directory.Combine("a"))) Assert.False(cache.Tiers.CheckpointAsync(CancellationToken.None).Result());

        Assert.Single(meter.All, r => r.Is("hybridcaching.checkpoint.duration", ("result", "failed")));
    }
}
