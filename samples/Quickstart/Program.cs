using HybridCaching;

using var cache = new FasterCache<long, Quote>(new FasterCacheOptions { Directory = "cache", MemoryBudget = "64MB", DiskBudget = "4GB" });

cache.Set(42, new Quote(99.5, 17), TimeSpan.FromMinutes(5));
if (cache.TryGet(42, out var hit)) Console.WriteLine(hit.Price);
var quote = await cache.GetOrAddAsync(43, async (key, ct) => await LoadAsync(key, ct));   // one call per key, however many ask
Console.WriteLine(cache.GetStatistics());

static ValueTask<Quote> LoadAsync(long key, CancellationToken ct) => new(new Quote(key, 1));
readonly record struct Quote(double Price, long Size);
