using System.Numerics;
using System.Runtime.InteropServices;
using HybridCaching.Records;
using HybridCaching.Store;

namespace HybridCaching.Tests.Store;

public sealed class KeyHasherTests
{
    private const int Keys = 1 << 16;
    private const int BucketBits = 12;
    private const int TagBits = 14;

    /// <summary>Random, as those of a store are; a secret with a pattern mixes less well.</summary>
    private static readonly ulong[][] Secrets =
    [
        [0x6A09_E667_F3BC_C908, 0xBB67_AE85_84CA_A73B, 0x3C6E_F372_FE94_F82B, 0xA54F_F53A_5F1D_36F1],
        [0x9E37_79B9_7F4A_7C15, 0xBF58_476D_1CE4_E5B9, 0x94D0_49BB_1331_11EB, 0xD6E8_FEB8_6659_FD93],
        [0x2D35_8DCC_AA6C_78A5, 0x8BB8_4B93_962E_ACC9, 0x4B33_A62E_D433_D4A3, 0xA076_1D64_78BD_642F],
        [0xE703_7ED1_A0B4_28DB, 0x8EBC_6AF0_9C88_C6E3, 0x5899_65CC_7537_4CC3, 0x1D8E_4E27_C47D_124F],
    ];

    /// <summary>A stride larger than this repeats keys.</summary>
    public static TheoryData<int> Strides => [.. Enumerable.Range(2, 47)];

    /// <summary>One key in 16,384 would have it.</summary>
    [Fact]
    public void Hash_ManyKeys_HasNoTagZero()
    {
        var hasher = new KeyHasher(Secrets[0]);
        for (int i = 0; i < 4 * Keys; i++)
        {
            Assert.NotEqual(0, TagOf(hasher.Hash((ulong)i)));
            Assert.NotEqual(0, TagOf(hasher.Hash(new UInt128((ulong)i, 0))));
            Assert.NotEqual(0, TagOf(hasher.Hash(MemoryMarshal.AsBytes($"key {i}".AsSpan()))));
        }
    }

    [Fact]
    public void Hash_SequentialKeys_SpreadsTheirGroupsOverBuckets() => AssertSpread(i => (ulong)i * 4, BucketOf);

    [Theory]
    [MemberData(nameof(Strides))]
    public void Hash_KeysAStrideApart_SpreadsOverBuckets(int bits) => AssertSpread(i => (ulong)i << bits, BucketOf);

    [Theory]
    [MemberData(nameof(Strides))]
    public void Hash_KeysAStrideApart_SpreadsOverTags(int bits) => AssertSpread(i => (ulong)i << bits, TagOf);

    [Fact]
    public void Hash_HighBitsOnly_SpreadsOverBuckets() => AssertSpread(i => (ulong)i << 48, BucketOf);

    [Fact]
    public void Hash_HighBitsSetBelowACounter_SpreadsOverBuckets() => AssertSpread(i => 0xFFFF_0000_0000_0000 | ((ulong)i << 2), BucketOf);

    [Fact]
    public void Hash_NegativeKeys_SpreadsOverBuckets() => AssertSpread(i => (ulong)-((long)i * 4), BucketOf);

    [Fact]
    public void Hash_BitReversedKeys_SpreadsOverBuckets() => AssertSpread(i => Reverse((ulong)i), BucketOf);

    [Fact]
    public void Hash_BitReversedKeys_SpreadsOverTags() => AssertSpread(i => Reverse((ulong)i), TagOf);

    [Fact]
    public void Hash_SequentialWideKeysInTheFirstWord_SpreadsOverBuckets() => AssertSpread(i => new UInt128(0, (ulong)i), BucketOf);

    [Fact]
    public void Hash_SequentialWideKeysInTheSecondWord_SpreadsOverBuckets() => AssertSpread(i => new UInt128((ulong)i, 0), BucketOf);

