using System.Diagnostics.Metrics;
using HybridCaching.Diagnostics;

namespace HybridCaching.Benchmarks.Quick;

/// <summary>Listens to all instruments of the library and collects them ten times a second, until disposed.</summary>
internal sealed class MeterCollector : IDisposable
{
    private static readonly TimeSpan Interval = TimeSpan.FromMilliseconds(100);

    private readonly MeterListener _listener = new();
    private readonly Timer _timer;

    public MeterCollector()
    {
        _listener.InstrumentPublished = static (instrument, listener) =>
        {
            if (instrument.Meter.Name == CacheInstruments.Name) listener.EnableMeasurementEvents(instrument);
        };
        _listener.SetMeasurementEventCallback<long>(static (_, _, _, _) => { });
        _listener.SetMeasurementEventCallback<double>(static (_, _, _, _) => { });
        _listener.Start();
        _timer = new Timer(_ => _listener.RecordObservableInstruments(), null, TimeSpan.Zero, Interval);
    }

    public void Dispose()
    {
        using (var done = new ManualResetEvent(false))
        {
            if (_timer.Dispose(done)) done.WaitOne();
        }

        _listener.Dispose();
    }
}
