using System.Runtime.CompilerServices;

namespace HybridCaching.Benchmarks.Restart;

/// <summary>The value of entries of 100 bytes, their key of 8 bytes and their header of 4 counted. All of it tells the key.</summary>
[InlineArray(Words)]
internal struct Entry100
{
    private const int Words = 11;

    private long _word;

    public static Entry100 Of(long key)
    {
        var entry = new Entry100();
        for (int i = 0; i < Words; i++) entry[i] = key ^ i;
        return entry;
    }

    /// <summary>Whether it was stored under a key.</summary>
    public readonly bool IsOf(long key)
    {
        for (int i = 0; i < Words; i++)
        {
            if (this[i] != (key ^ i)) return false;
        }

        return true;
    }
}
