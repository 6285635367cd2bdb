using System.Diagnostics;
using System.Diagnostics.Metrics;

namespace HybridCaching.Diagnostics;

/// <summary>What a cache tells those who watch it: a meter and a source of activities. Both cost nothing while nobody listens.</summary>
/// <remarks>Counts are read from the cache when somebody collects them. Only what takes time at the disk is measured when it happens, and only while somebody listens. Keys are never told.</remarks>
internal sealed class CacheInstruments : IDisposable
{
    /// <summary>The name of the meter and of the source.</summary>
    public const string Name = "HybridCaching";

    private const string CacheNameTag = "hybridcaching.cache.name";

    private static readonly ActivitySource Activities = new(Name);

    private readonly string _cacheName;
    private readonly Meter _meter;
    private readonly bool _isOurs;
    private readonly Histogram<double> _diskOperations;
    private readonly Histogram<double> _checkpoints;
    private volatile ICacheFigures? _figures;
    private long _missesSaid;

    /// <param name="cacheName">Tags everything.</param>
    /// <param name="factory">Where the meter comes from; null for a meter of our own.</param>
    public CacheInstruments(string cacheName, IMeterFactory? factory = null)
    {
        _cacheName = cacheName;
        _isOurs = factory is null;
        _meter = factory?.Create(Name) ?? new Meter(Name);
        var advice = new InstrumentAdvice<double> { HistogramBucketBoundaries = [.00001, .00003, .0001, .0003, .001, .003, .01, .03, .1, .3, 1, 3, 10] };
        _diskOperations = _meter.CreateHistogram("hybridcaching.disk.operation.duration", "s", "Reads that wait for the disk, from asking on, and writes.", advice: advice);
        _checkpoints = _meter.CreateHistogram("hybridcaching.checkpoint.duration", "s", "Checkpoints.", advice: advice);
    }

    private KeyValuePair<string, object?> CacheTag => new(CacheNameTag, _cacheName);

    /// <summary>Begins to publish the figures of an open cache.</summary>
    public void Observe(ICacheFigures figures)
    {
        _figures = figures;
        Count("hybridcaching.requests", "{request}", "Reads, by result and by the tier that answered.", Requests);
        Count("hybridcaching.writes", "{write}", "Entries written, by result: dropped ones were turned into removals.", s => [Tagged(s.Writes, Tag("result", "stored")), Tagged(s.DroppedWrites, Tag("result", "dropped"))]);
        Count("hybridcaching.removals", "{removal}", "Entries removed on demand.", s => [Tagged(s.Removals)]);
        Count("hybridcaching.evictions", "{eviction}", "Entries dropped that nobody removed one by one, by reason; an estimate.", s => [Tagged(s.Evictions, Tag("reason", "capacity")), Tagged(s.ClearedEntries, Tag("reason", "cleared")), Tagged(s.WithheldWrites, Tag("reason", "withheld"))]);
        Count("hybridcaching.corruption", "{record}", "Records and blocks that were not what had been written; each is a miss.", s => [Tagged(s.CorruptEntries)]);
        Count("hybridcaching.disk.errors", "{error}", "Disk operations that failed.", s => [Tagged(s.DiskReadErrors, Tag("error.type", "read")), Tagged(s.DiskWriteErrors, Tag("error.type", "write"))]);
        Count("hybridcaching.disk.io", "By", "Bytes read from and written to the disk.", s => [Tagged(s.DiskReadBytes, Tag("direction", "read")), Tagged(s.DiskWrittenBytes, Tag("direction", "write"))]);
        Level("hybridcaching.entry.count", "{entry}", "Entries held; an estimate.", f => f.EstimatedCount);
        Level("hybridcaching.memory.usage", "By", "Memory allocated.", f => f.GetMemoryUsage().Total);
        Level("hybridcaching.memory.limit", "By", "The memory budget.", f => f.GetMemoryUsage().Budget);
        Level("hybridcaching.disk.usage", "By", "Disk taken.", f => f.GetStatistics().DiskUsage);
        Level("hybridcaching.disk.limit", "By", "The disk budget; 0 without a directory.", f => f.GetStatistics().DiskBudget);
        Level("hybridcaching.recovery.entries", "{entry}", "Entries found in the directory when the cache was opened; an estimate.", f => f.GetStatistics().RecoveredEntries);
        _meter.CreateObservableGauge("hybridcaching.disk.state", () => Observed<long>(f => [Tagged((long)StateOf(f.GetStatistics()))]), "1", "The disk tier: 0 off, 1 degraded, 2 ok, also without a directory.");
        _meter.CreateObservableGauge("hybridcaching.recovery.duration", () => Observed<double>(f => [new Measurement<double>(f.GetStatistics().RecoveryDuration.TotalSeconds, CacheTag)]), "s", "How long it took to open the directory.");
    }

