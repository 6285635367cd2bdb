using HybridCaching;

namespace WebApp;

/// <summary>The figures of one cache.</summary>
internal sealed record CacheFigures(long EstimatedCount, CacheStatistics Statistics, MemoryUsage Memory);
