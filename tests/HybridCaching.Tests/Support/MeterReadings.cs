using System.Collections.Concurrent;
using System.Diagnostics.Metrics;

namespace HybridCaching.Tests.Support;

/// <summary>Listens to the meter of the library, to what has the name of one cache.</summary>
public sealed class MeterReadings : IDisposable
{
    public const string NameTag = "hybridcaching.cache.name";

    private readonly string? _cacheName;
    private readonly MeterListener _listener = new();
    private readonly ConcurrentQueue<Reading> _readings = new();
    private readonly ConcurrentDictionary<Instrument, bool> _instruments = new();

    /// <param name="cacheName">Whose measurements; null for everybody's.</param>
    /// <param name="scope">The factory that the meter has to come from; null for any meter.</param>
    public MeterReadings(string? cacheName, object? scope = null)
    {
        _cacheName = cacheName;
        _listener.InstrumentPublished = (instrument, listener) =>
        {
            if (instrument.Meter.Name != "HybridCaching" || (scope is not null && instrument.Meter.Scope != scope)) return;
            _instruments[instrument] = true;
            listener.EnableMeasurementEvents(instrument);
        };
        _listener.SetMeasurementEventCallback<long>((instrument, value, tags, _) => Note(instrument, value, tags));
        _listener.SetMeasurementEventCallback<double>((instrument, value, tags, _) => Note(instrument, value, tags));
        _listener.Start();
    }

    public IEnumerable<Instrument> Instruments => _instruments.Keys;

    /// <summary>Everything measured so far.</summary>
    public IReadOnlyList<Reading> All => [.. _readings];

    /// <summary>Asks the observable instruments; returns what they said, and what was measured since the last call.</summary>
    public IReadOnlyList<Reading> Collect()
    {
        _readings.Clear();
        _listener.RecordObservableInstruments();
        return All;
    }

    /// <summary>The value of an instrument now, of the series with exactly these tags beside the cache's name.</summary>
    public double ValueOf(string instrument, params (string Key, string Value)[] tags) => Assert.Single(Collect(), reading => reading.Is(instrument, tags)).Value;

    public void Dispose() => _listener.Dispose();

    private void Note(Instrument instrument, double value, ReadOnlySpan<KeyValuePair<string, object?>> tags)
    {
        var copy = tags.ToArray().ToDictionary(t => t.Key, t => t.Value);
        if (_cacheName is null || _cacheName.Equals(copy.GetValueOrDefault(NameTag))) _readings.Enqueue(new Reading(instrument.Name, value, copy));
    }

    public sealed record Reading(string Instrument, double Value, IReadOnlyDictionary<string, object?> Tags)
    {
        public bool Is(string instrument, params (string Key, string Value)[] tags) =>
            Instrument == instrument && Tags.Count == tags.Length + 1 && Array.TrueForAll(tags, t => t.Value.Equals(Tags.GetValueOrDefault(t.Key)));
    }
}