    /// <summary>When an operation of the disk begins; 0 while nobody wants to know.</summary>
    public long StartDiskOperation() => _diskOperations.Enabled ? Stopwatch.GetTimestamp() : 0;

    /// <summary>An operation of the disk has ended.</summary>
    public void EndDiskOperation(long start, string direction)
    {
        if (start != 0) Record(_diskOperations, start, new KeyValuePair<string, object?>("direction", direction));
    }

    public void EndCheckpoint(long start, bool isTaken) => Record(_checkpoints, start, new KeyValuePair<string, object?>("result", isTaken ? "ok" : "failed"));

    /// <summary>An activity for something that takes the disk; null while nobody listens. It does not become the current one, so it may be stopped anywhere.</summary>
    public ForgivingActivity? StartActivity(string name) => Activities.HasListeners() ? ForgivingActivity.TryStart(Activities, name, CacheNameTag, _cacheName) : null;

    /// <summary>Ends publishing. A meter that came from a factory is the factory's to dispose, and outlives the cache.</summary>
    public void Dispose()
    {
        _figures = null;
        if (_isOurs) _meter.Dispose();
    }

    /// <summary>Who listens is somebody else's code; on a thread of ours nobody would catch what it throws.</summary>
    private void Record(Histogram<double> histogram, long start, KeyValuePair<string, object?> tag)
    {
        try
        {
            histogram.Record(Stopwatch.GetElapsedTime(start).TotalSeconds, CacheTag, tag);
        }
        catch (Exception)
        {
            // What was to be told is lost, the cache is not.
        }
    }

    private static DiskState StateOf(CacheStatistics s) =>
        s.DiskUnavailableReason is not null ? DiskState.Off : s.DiskTroubleReason is not null ? DiskState.Degraded : DiskState.Ok;

    private void Count(string name, string unit, string description, Func<CacheStatistics, Measurement<long>[]> read) =>
        _meter.CreateObservableCounter(name, () => Observed(f => read(f.GetStatistics())), unit, description);

    private void Level(string name, string unit, string description, Func<ICacheFigures, long> read) =>
        _meter.CreateObservableUpDownCounter(name, () => Observed<long>(f => [Tagged(read(f))]), unit, description);

    /// <summary>A collector may come while the cache is being disposed.</summary>
    private Measurement<T>[] Observed<T>(Func<ICacheFigures, Measurement<T>[]> read)
        where T : struct
    {
        try
        {
            return _figures is { } figures ? read(figures) : [];
        }
        catch (ObjectDisposedException)
        {
            return [];
        }
    }

    private Measurement<long>[] Requests(CacheStatistics s) =>
    [
        Tagged(s.MemoryHits, Tag("result", "hit"), Tag("tier", "memory")),
        Tagged(s.DiskHits, Tag("result", "hit"), Tag("tier", "disk")),
        Tagged(s.ExpiredMisses, Tag("result", "expired")),
        Tagged(s.Timeouts, Tag("result", "timeout")),
        Tagged(Misses(s), Tag("result", "miss")),
    ];

    /// <summary>Never falls, as whoever computes rates relies on: kinds of misses are counted one after the other, and a marker first as a miss and then as the hit that it is.</summary>
    private long Misses(CacheStatistics s)
    {
        long misses = Math.Max(s.Misses - s.ExpiredMisses - s.Timeouts, Volatile.Read(ref _missesSaid));
        Volatile.Write(ref _missesSaid, misses);
        return misses;
    }

    private static KeyValuePair<string, object?> Tag(string key, string value) => new(key, value);

    private Measurement<long> Tagged(long value, params ReadOnlySpan<KeyValuePair<string, object?>> tags) => new(value, [CacheTag, .. tags]);
}
