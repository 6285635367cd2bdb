using System.Collections.Concurrent;
using System.Text.Json;
using HybridCaching;
using Microsoft.Extensions.Caching.Distributed;
using Microsoft.Extensions.Caching.Memory;
using Microsoft.Extensions.DependencyInjection;

namespace Snippets;

/// <summary>The code of docs/migrating.md.</summary>
internal static class Migrating
{
    internal readonly record struct Price(long Cents, int Count);

    internal sealed record User(string Name);

    internal static Price FromADictionary()
    {
        var prices = new ConcurrentDictionary<int, Price>();
        prices[7] = new Price(995, 3);
        var price = prices.GetOrAdd(8, Load);
        return price;
    }

    internal static Price ToACache()
    {
        using var prices = new FasterCache<int, Price>(new FasterCacheOptions { Directory = "cache", MemoryBudget = "64MB", DiskBudget = "4GB" });
        prices.Set(7, new Price(995, 3));
        var price = prices.GetOrAdd(8, Load);
        return price;
    }

    internal static Price FromAMemoryCache(IMemoryCache memory)
    {
        var price = memory.GetOrCreate(8, entry =>
        {
            entry.AbsoluteExpirationRelativeToNow = TimeSpan.FromMinutes(5);
            return Load(8);
        });
        return price;
    }

    internal static Price ToATypedCache(FasterCache<int, Price> prices)
    {
        var price = prices.GetOrAdd(8, Load, TimeSpan.FromMinutes(5));
        return price;
    }

    internal static async Task<User> ToACacheOfBytes(IDistributedCache cache, string key, CancellationToken token)
    {
        if (await cache.GetAsync(key, token) is { } bytes) return JsonSerializer.Deserialize<User>(bytes)!;
        var user = await LoadUserAsync(key, token);
        var options = new DistributedCacheEntryOptions { AbsoluteExpirationRelativeToNow = TimeSpan.FromMinutes(5) };
        await cache.SetAsync(key, JsonSerializer.SerializeToUtf8Bytes(user), options, token);
        return user;
    }

    internal static void FromRedis(IServiceCollection services)
    {
        services.AddFasterDistributedCache(options =>
        {
            options.Name = "shop";
            options.Directory = "/var/cache/shop";
            options.MemoryBudget = "256MB";
            options.DiskBudget = "16GB";
        });
    }

    internal static string? FromFasterKvCache(string key)
    {
        using var cache = new FasterDistributedCache(new FasterDistributedCacheOptions { Name = "users", Directory = "cache", MemoryBudget = "64MB", DiskBudget = "4GB" });
        cache.SetString(key, "Ada", new DistributedCacheEntryOptions { AbsoluteExpirationRelativeToNow = TimeSpan.FromMinutes(5) });
        var name = cache.GetString(key);
        return name;
    }

    private static Price Load(int key) => new(key, 1);

    private static Task<User> LoadUserAsync(string key, CancellationToken token) => Task.FromResult(new User(key));
}
