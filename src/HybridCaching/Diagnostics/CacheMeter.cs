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
        _meter.CreateObservableCounter("hybridcaching.requests", () => Observe(Requests), "{request}", "Reads, by result and by the tier that answered.");
        _meter.CreateObservableCounter("hybridcaching.writes", () => Observe(() => [Tagged(statistics().Writes)]), "{write}", "Entries written.");
        _meter.CreateObservableCounter("hybridcaching.removals", () => Observe(() => [Tagged(statistics().Removals)]), "{removal}", "Entries removed on demand.");
        _meter.CreateObservableUpDownCounter("hybridcaching.entry.count", () => Observe(() => [Tagged(count())]), "{entry}", "Entries held; an estimate.");
        _meter.CreateObservableUpDownCounter("hybridcaching.memory.usage", () => Observe(() => [Tagged(memory().Total)]), "By", "Memory allocated.");
        _meter.CreateObservableUpDownCounter("hybridcaching.memory.limit", () => Observe(() => [Tagged(memory().Budget)]), "By", "The memory budget.");
        _meter.CreateObservableUpDownCounter("hybridcaching.disk.usage", () => Observe(() => [Tagged(statistics().DiskUsage)]), "By", "Disk taken.");
        _meter.CreateObservableUpDownCounter("hybridcaching.disk.limit", () => Observe(() => [Tagged(statistics().DiskBudget)]), "By", "The disk budget.");
        _meter.CreateObservableCounter("hybridcaching.disk.errors", () => Observe(DiskErrors), "{error}", "Disk operations that failed.");
    }

    private KeyValuePair<string, object?> CacheTag => new("hybridcaching.cache.name", _cacheName);

    /// <summary>Ends publishing. A meter that came from a factory is the factory's to dispose.</summary>
    public void Dispose()
    {
        _disposed = true;
        if (_isOurs) _meter.Dispose();
    }

    /// <summary>A collector may come while the cache is being disposed, and a meter from a factory outlives it.</summary>
    private Measurement<long>[] Observe(Func<Measurement<long>[]> read)
    {
        try
        {
            return _disposed ? [] : read();
        }
        catch (ObjectDisposedException)
        {
            return [];
        }
    }

    private Measurement<long>[] Requests()
    {
        var s = _statistics();
        return
        [
            Tagged(s.MemoryHits, Tag("result", "hit"), Tag("tier", "memory")),
            Tagged(s.DiskHits, Tag("result", "hit"), Tag("tier", "disk")),
            Tagged(s.ExpiredMisses, Tag("result", "expired")),
            Tagged(s.Misses - s.ExpiredMisses, Tag("result", "miss")),
        ];
    }

    private Measurement<long>[] DiskErrors()
    {
        var s = _statistics();
        return [Tagged(s.DiskReadErrors, Tag("error.type", "read")), Tagged(s.DiskWriteErrors, Tag("error.type", "write"))];
    }

    private static KeyValuePair<string, object?> Tag(string key, string value) => new(key, value);

    private Measurement<long> Tagged(long value, params ReadOnlySpan<KeyValuePair<string, object?>> tags) => new(value, [CacheTag, .. tags]);
}
