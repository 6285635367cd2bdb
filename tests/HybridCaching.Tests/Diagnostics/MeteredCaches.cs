using System.Diagnostics.Metrics;
using HybridCaching.Tests.Concurrency;
using HybridCaching.Tests.Support;
using Microsoft.Extensions.DependencyInjection;

namespace HybridCaching.Tests.Diagnostics;

/// <summary>Caches whose meter comes from a factory of the test's own.</summary>
public abstract class MeteredCaches : IDisposable
{
    private readonly ServiceProvider _services = new ServiceCollection().AddMetrics().BuildServiceProvider();

    private protected TestDirectory Directory { get; } = new();

    private protected ManualTimeProvider Clock { get; } = new(DateTimeOffset.UtcNow); // no earlier than a folder that is opened again

    private protected IMeterFactory Factory => _services.GetRequiredService<IMeterFactory>();

    public void Dispose()
    {
        _services.Dispose();
        Directory.Dispose();
    }

    private protected FasterCache<long, Stamp> Open(string name, Action<FasterCacheOptions>? change = null)
    {
        var options = StampCache.Options(Directory.Path);
        options.Name = name;
        options.TimeProvider = Clock;
        change?.Invoke(options);
        return new FasterCache<long, Stamp>(options, null, Factory);
    }

    /// <summary>Whose first 20,000 keys lie on the disk only.</summary>
    private protected FasterCache<long, Stamp> OpenCold(string name, TimeSpan? diskTimeout = null)
    {
        using (ColdCache.Open(Directory.Path, change: o => o.Name = name))
        {
            // Left behind on the disk.
        }

        return Open(name, o => (o.DiskBudget, o.HotTierShare, o.DiskTimeout) = ("64MB", 0, diskTimeout ?? Until.Deadline));
    }
}
