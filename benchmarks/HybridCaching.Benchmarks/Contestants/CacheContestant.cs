using HybridCaching.Benchmarks.Workloads;

namespace HybridCaching.Benchmarks.Contestants;

/// <summary>The library: <see cref="FasterCache{TKey, TValue}"/> through its public members.</summary>
internal sealed class CacheContestant : IContestant
{
    private readonly WorkDirectory? _directory;
    private readonly FasterCache<long, Payload> _cache;

    private CacheContestant(WorkDirectory? directory, long memoryBudget, long diskBudget)
    {
        _directory = directory;
        _cache = new FasterCache<long, Payload>(new FasterCacheOptions
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

    public FasterCache<long, Payload> Cache => _cache;

    /// <summary>With the budgets of a share of the data.</summary>
    public static CacheContestant At(int entries, MemoryShare share) =>
        share.IsMemoryOnly ? MemoryOnly(Budgets.Memory(entries, share)) : OnDisk(Budgets.Memory(entries, share), Budgets.Disk(entries));

    public static CacheContestant OnDisk(long memoryBudget, long diskBudget) => new(new WorkDirectory(), memoryBudget, diskBudget);

    public static CacheContestant MemoryOnly(long memoryBudget) => new(null, memoryBudget, FasterCacheOptions.DefaultDiskBudget);

    public int Add(int worker, ReadOnlySpan<long> keys)
    {
        foreach (long key in keys) _cache.Set(key, Payload.For(key));
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

    public int ReadAndOverwrite(int worker, ReadOnlySpan<long> keys)
    {
        int completed = 0;
        for (int i = 0; i < keys.Length; i++)
        {
            long key = keys[i];
            if ((i & 1) == 0)
            {
                if (TryRead(key)) completed++;
            }
            else
            {
                _cache.Set(key, Payload.For(key));
                completed++;
            }
        }

        return completed;
    }

    public int ReadModifyWrite(int worker, ReadOnlySpan<long> keys)
    {
        foreach (long key in keys)
        {
            bool found = _cache.TryGet(key, out var value);
            if (found && !value.BelongsTo(key)) Verdict.WrongValue(key);
            _cache.Set(key, found ? value.Next() : Payload.For(key));
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
        if (!_cache.TryGet(key, out var value)) return false;
        if (!value.BelongsTo(key)) Verdict.WrongValue(key);
        return true;
    }
}
