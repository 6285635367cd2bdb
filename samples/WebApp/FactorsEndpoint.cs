using System.Text.Json;
using Microsoft.Extensions.Caching.Distributed;

namespace WebApp;

/// <summary>JSON that takes time to make, kept as bytes in the distributed cache.</summary>
internal static class FactorsEndpoint
{
    private static readonly DistributedCacheEntryOptions ForADay = new() { AbsoluteExpirationRelativeToNow = TimeSpan.FromDays(1) };

    public static void MapFactors(this IEndpointRouteBuilder app) => app.MapGet("/factors/{number:long:range(2,1000000000000000)}", AnswerAsync);

    private static async Task<IResult> AnswerAsync(long number, IDistributedCache cache, HttpContext context, CancellationToken cancellationToken)
    {
        string key = $"factors:{number}";
        byte[]? json = await cache.GetAsync(key, cancellationToken);
        context.Response.TellCache(hit: json is not null);
        if (json is null)
        {
            json = JsonSerializer.SerializeToUtf8Bytes(Factors.Of(number), WebAppJson.Default.Factors);
            await cache.SetAsync(key, json, ForADay, cancellationToken);
        }

        return Results.Bytes(json, "application/json");
    }
}
