using HybridCaching.Hosting;
using Microsoft.Extensions.DependencyInjection.Extensions;
using Microsoft.Extensions.Diagnostics.HealthChecks;

namespace Microsoft.Extensions.DependencyInjection;

/// <summary>Registers a health check of caches.</summary>
public static class FasterCacheHealthChecksBuilderExtensions
{
    /// <summary>
    /// Adds a health check of the caches that are registered: degraded, with the reason, while one serves from memory only because its directory cannot be used, while its disk fails or hangs, or until it is open.
    /// Its data are the estimated entries, the hit ratio, and use and limit of memory and disk of each cache; of several with one name, the second and those after it are told apart by <c>#2</c>, <c>#3</c> and so on. A check takes microseconds and no disk.
    /// </summary>
    /// <param name="builder">The builder.</param>
    /// <param name="name">The name of the check; null for <c>hybridcaching</c>, followed by <c>-</c> and <paramref name="cacheName"/> if that is given.</param>
    /// <param name="failureStatus">What to report when not all is well; null for <see cref="HealthStatus.Degraded"/>: the cache serves, only not from its disk.</param>
    /// <param name="tags">Tags to filter checks by.</param>
    /// <param name="timeout">How long the check may take; null for any time.</param>
    /// <param name="cacheName">The name of the one cache to look at; null for all.</param>
    /// <returns><paramref name="builder"/>.</returns>
    public static IHealthChecksBuilder AddFasterCache(
        this IHealthChecksBuilder builder, string? name = null, HealthStatus? failureStatus = null, IEnumerable<string>? tags = null, TimeSpan? timeout = null, string? cacheName = null)
    {
        ArgumentNullException.ThrowIfNull(builder);
        builder.Services.TryAddSingleton<OpenCaches>();
        return builder.Add(new HealthCheckRegistration(
            name ?? (cacheName is null ? "hybridcaching" : $"hybridcaching-{cacheName}"),
            services => new CacheHealthCheck(services.GetServices<CacheRegistration>(), services.GetRequiredService<OpenCaches>(), cacheName),
            failureStatus ?? HealthStatus.Degraded,
            tags,
            timeout));
    }
}
