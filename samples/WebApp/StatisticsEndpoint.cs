using HybridCaching;

namespace WebApp;

/// <summary>What the caches count, and the memory they have taken.</summary>
internal static class StatisticsEndpoint
{
    public static void MapStatistics(this IEndpointRouteBuilder app) => app.MapGet("/stats", Answer);

    private static IResult Answer(FasterDistributedCache distributed, FasterCache<long, long> primes)
    {
        var figures = new Dictionary<string, CacheFigures>
        {
            ["distributed"] = new(distributed.EstimatedCount, distributed.GetStatistics(), distributed.GetMemoryUsage()),
            ["primes"] = new(primes.EstimatedCount, primes.GetStatistics(), primes.GetMemoryUsage()),
        };
        return Results.Json(figures, WebAppJson.Default.DictionaryStringCacheFigures);
    }
}
