using System.Runtime.CompilerServices;

namespace HybridCaching.Benchmarks.Workloads;

/// <summary>A record of 1 KiB that says at its beginning, in its middle and at its end whose it is.</summary>
[InlineArray(Words)]
internal struct Kilobyte : IRecord<Kilobyte>
{
    private const int Words = 128;

    private long _first;

    public static Kilobyte For(long key)
    {
        Kilobyte record = default;
        (record[0], record[Words / 2], record[Words - 1]) = (key, ~key, key);
        return record;
    }

    public readonly bool BelongsTo(long key) => this[0] == key && this[Words / 2] == ~key && this[Words - 1] == key;

    public readonly Kilobyte Next() => this;
}
