using System.Collections.Concurrent;
using HybridCaching.Benchmarks.Workloads;

namespace HybridCaching.Benchmarks.Contestants;

/// <summary><see cref="ConcurrentDictionary{TKey, TValue}"/>: the floor for whatever fits in memory.</summary>
/// <typeparam name="TKey">The type of the keys.</typeparam>
/// <typeparam name="TKind">How a key is made of the number that a workload draws.</typeparam>
/// <typeparam name="TRecord">The type of the values.</typeparam>
internal sealed class DictionaryContestant<TKey, TKind, TRecord> : IContestant
    where TKey : unmanaged
    where TKind : IKeyKind<TKey>
    where TRecord : unmanaged, IRecord<TRecord>
{
    private readonly ConcurrentDictionary<TKey, TRecord> _entries;

    private DictionaryContestant(string name, ConcurrentDictionary<TKey, TRecord> entries)
    {
        Name = name;
        _entries = entries;
    }

    public string Name { get; }

    public long? MemoryInUse => null;

    /// <summary>As <c>new()</c> makes it: it grows while entries are added.</summary>
    public static DictionaryContestant<TKey, TKind, TRecord> Default() => new("CD()", new());

    /// <summary>Sized for all entries beforehand, with one lock.</summary>
    public static DictionaryContestant<TKey, TKind, TRecord> Sized(int entries) => new("CD(1,N)", new(concurrencyLevel: 1, capacity: entries));

    /// <summary>How much the managed heap grows by a dictionary of so many entries.</summary>
    public static long MeasureMemory(int entries)
    {
        long[] keys = Keys.All(entries, KeyOrder.Sequential);
        long before = Heap.Live();
        using var dictionary = Default();
        dictionary.Add(worker: 0, keys);
        long growth = Heap.Live() - before;
        GC.KeepAlive(keys);
        return growth;
    }

    public int Add(int worker, ReadOnlySpan<long> keys)
    {
        int added = 0;
        foreach (long key in keys)
        {
            if (_entries.TryAdd(TKind.Of(key), TRecord.For(key))) added++;
        }

        return added;
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

    public int Overwrite(int worker, ReadOnlySpan<long> keys)
    {
        foreach (long key in keys) _entries[TKind.Of(key)] = TRecord.For(key);
        return keys.Length;
    }

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
                _entries[TKind.Of(~draw)] = TRecord.For(~draw);
                completed++;
            }
        }

        return completed;
    }

    public int ReadModifyWrite(int worker, ReadOnlySpan<long> keys)
    {
        foreach (long key in keys) _entries.AddOrUpdate(TKind.Of(key), static (_, number) => TRecord.For(number), static (_, old, _) => old.Next(), key);
        return keys.Length;
    }

    public void Dispose() => _entries.Clear();

    private bool TryRead(long key)
    {
        if (!_entries.TryGetValue(TKind.Of(key), out var value)) return false;
        if (!value.BelongsTo(key)) Verdict.WrongValue(key);
        return true;
    }
}
