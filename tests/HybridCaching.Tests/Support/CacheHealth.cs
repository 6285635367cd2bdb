using HybridCaching.Hosting;
using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.Diagnostics.HealthChecks;

namespace HybridCaching.Tests.Support;

/// <summary>The health check that an application adds, of a cache that a test has opened itself.</summary>
internal sealed class CacheHealth : IDisposable
{
    private readonly ServiceProvider _services;

    public CacheHealth(IHostedCache cache)
    {
        var registration = new CacheRegistration(cache.GetType(), null, cache.Name, "");
        var caches = new OpenCaches();
        caches.Add(registration, cache);
        var services = new ServiceCollection().AddLogging().AddSingleton(caches).AddSingleton(registration);
        services.AddHealthChecks().AddFasterCache();
        _services = services.BuildServiceProvider();
    }

    public async Task<HealthReportEntry> CheckAsync() => (await _services.GetRequiredService<HealthCheckService>().CheckHealthAsync()).Entries.Single().Value;

    public void Dispose() => _services.Dispose();
}
