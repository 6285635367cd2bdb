using HybridCaching;
using Microsoft.Extensions.Configuration;
using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.Hosting;

namespace Snippets;

/// <summary>How caches are registered and used where dependency injection is at hand: code of the README.</summary>
internal static class Registration
{
    internal readonly record struct Quote(double Price, long Size);

    internal interface IQuoteSource
    {
        ValueTask<Quote> LoadAsync(long id, CancellationToken token);
    }

    internal static void OfBytes(HostApplicationBuilder builder)
    {
        builder.Services.AddFasterDistributedCache(options =>
        {
            options.Directory = "cache";
            options.MemoryBudget = "256MB";
            options.DiskBudget = "16GB";
        });
        builder.Services.AddHealthChecks().AddFasterCache();
    }

    internal static void FromConfiguration(HostApplicationBuilder builder)
    {
        builder.Services.AddFasterDistributedCache(builder.Configuration.GetRequiredSection("Cache"));
    }

    internal static void Typed(HostApplicationBuilder builder)
    {
        builder.Services.AddFasterCache<long, Quote>(options => options.Directory = "cache");
        builder.Services.AddSingleton<Quotes>();
    }

    internal sealed class Quotes(FasterCache<long, Quote> cache, IQuoteSource source)
    {
        public ValueTask<Quote> GetAsync(long id, CancellationToken token) =>
            cache.GetOrAddAsync(id, source, static (key, from, ct) => from.LoadAsync(key, ct), TimeSpan.FromMinutes(5), token);
    }
}
