using System.Diagnostics.Metrics;
using HybridCaching.Devices;
using HybridCaching.Tests.Concurrency;
using HybridCaching.Tests.Distributed;
using HybridCaching.Tests.Support;
using Microsoft.Extensions.DependencyInjection;

namespace HybridCaching.Tests.Diagnostics;

/// <summary>What the meter says after operations whose numbers are known.</summary>
public sealed class MeterTests : IDisposable
{
    private const string SecretKey = "secret-key-of-somebody";

    private readonly TestDirectory _directory = new();
    private readonly ServiceProvider _services = new ServiceCollection().AddMetrics().BuildServiceProvider();
    private readonly ManualTimeProvider _clock = new();

    /// <summary>Name, kind, unit.</summary>
    private static IEnumerable<(string Name, string Kind, string? Unit)> Frozen =>
    [
        ("hybridcaching.checkpoint.duration", "Histogram", "s"),
        ("hybridcaching.corruption", "ObservableCounter", "{record}"),
        ("hybridcaching.disk.errors", "ObservableCounter", "{error}"),
        ("hybridcaching.disk.io", "ObservableCounter", "By"),
        ("hybridcaching.disk.limit", "ObservableUpDownCounter", "By"),
        ("hybridcaching.disk.operation.duration", "Histogram", "s"),
        ("hybridcaching.disk.state", "ObservableGauge", "1"),
        ("hybridcaching.disk.usage", "ObservableUpDownCounter", "By"),
        ("hybridcaching.entry.count", "ObservableUpDownCounter", "{entry}"),
        ("hybridcaching.evictions", "ObservableCounter", "{eviction}"),
        ("hybridcaching.memory.limit", "ObservableUpDownCounter", "By"),
        ("hybridcaching.memory.usage", "ObservableUpDownCounter", "By"),
        ("hybridcaching.recovery.duration", "ObservableGauge", "s"),
        ("hybridcaching.recovery.entries", "ObservableUpDownCounter", "{entry}"),
        ("hybridcaching.removals", "ObservableCounter", "{removal}"),
        ("hybridcaching.requests", "ObservableCounter", "{request}"),
        ("hybridcaching.writes", "ObservableCounter", "{write}"),
    ];

    private IMeterFactory Factory => _services.GetRequiredService<IMeterFactory>();

    public void Dispose()
    {
        _services.Dispose();
        _directory.Dispose();
    }

    [Fact]
    public void Instruments_NamesKindsAndUnits_AreTheFrozenOnes()
    {
        using var cache = Open("a");
        using var meter = new MeterReadings(null, Factory);

        Assert.Equal(Frozen, meter.Instruments.Select(i => (i.Name, i.GetType().Name.Split('`')[0], i.Unit)).OrderBy(i => i.Name, StringComparer.Ordinal));
    }

    [Fact]
    public void Instruments_All_AreDescribed()
    {
        using var cache = Open("a");
        using var meter = new MeterReadings(null, Factory);

        Assert.All(meter.Instruments, i => Assert.False(string.IsNullOrWhiteSpace(i.Description), i.Name));
    }

    [Fact]
    public void Histograms_Buckets_AreAdvised()
    {
        using var cache = Open("a");
        using var meter = new MeterReadings(null, Factory);

        Assert.All(meter.Instruments.OfType<Histogram<double>>(), h => Assert.True(h.Advice?.HistogramBucketBoundaries?.Count > 5, h.Name));
    }

    [Fact]
    public void Instruments_Page_ListsThemAll()
    {
        string page = File.ReadAllText(Architecture.Repository.Combine("docs/observability.md"));

        Assert.All(Frozen.Where(i => !i.Name.EndsWith(".limit", StringComparison.Ordinal)), i => Assert.Contains($"`{i.Name}`", page, StringComparison.Ordinal));
    }

