using System.Buffers;
using System.Globalization;
using HybridCaching.HitRate.Traces;
using Microsoft.Extensions.Caching.Distributed;

namespace HybridCaching.HitRate.Replay;

/// <summary>The cache of bytes: keys as text of 16 digits, values of any length.</summary>
internal sealed class BytesReplay : IReplayedCache
{
    /// <summary>Bytes of a key.</summary>
    public const int KeyBytes = 16;

    /// <summary>The shortest entry whose value can be told from another.</summary>
    public const int LeastEntryBytes = KeyBytes + ValueStamp.LeastBytes;

    private static readonly DistributedCacheEntryOptions NeverExpires = new();

    private readonly Trace _trace;
    private readonly long _unitBytes;
    private readonly string[] _keys;
    private readonly byte[] _value;
    private readonly FasterDistributedCache _cache;

    public BytesReplay(Trace trace, long unitBytes, CacheBudgets budgets, WorkDirectory directory, WarningCollector warnings)
    {
        _trace = trace;
        _unitBytes = unitBytes;
        _keys = new string[trace.Distinct];
        long longest = unitBytes * trace.Weights.Max();
        var options = budgets.Apply(new FasterDistributedCacheOptions(), directory);
        options.MaximumValueBytes = longest;
        options.TypicalEntryBytes = Math.Min(longest, budgets.TypicalEntryBytes);
        _cache = new FasterDistributedCache(options, warnings);
        _value = new byte[longest];
    }

    public bool TryGet(int id)
    {
        if (!_cache.TryGet(KeyOf(id), _value, out int length)) return false;
        if (length != LengthOf(id)) Verdict.WrongValue(_trace.Keys[id]);
        ValueStamp.Check(_trace.Keys[id], _value.AsSpan(0, length));
        return true;
    }

    public void Set(int id)
    {
        int length = LengthOf(id);
        ValueStamp.Put(_trace.Keys[id], _value.AsSpan(0, length));
        _cache.Set(KeyOf(id), new ReadOnlySequence<byte>(_value, 0, length), NeverExpires);
    }

    public long SmallestLogBytes => _cache.Tiers.Plan.SmallestLogBytes;

    public CacheStatistics GetStatistics() => _cache.GetStatistics();

    public MemoryUsage GetMemoryUsage() => _cache.GetMemoryUsage();

    public void Dispose()
    {
        _cache.Clear(); // nobody will want the files: a checkpoint of them would bring all to the disk
        _cache.Dispose();
    }

    private string KeyOf(int id) => _keys[id] ??= _trace.Keys[id].ToString("x16", CultureInfo.InvariantCulture);

    private int LengthOf(int id) => (int)(_trace.Weights[id] * _unitBytes) - KeyBytes;
}
