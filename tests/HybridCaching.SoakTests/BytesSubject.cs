using System.Buffers;
using Microsoft.Extensions.Caching.Distributed;

namespace HybridCaching.SoakTests;

/// <summary>The cache of bytes by text key.</summary>
internal sealed class BytesSubject : ISubject
{
    private static readonly DistributedCacheEntryOptions ForEver = new();

    private readonly FasterDistributedCache _cache;
    private readonly string[] _names;

    public BytesSubject(SoakPlan plan, string[] names, string directory, TimeProvider clock)
    {
        _names = names;
        _cache = new FasterDistributedCache(new FasterDistributedCacheOptions
        {
            Name = plan.Name,
            Directory = directory,
            MemoryBudget = plan.MemoryBudget,
            DiskBudget = plan.DiskBudget,
            TypicalEntryBytes = "4KB",
            TimeProvider = clock,
            WhenDirectoryUnavailable = DirectoryUnavailable.Throw,
        });
    }

    public (int Least, int Most) ValueBytes => (100, 100 << 10);

    public CacheStatistics Statistics => _cache.GetStatistics();

    public MemoryUsage Memory => _cache.GetMemoryUsage();

    /// <summary>The keys as text.</summary>
    public static string[] NamesOf(SoakPlan plan) => [.. Enumerable.Range(0, 2 * plan.PopularKeys).Select(key => $"soak:{key}")];

    public int Get(int key, Span<byte> destination) => _cache.TryGet(_names[key], destination, out int length) ? length : -1;

    public void Set(int key, byte[] buffer, int length, TimeSpan? lifetime) =>
        _cache.Set(_names[key], new ReadOnlySequence<byte>(buffer, 0, length), lifetime is null ? ForEver : new DistributedCacheEntryOptions { AbsoluteExpirationRelativeToNow = lifetime });

    public void Remove(int key) => _cache.Remove(_names[key]);

    public void Dispose() => _cache.Dispose();
}
