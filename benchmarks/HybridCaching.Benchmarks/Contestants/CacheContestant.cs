using HybridCaching.Benchmarks.Workloads;

namespace HybridCaching.Benchmarks.Contestants;

/// <summary>The library: <see cref="FasterCache{TKey, TValue}"/> through its public members.</summary>
/// <typeparam name="TKey">The type of the keys.</typeparam>
/// <typeparam name="TKind">How a key is made of the number that a workload draws.</typeparam>
/// <typeparam name="TRecord">The type of the values.</typeparam>
internal sealed class CacheContestant<TKey, TKind, TRecord> : IContestant
    where TKey : unmanaged, IEquatable<TKey>
    where TKind : IKeyKind<TKey>
    where TRecord : unmanaged, IRecord<TRecord>
{
    private const int BatchKeys = 256;

    private readonly TKey[] _batchOfKeys = new TKey[BatchKeys];
    private readonly TRecord[] _batchOfValues = new TRecord[BatchKeys];
    private readonly WorkDirectory? _directory;
    private readonly FasterCache<TKey, TRecord> _cache;

    private CacheContestant(WorkDirectory? directory, long memoryBudget, long diskBudget)
    {
        _directory = directory;
        _cache = new FasterCache<TKey, TRecord>(new FasterCacheOptions
        {
            Name = "benchmark",
            Directory = directory?.Path,
            MemoryBudget = memoryBudget,
            DiskBudget = diskBudget,
            WhenDirectoryUnavailable = DirectoryUnavailable.Throw,
        });
    }

    public string Name => "FasterCache";

    public long? MemoryInUse => _cache.GetMemoryUsage().Total;

    public TierHits? Hits => _cache.GetStatistics() is { } statistics ? new TierHits(statistics.MemoryHits, statistics.DiskHits, statistics.Misses) : null;

    public FasterCache<TKey, TRecord> Cache => _cache;

    /// <summary>With the budgets of a share of the data.</summary>
    public static CacheContestant<TKey, TKind, TRecord> At(int entries, MemoryShare share)
    {
        var sizes = EntrySizes.Of<TKey, TRecord>();
        long memory = Budgets.Memory(entries, share, sizes);
        return share.IsMemoryOnly ? MemoryOnly(memory) : OnDisk(memory, Budgets.Disk(entries, sizes));
    }

    public static CacheContestant<TKey, TKind, TRecord> OnDisk(long memoryBudget, long diskBudget) => new(new WorkDirectory(), memoryBudget, diskBudget);

    public static CacheContestant<TKey, TKind, TRecord> MemoryOnly(long memoryBudget) => new(null, memoryBudget, FasterCacheOptions.DefaultDiskBudget);

    public int Add(int worker, ReadOnlySpan<long> keys)
    {
        foreach (long key in keys) _cache.Set(TKind.Of(key), TRecord.For(key));
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

    /// <summary>As <see cref="Add"/>, in batches.</summary>
    public int SetMany(ReadOnlySpan<long> keys)
    {
        for (int start = 0; start < keys.Length; start += BatchKeys)
        {
            int count = Math.Min(BatchKeys, keys.Length - start);
            for (int i = 0; i < count; i++) (_batchOfKeys[i], _batchOfValues[i]) = (TKind.Of(keys[start + i]), TRecord.For(keys[start + i]));
            _cache.SetMany(_batchOfKeys.AsSpan(0, count), _batchOfValues.AsSpan(0, count));
        }

        return keys.Length;
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
                _cache.Set(TKind.Of(~draw), TRecord.For(~draw));
                completed++;
            }
        }

        return completed;
    }

    public int ReadModifyWrite(int worker, ReadOnlySpan<long> keys)
    {
        long number = 0;
        Func<TKey, TRecord> add = _ => TRecord.For(number);
        for (int i = 0; i < keys.Length; i++)
        {
            number = keys[i];
            _cache.AddOrUpdate(TKind.Of(number), add, static (_, old) => old.Next());
        }

        return keys.Length;
    }

    public void Dispose()
    {
        _cache.Dispose();
        _directory?.Dispose();
    }

    private bool TryRead(long key)
    {
        if (!_cache.TryGet(TKind.Of(key), out var value)) return false;
        if (!value.BelongsTo(key)) Verdict.WrongValue(key);
        return true;
    }
}
