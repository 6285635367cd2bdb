using HybridCaching.Hosting;
using Microsoft.Extensions.Caching.Distributed;
using Microsoft.Extensions.Logging;

namespace HybridCaching.CrashTests.Child;

/// <summary>The cache of bytes.</summary>
internal sealed class BytesSubject : ISubject
{
    public const string Name = "bytes";

    private readonly FasterDistributedCache _cache;
    private readonly string[] _names;

    public BytesSubject(FasterDistributedCacheOptions options, int keys, ILoggerFactory? log = null)
    {
        options.Name = Name;
        options.MaximumValueBytes = 1 << 20;
        _cache = new FasterDistributedCache(options, log);
        _names = [.. Enumerable.Range(0, keys).Select(static key => $"{PrefixOf(SharedState.GroupOf(key))}{key}")];
    }

    public bool TryRead(int key, out Reading reading)
    {
        reading = default;
        if (_cache.Get(_names[key]) is not { } bytes) return false;
        reading = BytesValue.Read(bytes);
        return true;
    }

    public void Set(in Reading value)
    {
        TimeSpan? lifetime = value.Lifetime == 0 ? null : TimeSpan.FromMilliseconds(value.Lifetime);
        bool slides = SharedState.Slides(value.Key);
        _cache.Set(_names[value.Key], BytesValue.Make(in value), new DistributedCacheEntryOptions { SlidingExpiration = slides ? lifetime : null, AbsoluteExpirationRelativeToNow = slides ? null : lifetime });
    }

    public void Remove(int key) => _cache.Remove(_names[key]);

    public void Renew(int key) => _cache.Refresh(_names[key]);

    public void Clear() => _cache.Clear();

    public void RemoveGroup(int group) => _cache.RemoveByPrefixAsync(PrefixOf(group)).AsTask().GetAwaiter().GetResult();

    public void Resize(long memoryBudget, long diskBudget) => _cache.Resize(memoryBudget, diskBudget);

    public void Flush() => _cache.FlushAsync().AsTask().GetAwaiter().GetResult();

    public bool Checkpoint() => ((IHostedCache)_cache).CheckpointAsync(CancellationToken.None).GetAwaiter().GetResult();

    public CacheStatistics GetStatistics() => _cache.GetStatistics();

    public void Dispose() => _cache.Dispose();

    private static string PrefixOf(int group) => $"group{group:D2}/";
}