    [Fact]
    public void Hash_WideKeysWithEqualWords_SpreadsOverBuckets() => AssertSpread(i => new UInt128((ulong)i, (ulong)i), BucketOf);

    [Fact]
    public void Hash_WideKeysWithComplementaryWords_SpreadsOverTags() => AssertSpread(i => new UInt128((ulong)i, ~(ulong)i), TagOf);

    [Fact]
    public void Hash_FourNeighbours_ShareTheLowBits()
    {
        foreach (var hasher in Hashers())
        {
            for (ulong key = 0; key < 4096; key += 4) Assert.Single(Neighbours(hasher, key).Select(hash => hash << TagBits).Distinct());
        }
    }

    [Fact]
    public void Hash_FourNeighbours_DifferInTheTag()
    {
        foreach (var hasher in Hashers())
        {
            for (ulong key = 0; key < 4096; key += 4) Assert.Equal(4, Neighbours(hasher, key).Select(TagOf).Distinct().Count());
        }
    }

    [Fact]
    public void Hash_DistinctNarrowKeys_AreDistinct()
    {
        foreach (var hasher in Hashers()) Assert.Equal(Keys, Enumerable.Range(0, Keys).Select(i => hasher.Hash((ulong)i)).Distinct().Count());
    }

    [Fact]
    public void Hash_SameSecret_IsTheSame() => Assert.Equal(new KeyHasher(Secrets[0]).Hash(42UL), new KeyHasher(Secrets[0]).Hash(42UL));

    [Fact]
    public void Hash_OtherSecret_IsAnotherOrder()
    {
        var orders = Hashers().Select(hasher => string.Join(',', Enumerable.Range(0, 64).OrderBy(i => hasher.Hash((ulong)i * 4) << TagBits))).ToList();
        Assert.Equal(orders.Count, orders.Distinct().Count());
    }

    [Theory]
    [InlineData(0)]
    [InlineData(1)]
    [InlineData(2)]
    [InlineData(3)]
    public void Hash_OneWordOfTheSecretChanged_IsAnotherHash(int word)
    {
        ulong[] other = [.. Secrets[0]];
        other[word] ^= 0x10;
        Assert.NotEqual(new KeyHasher(Secrets[0]).Hash(42UL), new KeyHasher(other).Hash(42UL));
    }

    [Fact]
    public void Hash_Key8_EveryByteMatters() => AssertEveryByteMatters<PaddedKeys.Key8>();

    [Fact]
    public void Hash_Key16_EveryByteMatters() => AssertEveryByteMatters<PaddedKeys.Key16>();

    [Fact]
    public void Hash_Key24_EveryByteMatters() => AssertEveryByteMatters<PaddedKeys.Key24>();

    [Fact]
    public void Hash_Key32_EveryByteMatters() => AssertEveryByteMatters<PaddedKeys.Key32>();

    [Fact]
    public void Hash_Key64_EveryByteMatters() => AssertEveryByteMatters<PaddedKeys.Key64>();

    [Fact]
    public void Hash_Key128_EveryByteMatters() => AssertEveryByteMatters<PaddedKeys.Key128>();

    [Fact]
    public void Hash_Key256_EveryByteMatters() => AssertEveryByteMatters<PaddedKeys.Key256>();

    private static IEnumerable<KeyHasher> Hashers() => Secrets.Select(secret => new KeyHasher(secret));

    private static IEnumerable<ulong> Neighbours(KeyHasher hasher, ulong key) => Enumerable.Range(0, 4).Select(i => hasher.Hash(key + (ulong)i));

    private static int BucketOf(ulong hash) => (int)(hash & ((1 << BucketBits) - 1));

    private static int TagOf(ulong hash) => (int)(hash >> (64 - TagBits));

    private static ulong Reverse(ulong value)
    {
        ulong reversed = 0;
        for (int i = 0; i < 64; i++) reversed |= ((value >> i) & 1) << (63 - i);
        return reversed;
    }

