using HybridCaching.Benchmarks.Workloads;
using Microsoft.Extensions.Caching.Memory;

namespace HybridCaching.Benchmarks.Contestants;

/// <summary><see cref="MemoryCache"/> with arrays by text key, without a limit: it keeps the very arrays it is given and hands them out again.</summary>
internal sealed class MemoryCacheContestant(ByteEntries entries) : IContestant
{
    public const string Class = nameof(MemoryCache);

    private readonly MemoryCache _cache = new(new MemoryCacheOptions());

    public string Name => Class;

    public long? MemoryInUse => null;

    public int Add(int worker, ReadOnlySpan<long> keys)
    {
        foreach (long key in keys) _cache.Set(entries.Key(key), entries.Value(key));
        return keys.Length;
    }

    public int Read(int worker, ReadOnlySpan<long> keys)
    {
        int found = 0;
        foreach (long key in keys)
        {
            if (TryRead(key)) found++;
        }

        return found;
    }

    public int Overwrite(int worker, ReadOnlySpan<long> keys) => Add(worker, keys);

    public int Mix(int worker, ReadOnlySpan<long> draws)
    {
        int completed = 0;
        foreach (long draw in draws)
        {
            if (draw >= 0)
            {
                if (TryRead(draw)) completed++;
            }
            else
            {
                _cache.Set(entries.Key(~draw), entries.Value(~draw));
                completed++;
            }
        }

        return completed;
    }

    public int ReadModifyWrite(int worker, ReadOnlySpan<long> keys) => throw new NotSupportedException();

    public void Dispose() => _cache.Dispose();

    private bool TryRead(long key)
    {
        if (!_cache.TryGetValue(entries.Key(key), out byte[]? value)) return false;
        ValueStamp.Check(key, value);
        return true;
    }
}
