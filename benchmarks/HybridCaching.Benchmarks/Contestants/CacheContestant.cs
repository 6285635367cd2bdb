using System.Runtime.CompilerServices;
using HybridCaching.Benchmarks.Workloads;

namespace HybridCaching.Benchmarks.Contestants;

/// <summary>The library: <see cref="FasterCache{TKey, TValue}"/> through its public members.</summary>
/// <typeparam name="TKey">The type of the keys.</typeparam>
/// <typeparam name="TKind">How a key is made of the number that a workload draws.</typeparam>
internal sealed class CacheContestant<TKey, TKind> : IContestant
    where TKey : unmanaged, IEquatable<TKey>
    where TKind : IKeyKind<TKey>
{
    private const int BatchKeys = 256;

    private readonly TKey[] _batchOfKeys = new TKey[BatchKeys];
    private readonly Payload[] _batchOfValues = new Payload[BatchKeys];
    private readonly WorkDirectory? _directory;
    private readonly FasterCache<TKey, Payload> _cache;

    private CacheContestant(WorkDirectory? directory, long memoryBudget, long diskBudget)
    {
        _directory = directory;
        _cache = new FasterCache<TKey, Payload>(new FasterCacheOptions
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

    public FasterCache<TKey, Payload> Cache => _cache;

    /// <summary>With the budgets of a share of the data.</summary>
    public static CacheContestant<TKey, TKind> At(int entries, MemoryShare share)
    {
        long memory = Budgets.Memory(entries, share, Unsafe.SizeOf<TKey>());
        return share.IsMemoryOnly ? MemoryOnly(memory) : OnDisk(memory, Budgets.Disk(entries, Unsafe.SizeOf<TKey>()));
    }

    public static CacheContestant<TKey, TKind> OnDisk(long memoryBudget, long diskBudget) => new(new WorkDirectory(), memoryBudget, diskBudget);

    public static CacheContestant<TKey, TKind> MemoryOnly(long memoryBudget) => new(null, memoryBudget, FasterCacheOptions.DefaultDiskBudget);

    public int Add(int worker, ReadOnlySpan<long> keys)
    {
        foreach (long key in keys) _cache.Set(TKind.Of(key), Payload.For(key));
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
            for (int i = 0; i < count; i++) (_batchOfKeys[i], _batchOfValues[i]) = (TKind.Of(keys[start + i]), Payload.For(keys[start + i]));
            _cache.SetMany(_batchOfKeys.AsSpan(0, count), _batchOfValues.AsSpan(0, count));
        }

        return keys.Length;
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
                _cache.Set(TKind.Of(key), Payload.For(key));
                completed++;
            }
        }

        return completed;
    }

    public int ReadModifyWrite(int worker, ReadOnlySpan<long> keys)
    {
        long number = 0;
        Func<TKey, Payload> add = _ => Payload.For(number);
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
