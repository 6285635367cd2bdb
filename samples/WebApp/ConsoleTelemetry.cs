using OpenTelemetry;
using OpenTelemetry.Metrics;
using OpenTelemetry.Trace;

namespace WebApp;

/// <summary>Writes what the caches measure and trace to the console. Registered before the caches, it is there when they are opened and still there when they write their checkpoints.</summary>
internal sealed class ConsoleTelemetry : IHostedService
{
    private const string Source = "HybridCaching";
    private const int IntervalMilliseconds = 10_000;

    private readonly OpenTelemetrySdk _sdk = OpenTelemetrySdk.Create(telemetry => telemetry
        .WithMetrics(metrics => metrics.AddMeter(Source).AddReader(new PeriodicExportingMetricReader(new ConsoleMetricExporter(), IntervalMilliseconds)))
        .WithTracing(tracing => tracing.AddSource(Source).AddProcessor(new SimpleActivityExportProcessor(new ConsoleSpanExporter()))));

    public Task StartAsync(CancellationToken cancellationToken) => Task.CompletedTask;

    /// <summary>Exports once more, and ends.</summary>
    public Task StopAsync(CancellationToken cancellationToken)
    {
        _sdk.Dispose();
        return Task.CompletedTask;
    }
}
