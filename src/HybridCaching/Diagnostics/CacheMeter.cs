using System.Diagnostics.Metrics;

namespace HybridCaching.Diagnostics;

/// <summary>Publishes a cache's numbers. They are read when somebody collects them; nobody listening costs nothing.</summary>
internal sealed class CacheMeter : IDisposable
{
    public const string Name = "HybridCaching";

    private readonly Meter _meter;
    private readonly bool _isOurs;
    private readonly string _cacheName;
    private readonly Func<CacheStatistics> _statistics;
    private volatile bool _disposed;

    public CacheMeter(string cacheName, IMeterFactory? factory, Func<CacheStatistics> statistics, Func<MemoryUsage> memory, Func<long> count)
    {
        _cacheName = cacheName;
        _statistics = statistics;
        _isOurs = factory is null;
        _meter = factory?.Create(Name) ?? new Meter(Name);
        _meter.CreateObservableCounter("hybridcaching.requests", Requests, "{request}", "Reads, by result and by the tier that answered.");
        _meter.CreateObservableCounter("hybridcaching.writes", () => One(statistics().Writes), "{write}", "Entries written.");
        _meter.CreateObservableCounter("hybridcaching.removals", () => One(statistics().Removals), "{removal}", "Entries removed on demand.");
        _meter.CreateObservableUpDownCounter("hybridcaching.entry.count", () => One(count()), "{entry}", "Entries held; an estimate.");
        _meter.CreateObservableUpDownCounter("hybridcaching.memory.usage", () => One(memory().Total), "By", "Memory allocated.");
        _meter.CreateObservableUpDownCounter("hybridcaching.memory.limit", () => One(memory().Budget), "By", "The memory budget.");
        _meter.CreateObservableUpDownCounter("hybridcaching.disk.usage", () => One(statistics().DiskUsage), "By", "Disk taken.");
        _meter.CreateObservableUpDownCounter("hybridcaching.disk.limit", () => One(statistics().DiskBudget), "By", "The disk budget.");
        _meter.CreateObservableCounter("hybridcaching.disk.errors", DiskErrors, "{error}", "Disk operations that failed.");
    }

    /// <summary>Ends publishing. A meter that came from a factory is the factory's to dispose.</summary>
    public void Dispose()
    {
        _disposed = true;
        if (_isOurs) _meter.Dispose();
    }

    private IEnumerable<Measurement<long>> Requests()
    {
        if (_disposed) return [];
        var s = _statistics();
        return [Tagged(s.MemoryHits, "hit", "memory"), Tagged(s.DiskHits, "hit", "disk"), Tagged(s.ExpiredMisses, "expired"), Tagged(s.Misses - s.ExpiredMisses, "miss")];
    }

    private IEnumerable<Measurement<long>> DiskErrors()
    {
        if (_disposed) return [];
        var s = _statistics();
        return [Error(s.DiskReadErrors, "read"), Error(s.DiskWriteErrors, "write")];
    }

    private IEnumerable<Measurement<long>> One(long value) => _disposed ? [] : [new Measurement<long>(value, CacheTag)];

    private Measurement<long> Tagged(long value, string result, string? tier = null) => tier is null
        ? new(value, CacheTag, new("result", result))
        : new(value, CacheTag, new("result", result), new("tier", tier));

    private Measurement<long> Error(long value, string type) => new(value, CacheTag, new("error.type", type));

    private KeyValuePair<string, object?> CacheTag => new("hybridcaching.cache.name", _cacheName);
}
