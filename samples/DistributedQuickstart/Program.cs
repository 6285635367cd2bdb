using HybridCaching;
using Microsoft.Extensions.Caching.Distributed;

using var cache = new FasterDistributedCache(new FasterDistributedCacheOptions { Directory = "cache", MemoryBudget = "256MB", DiskBudget = "16GB" });

await cache.SetStringAsync("user:42", "Ada", new DistributedCacheEntryOptions { SlidingExpiration = TimeSpan.FromMinutes(20) });
Console.WriteLine(await cache.GetStringAsync("user:42"));
await foreach (string key in cache.ScanKeysAsync("user:*")) Console.WriteLine(key);
