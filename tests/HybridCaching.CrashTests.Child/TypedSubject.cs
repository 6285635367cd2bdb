using HybridCaching.Hosting;
using Microsoft.Extensions.Logging;

namespace HybridCaching.CrashTests.Child;

/// <summary>The typed cache. What slides elsewhere is given another time to live here; a group is removed key by key.</summary>
internal sealed class TypedSubject : ISubject
{
    public const string Name = "typed";

    private readonly FasterCache<long, TypedValue> _cache;
    private readonly SharedState _state;

    public TypedSubject(FasterCacheOptions options, SharedState state, ILoggerFactory? log = null)
    {
        options.Name = Name;
        _state = state;
        _cache = new FasterCache<long, TypedValue>(options, log);
    }

    public bool TryRead(int key, out Reading reading)
    {
        bool isHit = _cache.TryGet(key, out var value);
        reading = isHit ? value.Read() : default;
        return isHit;
    }

    public void Set(in Reading value)
    {
        TimeSpan? lifetime = value.Lifetime == 0 ? null : TimeSpan.FromMilliseconds(value.Lifetime);
        _cache.Set(value.Key, TypedValue.Of(in value), lifetime);
    }

    public void Remove(int key) => _cache.Remove(key);

    public void Renew(int key)
    {
        if (_state[key].Window is > 0 and var window) _cache.Touch(key, TimeSpan.FromMilliseconds(window));
    }

    public void Clear() => _cache.Clear();

    public void RemoveGroup(int group)
    {
        for (int key = 0; key < _state.Keys; key++)
        {
            if (SharedState.GroupOf(key) == group) _cache.Remove(key);
        }
    }

    public void Resize(long memoryBudget, long diskBudget) => _cache.Resize(memoryBudget, diskBudget);

    public void Flush() => _cache.FlushAsync().AsTask().GetAwaiter().GetResult();

    public bool Checkpoint() => ((IHostedCache)_cache).CheckpointAsync(CancellationToken.None).GetAwaiter().GetResult();

    public CacheStatistics GetStatistics() => _cache.GetStatistics();

    public void Dispose() => _cache.Dispose();
}
