using System.Collections.Concurrent;

namespace HybridCaching.Hosting;

/// <summary>The caches that a container has opened. Thread-safe.</summary>
internal sealed class OpenCaches
{
    private readonly ConcurrentDictionary<CacheRegistration, IHostedCache> _caches = new();

    public ICollection<IHostedCache> All => _caches.Values;

    public void Add(CacheRegistration registration, IHostedCache cache) => _caches[registration] = cache;

    /// <summary>The cache of a registration; null until it is open.</summary>
    public IHostedCache? Of(CacheRegistration registration) => _caches.GetValueOrDefault(registration);
}
