using System.Collections.Concurrent;
using HybridCaching.Benchmarks.Workloads;

namespace HybridCaching.Benchmarks.Contestants;

/// <summary><see cref="ConcurrentDictionary{TKey, TValue}"/>: the floor for whatever fits in memory.</summary>
/// <typeparam name="TKey">The type of the keys.</typeparam>
/// <typeparam name="TKind">How a key is made of the number that a workload draws.</typeparam>
internal sealed class DictionaryContestant<TKey, TKind> : IContestant
    where TKey : unmanaged
    where TKind : IKeyKind<TKey>
{
    private readonly ConcurrentDictionary<TKey, Payload> _entries;

    private DictionaryContestant(string name, ConcurrentDictionary<TKey, Payload> entries)
    {
        Name = name;
        _entries = entries;
    }

    public string Name { get; }

    public long? MemoryInUse => null;

    /// <summary>As <c>new()</c> makes it: it grows while entries are added.</summary>
    public static DictionaryContestant<TKey, TKind> Default() => new("CD()", new());

    /// <summary>Sized for all entries beforehand, with one lock.</summary>
    public static DictionaryContestant<TKey, TKind> Sized(int entries) => new("CD(1,N)", new(concurrencyLevel: 1, capacity: entries));

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
            if (_entries.TryAdd(TKind.Of(key), Payload.For(key))) added++;
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
        foreach (long key in keys) _entries[TKind.Of(key)] = Payload.For(key);
        return keys.Length;
    }

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
                _entries[TKind.Of(key)] = Payload.For(key);
                completed++;
            }
        }

        return completed;
    }

    public int ReadModifyWrite(int worker, ReadOnlySpan<long> keys)
    {
        foreach (long key in keys) _entries.AddOrUpdate(TKind.Of(key), static (_, number) => Payload.For(number), static (_, old, _) => old.Next(), key);
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
