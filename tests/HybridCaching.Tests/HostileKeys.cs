using HybridCaching.Store;

namespace HybridCaching.Tests;

/// <summary>Sets of 65,536 keys of 8 bytes: some an attacker's, some an innocent user's, and random ones to compare them with.</summary>
internal static class HostileKeys
{
    public const int Count = 1 << 16;

    private const int GroupBits = 2;

    /// <summary>The factor of FASTER's own hash of a long (Utility.GetHashCode).</summary>
    private const ulong Factor = 40343;

    private static readonly int[] Strides = [0, 1, 2, 3, 4, 8, 12, 16, 20, 24, 32, 40, 47];

    private static readonly Dictionary<string, Func<IEnumerable<long>>> Makers = new()
    {
        ["equal under FASTER's hash"] = EqualUnderFastersHash,
        ["aimed at another secret"] = AimedAtAnotherSecret,
        ["high bits only"] = () => Numbers().Select(i => i << 48),
        ["high bits set below a counter"] = () => Numbers().Select(i => unchecked((long)0xFFFF_0000_0000_0000) | i),
        ["bit reversals"] = () => Numbers().Select(Reverse),
        ["bit reversals of groups"] = () => Numbers().Select(i => (Reverse(i >> GroupBits) & ~3) | (i & 3)),
        ["groups that differ in two low bits"] = () => RandomGroups(seed: 7),
        ["negative"] = () => Numbers().Select(i => -i),
        ["same in both halves"] = () => Numbers().Select(i => (i << 32) | i),
        ["multiples of the golden ratio"] = () => Numbers().Select(i => i * unchecked((long)0x9E37_79B9_7F4A_7C15)),
    };

    /// <summary>The names of all sets.</summary>
    public static IEnumerable<string> Names => [.. Makers.Keys, .. Strides.Select(bits => $"stride 2^{bits}")];

    public static long[] Of(string name) =>
        [.. name.StartsWith("stride", StringComparison.Ordinal) ? Numbers().Select(i => i << int.Parse(name["stride 2^".Length..])) : Makers[name]()];

    /// <summary>What any hash is good at.</summary>
    public static long[] OfRandom(int seed)
    {
        var random = new Random(seed);
        return [.. Numbers().Select(_ => random.NextInt64(long.MinValue, long.MaxValue))];
    }

    /// <summary>Groups of four neighbours, which share a bucket on purpose; the groups are random.</summary>
    public static IEnumerable<long> RandomGroups(int seed)
    {
        var random = new Random(seed);
        for (int group = 0; group < Count >> GroupBits; group++)
        {
            long first = random.NextInt64(long.MinValue, long.MaxValue) & ~3;
            for (int i = 0; i <= 3; i++) yield return first + i;
        }
    }

    /// <summary>FASTER's own hash of a long.</summary>
    public static ulong FastersHash(long key)
    {
        ulong hash = 8;
        hash = (Factor * hash) + ((ulong)key & 0xFFFF);
        hash = (Factor * hash) + ((ulong)(key >> 16) & 0xFFFF);
        hash = (Factor * hash) + ((ulong)(key >> 32) & 0xFFFF);
        hash = (Factor * hash) + (ulong)(key >> 48);
        return ulong.RotateRight(Factor * hash, 45);
    }

    /// <summary>
    /// The low 19 bits of that hash, which choose the bucket, and the high 14, the tag, are the top 33 before it is rotated. No more than a few keys share all 64 bits;
    /// any number shares those 33. The hash is a number to the base of the factor, so its digits are a key.
    /// </summary>
    private static IEnumerable<long> EqualUnderFastersHash()
    {
        const ulong Start = 0x5EED_0000_0000_0000;
        ulong inverse = Factor;
        for (int i = 0; i < 5; i++) inverse *= 2 - (Factor * inverse);
        ulong ofZero = ulong.RotateLeft(FastersHash(0), 45);
        int count = 0;
        for (ulong hash = Start; count < Count; hash++)
        {
            ulong rest = (hash - ofZero) * inverse;
            ulong w3 = rest % Factor;
            ulong w2 = (rest /= Factor) % Factor;
            ulong w1 = (rest /= Factor) % Factor;
            ulong w0 = rest / Factor;
            if (w0 > ushort.MaxValue || w3 > (ulong)short.MaxValue) continue;
            count++;
            yield return (long)((w3 << 48) | (w2 << 32) | (w1 << 16) | w0);
        }
    }

    /// <summary>Keys that fill a few buckets of a store whose secret is known.</summary>
    private static IEnumerable<long> AimedAtAnotherSecret()
    {
        const ulong BucketBits = 0xFF;
        var known = new KeyHasher([0x0123_4567_89AB_CDEF, 0xFEDC_BA98_7654_3211, 0x0F1E_2D3C_4B5A_6978, 0x8796_A5B4_C3D2_E1F1]);
        int count = 0;
        for (long key = 0; count < Count; key++)
        {
            if ((known.Hash(in key) & BucketBits) != 0) continue;
            count++;
            yield return key;
        }
    }

    private static IEnumerable<long> Numbers() => Enumerable.Range(0, Count).Select(i => (long)i);

    private static long Reverse(long value)
    {
        ulong reversed = 0;
        for (int i = 0; i < 64; i++) reversed |= (((ulong)value >> i) & 1) << (63 - i);
        return (long)reversed;
    }
}
