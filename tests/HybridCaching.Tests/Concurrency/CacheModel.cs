namespace HybridCaching.Tests.Concurrency;

/// <summary>What a cache that forgets nothing would answer.</summary>
internal sealed class CacheModel(TimeProvider clock)
{
    private readonly Dictionary<long, (long Value, DateTimeOffset Deadline)> _entries = [];

    public long? Get(long key) => _entries.TryGetValue(key, out var entry) && clock.GetUtcNow() < entry.Deadline ? entry.Value : null;

    public void Set(long key, long value, TimeSpan timeToLive) => _entries[key] = (value, timeToLive == Timeout.InfiniteTimeSpan ? DateTimeOffset.MaxValue : clock.GetUtcNow() + timeToLive);

    public bool TryAdd(long key, long value, TimeSpan timeToLive)
    {
        if (Get(key) is not null) return false;
        Set(key, value, timeToLive);
        return true;
    }

    public bool Touch(long key, TimeSpan timeToLive)
    {
        if (Get(key) is not { } value) return false;
        Set(key, value, timeToLive);
        return true;
    }

    public bool Remove(long key)
    {
        bool present = Get(key) is not null;
        _entries.Remove(key);
        return present;
    }

    public void Clear() => _entries.Clear();
}
