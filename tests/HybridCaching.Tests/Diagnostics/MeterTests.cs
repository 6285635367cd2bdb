using System.Diagnostics.Metrics;
using HybridCaching.Diagnostics;
using HybridCaching.Tests.Concurrency;
using HybridCaching.Tests.Distributed;
using HybridCaching.Tests.Support;

namespace HybridCaching.Tests.Diagnostics;

/// <summary>What the meter says after operations whose numbers are known.</summary>
public sealed class MeterTests : MeteredCaches
{
    private const string SecretKey = "secret-key-of-somebody";

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
        Clock.Advance(TimeSpan.FromMinutes(2));
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
    public void Requests_KindsOfMissesCountedOneAfterTheOther_NeverFall()
    {
        var figures = new FakeFigures { Statistics = new CacheStatistics { Misses = 10 } };
        using var instruments = new CacheInstruments("fake", Factory);
        instruments.Observe(figures);
        using var meter = new MeterReadings("fake", Factory);
        Assert.Equal(10, meter.ValueOf("hybridcaching.requests", ("result", "miss")));
        figures.Statistics = new CacheStatistics { Misses = 10, ExpiredMisses = 1 };
        Assert.Equal(10, meter.ValueOf("hybridcaching.requests", ("result", "miss")));
        figures.Statistics = new CacheStatistics { Misses = 12, ExpiredMisses = 1 };

        Assert.Equal(11, meter.ValueOf("hybridcaching.requests", ("result", "miss")));
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
    public void Levels_Now_AreThoseOfTheCache()
    {
        using var cache = OpenCold("a");
        using var meter = new MeterReadings("a", Factory);

        Assert.Equal(cache.EstimatedCount, meter.ValueOf("hybridcaching.entry.count"));
        Until.True(() => cache.GetMemoryUsage().Total == (long)meter.ValueOf("hybridcaching.memory.usage"), "housekeeping moves no memory between the one look and the other");
        Assert.Equal(8 << 20, meter.ValueOf("hybridcaching.memory.limit"));
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
                "direction=read", "direction=write", "error.type=read", "error.type=write", "hybridcaching.cache.name=a", "reason=capacity", "reason=cleared", "reason=withheld", "result=dropped", "result=expired",
                "result=hit", "result=miss", "result=ok", "result=stored", "result=timeout", "tier=disk", "tier=memory",
            ],
            tags);
    }

    [Fact]
    public void Tags_OfEverything_HoldNoKey()
    {
        using var cache = BytesCache.Open(Directory.Path, change: o => o.Name = "no-key");
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

    private sealed class FakeFigures : ICacheFigures
    {
        public CacheStatistics Statistics { get; set; } = new();

        public long EstimatedCount => 0;

        public CacheStatistics GetStatistics() => Statistics;

        public MemoryUsage GetMemoryUsage() => default;
    }
}