    /// <summary>The chi-square statistic of so many cells is their number plus or minus its deviation, the root of twice that; six deviations are never seen by chance.</summary>
    [Fact]
    public void Hash_BytesOfAnyLengthWithABitFlipped_IsAnother()
    {
        var hasher = new KeyHasher(Secrets[0]);
        for (int length = 1; length <= 60; length++)
        {
            byte[] key = [.. Enumerable.Range(0, length).Select(i => (byte)(i * 7))];
            ulong hash = hasher.Hash(key.AsSpan());
            for (int bit = 0; bit < 8 * length; bit++)
            {
                key[bit / 8] ^= (byte)(1 << (bit % 8));
                Assert.NotEqual(hash, hasher.Hash(key.AsSpan()));
                key[bit / 8] ^= (byte)(1 << (bit % 8));
            }
        }
    }

    [Fact]
    public void Hash_ZerosOfDifferentLengths_AreDifferent()
    {
        var hasher = new KeyHasher(Secrets[0]);
        Assert.Equal(64, Enumerable.Range(1, 64).Select(length => hasher.Hash(new byte[length].AsSpan())).Distinct().Count());
    }

    /// <summary>One character less and another first one: the length must not stand beside the characters in the hash.</summary>
    [Fact]
    public void Hash_OneCharacterAgainAndAgainBehindANumber_IsAlwaysAnother()
    {
        var hasher = new KeyHasher(Secrets[0]);
        var hashes = Enumerable.Range(0, 20_000).Select(i => hasher.Hash(KeyText.Encode($"{i >> 8}{new string('x', i & 0xFF)}").AsSpan())).ToList();

        Assert.Equal(hashes.Count, hashes.Distinct().Count());
    }

    [Fact]
    public void HashNarrowed_AsciiOfAnyLengthItTakes_IsThatOfTheBytes()
    {
        var hasher = new KeyHasher(Secrets[0]);
        for (int length = KeyHasher.FewestNarrowed; length <= KeyHasher.MostNarrowed; length++)
        {
            string text = string.Concat(Enumerable.Range(0, length).Select(i => (char)('0' + (i * 7 % 70))));
            byte[] encoded = KeyText.Encode(text);
            Assert.Equal(hasher.Hash(encoded.AsSpan()), hasher.HashNarrowed(text, encoded[0]));
        }
    }

    private static void AssertSpread<TKey>(Func<int, TKey> key, Func<ulong, int> cellOf)
        where TKey : unmanaged
    {
        foreach (var hasher in Hashers())
        {
            int cells = cellOf(ulong.MaxValue) + 1;
            var counts = new int[cells];
            for (int i = 0; i < Keys; i++) counts[cellOf(hasher.Hash(key(i)))]++;
            double expected = Keys / (double)cells;
            double statistic = counts.Sum(count => (count - expected) * (count - expected) / expected);
            Assert.InRange(statistic, 0, cells + (6 * Math.Sqrt(2 * cells)));
        }
    }

    private static void AssertEveryByteMatters<TKey>()
        where TKey : unmanaged
    {
        foreach (var hasher in Hashers())
        {
            TKey key = default;
            var bytes = System.Runtime.InteropServices.MemoryMarshal.AsBytes(new Span<TKey>(ref key));
            new Random(7).NextBytes(bytes);
            ulong before = hasher.Hash(in key);
            for (int at = 0; at < bytes.Length; at++)
            {
                for (int bit = 0; bit < 8; bit++)
                {
                    bytes[at] ^= (byte)(1 << bit);
                    int changed = BitOperations.PopCount(before ^ hasher.Hash(in key));
                    bytes[at] ^= (byte)(1 << bit);
                    bool isLowBitOfGroup = bytes.Length == 8 && at == 0 && bit < 2;
                    Assert.True(isLowBitOfGroup ? changed == 1 : changed >= 8, $"byte {at}, bit {bit} changes {changed} bits of the hash");
                }
            }
        }
    }
}