    [Fact]
    public void Requests_InMemory_AreCountedByResult()
    {
        using var cache = Open("a");
        using var meter = new MeterReadings("a", Factory);
        cache.Fill(0, 10, version: 1);
        cache.Set(100, Stamp.Of(100, 1), TimeSpan.FromMinutes(1));
        _clock.Advance(TimeSpan.FromMinutes(2));
        for (int i = 0; i < 7; i++) Assert.True(cache.TryGet(i, out _));
        for (int i = 50; i < 55; i++) Assert.False(cache.TryGet(i, out _));
        for (int i = 0; i < 3; i++) Assert.False(cache.TryGet(100, out _));

        Assert.Equal(7, meter.ValueOf("hybridcaching.requests", ("result", "hit"), ("tier", "memory")));
        Assert.Equal(0, meter.ValueOf("hybridcaching.requests", ("result", "hit"), ("tier", "disk")));
        Assert.Equal(5, meter.ValueOf("hybridcaching.requests", ("result", "miss")));
        Assert.Equal(3, meter.ValueOf("hybridcaching.requests", ("result", "expired")));
        Assert.Equal(0, meter.ValueOf("hybridcaching.requests", ("result", "timeout")));
    }

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
    public void Writes_StoredAndDropped_AreCounted()
    {
        using var cache = BytesCache.Open(null, change: o => (o.Name, o.MaximumValueBytes) = ("dropper", "1KB"));
        using var meter = new MeterReadings("dropper");
        for (int i = 0; i < 5; i++) cache.Set($"{i}", new byte[10], BytesCache.ForEver);
        for (int i = 0; i < 3; i++) cache.Set($"{i}", new byte[2000], BytesCache.ForEver);

        Assert.Equal(5, meter.ValueOf("hybridcaching.writes", ("result", "stored")));
        Assert.Equal(3, meter.ValueOf("hybridcaching.writes", ("result", "dropped")));
    }

    [Fact]
    public void Removals_OnlyOfWhatWasThere_AreCounted()
    {
        using var cache = Open("a");
        using var meter = new MeterReadings("a", Factory);
        cache.Fill(0, 10, version: 1);
        for (int key = 5; key < 15; key++) cache.Remove(key);

        Assert.Equal(5, meter.ValueOf("hybridcaching.removals"));
    }

