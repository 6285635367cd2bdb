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
            int namesakes = names.Count(each => each == name);
            string label = namesakes == 1 ? name : $"{name}#{namesakes}";
            if (ProblemOf(cache, label, data) is { } problem) problems.Add($"Cache {label} {problem}.");
        }

        if (cacheName is not null && !names.Contains(cacheName)) problems.Add(areAllOpen ? $"There is no cache named {cacheName}; there are {string.Join(", ", names)}." : $"Cache {cacheName} is not open yet.");
        return Task.FromResult(problems.Count == 0
            ? HealthCheckResult.Healthy(data: data)
            : new HealthCheckResult(context.Registration.FailureStatus, string.Join(" ", problems), data: data));
    }

    private static string? ProblemOf(IHostedCache? cache, string label, Dictionary<string, object> data)
    {
        if (cache is null) return "is not open yet";
        try
        {
            var statistics = cache.GetStatistics();
            var memory = cache.GetMemoryUsage();
            data[$"{label}.entries"] = cache.EstimatedCount;
            data[$"{label}.hit_ratio"] = statistics.HitRatio;
            data[$"{label}.memory.usage"] = memory.Total;
            data[$"{label}.memory.limit"] = memory.Budget;
            data[$"{label}.disk.usage"] = statistics.DiskUsage;
            data[$"{label}.disk.limit"] = statistics.DiskBudget;
            if (statistics.DiskUnavailableReason is { } unavailable) return $"serves from memory only: {unavailable}";
            return statistics.DiskTroubleReason is { } trouble ? $"has trouble with its disk: {trouble}" : null;
        }
        catch (ObjectDisposedException)
        {
            return "is closed";
        }
    }
}
