namespace HybridCaching.Throughput.Workloads;

/// <summary>The hash that YCSB makes keys with, so that neighbours in the order of storing are none in the order of keys: FNV-1a of the eight bytes of a number.</summary>
internal static class KeyHash
{
    private const ulong Offset = 0xCBF2_9CE4_8422_2325;
    private const ulong Prime = 0x0000_0100_0000_01B3;

    /// <summary>Never negative.</summary>
    public static long Of(long number)
    {
        ulong hash = Offset;
        for (int shift = 0; shift < 64; shift += 8) hash = (hash ^ (byte)(number >> shift)) * Prime;
        return (long)(hash & long.MaxValue);
    }
}