    [Fact]
    public void Evictions_Cleared_AreCounted()
    {
        using var cache = Open("a");
        using var meter = new MeterReadings("a", Factory);
        cache.Fill(0, 100, version: 1);
        cache.Clear();

        Assert.Equal(100, meter.ValueOf("hybridcaching.evictions", ("reason", "cleared")));
        Assert.Equal(0, meter.ValueOf("hybridcaching.evictions", ("reason", "capacity")));
        Assert.Equal(0, meter.ValueOf("hybridcaching.entry.count"));
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
    public void Levels_Now_AreThoseOfTheCache()
    {
        using var cache = OpenCold("a");
        using var meter = new MeterReadings("a", Factory);

        Assert.Equal(cache.EstimatedCount, meter.ValueOf("hybridcaching.entry.count"));
        Assert.Equal(cache.GetMemoryUsage().Total, meter.ValueOf("hybridcaching.memory.usage"));
        Assert.Equal(12 << 20, meter.ValueOf("hybridcaching.memory.limit"));
        Assert.InRange(meter.ValueOf("hybridcaching.disk.usage"), 1, 64 << 20);
        Assert.Equal(64 << 20, meter.ValueOf("hybridcaching.disk.limit"));
    }

    [Fact]
    public void Levels_InMemoryOnly_HaveNoDisk()
    {
        using var cache = Open("a", o => o.Directory = null);
        using var meter = new MeterReadings("a", Factory);

        Assert.Equal((0.0, 0.0, 2.0), (meter.ValueOf("hybridcaching.disk.usage"), meter.ValueOf("hybridcaching.disk.limit"), meter.ValueOf("hybridcaching.disk.state")));
        Assert.Equal((0.0, 0.0), (meter.ValueOf("hybridcaching.recovery.duration"), meter.ValueOf("hybridcaching.recovery.entries")));
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

        Assert.Equal(cache.GetStatistics().DiskWriteErrors, meter.ValueOf("hybridcaching.disk.errors", ("error.type", "write")));
        Assert.InRange(cache.GetStatistics().DiskWriteErrors, 1, long.MaxValue);
    }

    [Fact]
    public void Corruption_FilesDamaged_IsCounted()
    {
        using var cache = OpenCold("a");
        using var meter = new MeterReadings("a", Factory);
        foreach (string file in Directory.EnumerateFiles(_directory.Combine("a"), "log-*"))
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
        using var owner = Open("a");
        using var cache = BytesCache.Open(_directory.Path, change: o => (o.Name, o.WhenDirectoryUnavailable) = ("a", DirectoryUnavailable.MemoryOnly));
        using var meter = new MeterReadings("a");

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
        using (new ImmutableDirectory(_directory.Combine("a"))) Assert.False(cache.Tiers.CheckpointAsync(CancellationToken.None).Result());

        Assert.Single(meter.All, r => r.Is("hybridcaching.checkpoint.duration", ("result", "failed")));
    }

    [Fact]
    public void Tags_OfEverything_AreFewAndKnown()
    {
        using var cache = OpenCold("a");
        using var meter = new MeterReadings("a", Factory);
        cache.Tiers.Device!.Fault = static _ => false;
        cache.TryGet(1, out _);
        cache.Tiers.CheckpointAsync(CancellationToken.None).Result();
        var tags = meter.All.Concat(meter.Collect()).SelectMany(r => r.Tags).Select(t => $"{t.Key}={t.Value}").Distinct().Order(StringComparer.Ordinal);

        Assert.Equal(
            [
                "direction=read", "direction=write", "error.type=read", "error.type=write", "hybridcaching.cache.name=a", "reason=capacity", "reason=cleared", "result=dropped", "result=expired",
                "result=hit", "result=miss", "result=ok", "result=stored", "result=timeout", "tier=disk", "tier=memory",
            ],
            tags);
    }

    [Fact]
    public void Tags_OfEverything_HoldNoKey()
    {
        using var cache = BytesCache.Open(_directory.Path, change: o => o.Name = "no-key");
        using var meter = new MeterReadings("no-key");
        cache.Set(SecretKey, new byte[100], BytesCache.ForEver);
        cache.Get(SecretKey);
        cache.Get(SecretKey + "2");
        cache.Remove(SecretKey);
        cache.Set(SecretKey + "3", new byte[2 << 20], BytesCache.ForEver);

        Assert.NotEmpty(meter.Collect());
        Assert.DoesNotContain(meter.Collect(), r => r.Tags.Values.Any(v => v?.ToString()?.Contains(SecretKey, StringComparison.Ordinal) == true));
    }

    [Fact]
    public void TwoCaches_OneFactory_ShareAMeterAndAreToldApart()
    {
        using var first = Open("first");
        using var second = Open("second");
        using var meter = new MeterReadings(null, Factory);
        first.Fill(0, 10, version: 1);
        second.Fill(0, 20, version: 1);
        var stored = meter.Collect().Where(r => r.Instrument == "hybridcaching.writes" && "stored".Equals(r.Tags["result"]));

        Assert.Single(meter.Instruments.Select(i => i.Meter).Distinct());
        Assert.Equal([("first", 10.0), ("second", 20.0)], stored.Select(r => ((string)r.Tags[MeterReadings.NameTag]!, r.Value)).Order());
    }

    [Fact]
    public void Dispose_MeterOfAFactory_SaysNothingMore()
    {
        var cache = Open("a");
        using var meter = new MeterReadings(null, Factory);
        cache.Dispose();

        Assert.Empty(meter.Collect());
    }

    [Fact]
    public void Dispose_OneOfTwo_LeavesTheOther()
    {
        var first = Open("first");
        using var second = Open("second");
        using var meter = new MeterReadings(null, Factory);
        first.Dispose();

        Assert.Equal(["second"], meter.Collect().Select(r => r.Tags[MeterReadings.NameTag]).Distinct());
    }

    [Fact]
    public void Dispose_MeterOfItsOwn_IsGone()
    {
        var cache = BytesCache.Open(null, change: o => o.Name = "own-meter");
        using var meter = new MeterReadings("own-meter");
        Assert.NotEmpty(meter.Collect());
        cache.Dispose();

        Assert.Empty(meter.Collect());
    }

    [Fact]
    public void Collect_WhileBeingDisposed_IsNoFault()
    {
        for (int round = 0; round < 10; round++)
        {
            var cache = Open("a");
            using var meter = new MeterReadings("a", Factory);
            bool isOver = false;
            Crew.Run(
                () =>
                {
                    while (!Volatile.Read(ref isOver)) meter.Collect();
                },
                () =>
                {
                    cache.Dispose();
                    Volatile.Write(ref isOver, true);
                });
        }
    }

    private FasterCache<long, Stamp> Open(string name, Action<FasterCacheOptions>? change = null)
    {
        var options = StampCache.Options(_directory.Path);
        options.Name = name;
        options.TimeProvider = _clock;
        change?.Invoke(options);
        return new FasterCache<long, Stamp>(options, null, Factory);
    }

    /// <summary>Whose first 20,000 keys lie on the disk only.</summary>
    private FasterCache<long, Stamp> OpenCold(string name, TimeSpan? diskTimeout = null)
    {
        using (ColdCache.Open(_directory.Path, change: o => o.Name = name))
        {
            // Left behind on the disk.
        }

        return Open(name, o => (o.DiskBudget, o.HotTierShare, o.DiskTimeout) = ("64MB", 0, diskTimeout ?? Until.Deadline));
    }
}
