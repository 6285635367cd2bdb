namespace HybridCaching.Tests.Concurrency;

/// <summary>A value of five words, all derived from who wrote it to which key and as his how-manieth: half of one and half of another cannot look whole.</summary>
public readonly record struct Quint(long Key, long Writer, long Sequence, ulong Check, ulong Mirror)
{
    public bool IsWhole => this == Of(Key, Writer, Sequence);

    public static Quint Of(long key, long writer, long sequence)
    {
        ulong check = Mix((ulong)key) ^ Mix((ulong)writer + 0x1000_0000) ^ Mix((ulong)sequence + 0x2000_0000_0000);
        return new Quint(key, writer, sequence, check, ~Mix(check));
    }

    private static ulong Mix(ulong x)
    {
        x = (x ^ (x >> 30)) * 0xBF58_476D_1CE4_E5B9;
        x = (x ^ (x >> 27)) * 0x94D0_49BB_1331_11EB;
        return x ^ (x >> 31);
    }
}
