using System.Runtime.CompilerServices;

namespace HybridCaching.Benchmarks.Workloads;

/// <summary>A record of 100 bytes that says at its beginning, in its middle and at its end whose it is, in halves of the key.</summary>
[InlineArray(Words)]
internal struct Hundred : IRecord<Hundred>
{
    private const int Words = 25;

    private int _first;

    public static Hundred For(long key)
    {
        Hundred record = default;
        (record[0], record[1], record[Words / 2], record[Words - 1]) = ((int)key, (int)(key >> 32), ~(int)key, (int)key);
        return record;
    }

    public readonly bool BelongsTo(long key) => this[0] == (int)key && this[1] == (int)(key >> 32) && this[Words / 2] == ~(int)key && this[Words - 1] == (int)key;

    public readonly Hundred Next() => this;
}
