using HybridCaching;

namespace WebApp;

/// <summary>Numbers that take time to find, kept in a typed cache: no serializer, and one computation however many ask at once.</summary>
internal static class PrimesEndpoint
{
    public static void MapPrimes(this IEndpointRouteBuilder app) => app.MapGet("/prime/{n:long:range(1,100000)}", AnswerAsync);

    private static async Task<IResult> AnswerAsync(long n, FasterCache<long, long> cache, HttpContext context, CancellationToken cancellationToken)
    {
        bool computed = false;
        long prime = await cache.GetOrAddAsync(n, Compute, cancellationToken: cancellationToken);
        context.Response.TellCache(hit: !computed);
        return Results.Json(new NthPrime(n, prime), WebAppJson.Default.NthPrime);

        ValueTask<long> Compute(long key, CancellationToken token)
        {
            computed = true;
            return ValueTask.FromResult(PrimeNumbers.Nth(key, token));
        }
    }
}
