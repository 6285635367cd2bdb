using System.Runtime.InteropServices;
using HybridCaching.HitRate.Traces;

namespace HybridCaching.HitRate.Replay;

/// <summary>The typed cache: keys as the trace has them, values of one length.</summary>
internal sealed class TypedReplay<TValue> : IReplayedCache
    where TValue : unmanaged
{
    private readonly long[] _keys;
    private readonly FasterCache<long, TValue> _cache;
    private TValue _value;

    public TypedReplay(Trace trace, CacheBudgets budgets, WorkDirectory directory, WarningCollector warnings)
    {
        _keys = trace.Keys;
        _cache = new FasterCache<long, TValue>(budgets.Apply(new FasterCacheOptions(), directory), warnings);
    }

    private Span<byte> Bytes => MemoryMarshal.AsBytes(MemoryMarshal.CreateSpan(ref _value, 1));

    public bool TryGet(int id)
    {
        if (!_cache.TryGet(_keys[id], out _value)) return false;
        ValueStamp.Check(_keys[id], Bytes);
        return true;
    }

    public void Set(int id)
    {
        ValueStamp.Put(_keys[id], Bytes);
        _cache.Set(_keys[id], in _value);
    }

    public long SmallestLogBytes => _cache.Tiers.Plan.SmallestLogBytes;

    public CacheStatistics GetStatistics() => _cache.GetStatistics();

    public MemoryUsage GetMemoryUsage() => _cache.GetMemoryUsage();

    public void Dispose()
    {
        _cache.Clear(); // nobody will want the files: a checkpoint of them would bring all to the disk
        _cache.Dispose();
    }
}
