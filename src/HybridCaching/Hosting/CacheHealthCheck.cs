using Microsoft.Extensions.Diagnostics.HealthChecks;

namespace HybridCaching.Hosting;

/// <summary>Whether the registered caches, or one of them, do what they were set up to do. Opens none, touches no disk.</summary>
internal sealed class CacheHealthCheck(IEnumerable<CacheRegistration> registrations, OpenCaches caches, string? cacheName) : IHealthCheck
{
    public Task<HealthCheckResult> CheckHealthAsync(HealthCheckContext context, CancellationToken cancellationToken = default)
    {
        var data = new Dictionary<string, object>();
        var problems = new List<string>();
        var names = new List<string>();
        bool areAllOpen = true;
        foreach (var registration in registrations)
        {
            var cache = caches.Of(registration);
            string name = cache?.Name ?? registration.DefaultName;
            names.Add(name);
            areAllOpen &= cache is not null;
            if (cacheName is not null && name != cacheName) continue;
            if (ProblemOf(cache, name, data) is { } problem) problems.Add($"Cache {name} {problem}.");
        }

        if (cacheName is not null && !names.Contains(cacheName)) problems.Add(areAllOpen ? $"There is no cache named {cacheName}; there are {string.Join(", ", names)}." : $"Cache {cacheName} is not open yet.");
        return Task.FromResult(problems.Count == 0
            ? HealthCheckResult.Healthy(data: data)
            : new HealthCheckResult(context.Registration.FailureStatus, string.Join(" ", problems), data: data));
    }

    private static string? ProblemOf(IHostedCache? cache, string name, Dictionary<string, object> data)
    {
        if (cache is null) return "is not open yet";
        try
        {
            var statistics = cache.GetStatistics();
            var memory = cache.GetMemoryUsage();
            data[$"{name}.entries"] = cache.EstimatedCount;
            data[$"{name}.hit_ratio"] = statistics.HitRatio;
            data[$"{name}.memory.usage"] = memory.Total;
            data[$"{name}.memory.limit"] = memory.Budget;
            data[$"{name}.disk.usage"] = statistics.DiskUsage;
            data[$"{name}.disk.limit"] = statistics.DiskBudget;
            if (statistics.DiskUnavailableReason is { } unavailable) return $"serves from memory only: {unavailable}";
            return statistics.DiskTroubleReason is { } trouble ? $"has trouble with its disk: {trouble}" : null;
        }
        catch (ObjectDisposedException)
        {
            return "is closed";
        }
    }
}
