using System.Runtime.InteropServices;
using HybridCaching.Store;

namespace HybridCaching.Tests.Store;

/// <summary>Eight words compared at once say what one after the other says.</summary>
public sealed unsafe class SettledPlacesTests : IDisposable
{
    private const int MainShift = 61;
    private const ulong AddressMask = (1UL << SettledIndex.MostAddressBits) - 1;
    private const long First = 1L << 48;

    private readonly ulong* _bucket = (ulong*)NativeMemory.AlignedAlloc(SettledIndex.BucketWords * sizeof(ulong), 64);
    private readonly Random _random = new(11);

    public void Dispose() => NativeMemory.AlignedFree(_bucket);

    [Fact]
    public void Matching_AnyWords_IsWhatEachSays()
    {
        for (int round = 0; round < 100_000; round++)
        {
            Fill(_ => (ulong)_random.NextInt64() & 0xF);
            ulong mask = (ulong)_random.Next(16);
            ulong pattern = (ulong)_random.Next(16) & mask;

            Assert.Equal(OneByOne(word => (word & mask) == pattern), SettledIndex.Matching(_bucket, mask, pattern));
        }
    }

    [Fact]
    public void Matching_HighestAndLowestBits_Count()
    {
        Fill(i => i % 2 == 0 ? ulong.MaxValue : 1UL << (i * 9));

        Assert.Equal(0b0101_0101u, SettledIndex.Matching(_bucket, ulong.MaxValue, ulong.MaxValue));
        for (int i = 1; i < SettledIndex.BucketWords; i += 2) Assert.Equal(1u << i, SettledIndex.Matching(_bucket, ulong.MaxValue, 1UL << (i * 9)));
    }

    /// <summary>Words near both ends of both extents, also where addresses wrap round, and empty places.</summary>
    [Fact]
    public void Live_AnyWordsAndExtents_IsWhatEachSays()
    {
        for (int round = 0; round < 100_000; round++)
        {
            var probation = AnyExtent(_random.NextInt64(1L << 46));
            var main = AnyExtent(First + _random.NextInt64(1L << 46));
            Fill(_ => AnyWord(in probation, in main));

            Assert.Equal(OneByOne(word => IsLive(word, in probation, in main)), SettledIndex.Live(_bucket, in probation, in main, AddressMask));
            Assert.Equal(OneByOne(word => word != 0 && !IsLive(word, in probation, in main)), SettledIndex.Dead(_bucket, in probation, in main, AddressMask));
        }
    }

    [Fact]
    public void Live_NothingInUse_IsNone()
    {
        Fill(i => (ulong)i + 1);

        Assert.Equal(0u, SettledIndex.Live(_bucket, default, new Extent(First, First), AddressMask));
    }

    private static bool IsLive(ulong word, in Extent probation, in Extent main)
    {
        var extent = (word & (1UL << MainShift)) != 0 ? main : probation;
        long units = extent.Begin / SettledIndex.AddressUnit;
        long behind = (long)((word - (ulong)units) & AddressMask);
        return word != 0 && (units + behind) * SettledIndex.AddressUnit < extent.Tail;
    }

    private Extent AnyExtent(long begin)
    {
        begin = begin / SettledIndex.AddressUnit * SettledIndex.AddressUnit;
        return new Extent(begin, begin + (_random.Next(3) * SettledIndex.AddressUnit * _random.Next(1, 100)));
    }

    private ulong AnyWord(in Extent probation, in Extent main)
    {
        if (_random.Next(8) == 0) return 0;
        bool isMain = _random.Next(2) == 0;
        var extent = isMain ? main : probation;
        long end = _random.Next(2) == 0 ? extent.Begin : extent.Tail;
        ulong address = (ulong)((end / SettledIndex.AddressUnit) + _random.Next(-3, 4)) & AddressMask;
        return ((ulong)_random.NextInt64() & ~(AddressMask | (1UL << MainShift))) | (isMain ? 1UL << MainShift : 0) | address;
    }

    private void Fill(Func<int, ulong> word)
    {
        for (int i = 0; i < SettledIndex.BucketWords; i++) _bucket[i] = word(i);
    }

    private uint OneByOne(Func<ulong, bool> isIt)
    {
        uint found = 0;
        for (int i = 0; i < SettledIndex.BucketWords; i++) found |= isIt(_bucket[i]) ? 1u << i : 0;
        return found;
    }
}
