using System.Numerics;
using System.Runtime.CompilerServices;
using System.Runtime.Intrinsics;

namespace HybridCaching.Store;

/// <remarks>
/// A bucket is a cache line, and its eight words are compared at once, in two halves. What that says is a hint: somebody may change a word meanwhile, so who acts on one reads it once more. But a word that was there before and is there
/// after, whoever counts hits on it or leads it elsewhere, is never overlooked: its tag does not change, and words are read and written whole.
/// </remarks>
internal sealed unsafe partial class SettledIndex
{
    private const int HalfWords = BucketWords / 2;

    /// <summary>Which words of a bucket are a pattern under a mask: a bit for each.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    internal static uint Matching(ulong* bucket, ulong mask, ulong pattern)
    {
        var masks = Vector256.Create(mask);
        var patterns = Vector256.Create(pattern);
        uint low = Vector256.Equals(Vector256.Load(bucket) & masks, patterns).ExtractMostSignificantBits();
        uint high = Vector256.Equals(Vector256.Load(bucket + HalfWords) & masks, patterns).ExtractMostSignificantBits();
        Volatile.ReadBarrier(); // as if each had been read by itself
        return low | (high << HalfWords);
    }

    /// <summary>Which words of a bucket lead to what is in use: a bit for each.</summary>
    internal static uint Live(ulong* bucket, in Extent probation, in Extent main, ulong addressMask)
    {
        var probationBegin = Vector256.Create(probation.Begin / AddressUnit);
        var mainBegin = Vector256.Create(main.Begin / AddressUnit);
        var probationEnd = Vector256.Create((probation.Tail + AddressUnit - 1) / AddressUnit);
        var mainEnd = Vector256.Create((main.Tail + AddressUnit - 1) / AddressUnit);
        uint low = LiveHalf(Vector256.Load((long*)bucket));
        uint high = LiveHalf(Vector256.Load((long*)bucket + HalfWords));
        return low | (high << HalfWords);

        uint LiveHalf(Vector256<long> words)
        {
            var isProbation = Vector256.Equals(words & Vector256.Create((long)MainBit), Vector256<long>.Zero);
            var begin = Vector256.ConditionalSelect(isProbation, probationBegin, mainBegin);
            var end = Vector256.ConditionalSelect(isProbation, probationEnd, mainEnd);
            var address = begin + ((words - begin) & Vector256.Create((long)addressMask));
            return (Vector256.LessThan(address, end) & ~Vector256.Equals(words, Vector256<long>.Zero)).ExtractMostSignificantBits();
        }
    }

    /// <summary>Which words of a bucket lead nowhere, though it is no empty place: a bit for each.</summary>
    internal static uint Dead(ulong* bucket, in Extent probation, in Extent main, ulong addressMask) =>
        ~(Live(bucket, in probation, in main, addressMask) | Matching(bucket, ulong.MaxValue, 0)) & ((1u << BucketWords) - 1);

    /// <summary>Which places of a bucket are empty, or as good as that: a bit for each.</summary>
    private uint FreeOf(ulong* bucket) => ~Live(bucket, in Probation, in Main, _addressMask) & ((1u << BucketWords) - 1);

    private ulong* Find(ulong hash, long address)
    {
        ulong word = WordOf(hash, address, 0);
        int places = Places;
        for (int first = 0; first < places; first += BucketWords)
        {
            ulong* bucket = BucketOf(hash, first);
            uint matches = Matching(bucket, ~(OneHit * MostHits), word);
            if (matches != 0) return bucket + BitOperations.TrailingZeroCount(matches);
        }

        return null;
    }

    /// <summary>Where a new word goes: an empty place in the emptiest bucket, or that of the record that matters least.</summary>
    private ulong* PlaceFor(ulong hash)
    {
        ulong* empty = null;
        int mostFree = 0;
        int places = Places;
        for (int first = 0; first < places; first += BucketWords)
        {
            ulong* bucket = BucketOf(hash, first);
            uint free = FreeOf(bucket);
            if (BitOperations.PopCount(free) <= mostFree) continue;
            mostFree = BitOperations.PopCount(free);
            empty = bucket + BitOperations.TrailingZeroCount(free);
        }

        return mostFree > 0 ? empty : MakePlace(hash) ? PlaceFor(hash) : LeastOf(hash);
    }

    private ulong* LeastOf(ulong hash)
    {
        ulong* least = BucketOf(hash, 0);
        ulong leastRank = ulong.MaxValue;
        int places = Places;
        for (int i = 0; i < places; i++)
        {
            ulong* place = BucketOf(hash, i) + (i & (BucketWords - 1));
            ulong rank = RankOf(Volatile.Read(ref *place));
            if (rank >= leastRank) continue;
            least = place;
            leastRank = rank;
        }

        return least;
    }

    /// <summary>The lower, the less the record matters: those that were not read go first, and the oldest of them. What leads nowhere may rank anyhow: it is as good as any.</summary>
    private ulong RankOf(ulong word) => (word & (OneHit * MostHits)) | (word & MainBit) | (ulong)((AddressOf(word) - ExtentOf(word).Begin) / AddressUnit);

    /// <summary>How many places a key's word may be in.</summary>
    private int Places => _tables.Length * PlacesOfTable;

    /// <summary>The bucket that a key's place is in.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    private ulong* BucketOf(ulong hash, int place)
    {
        var table = place < PlacesOfTable ? _first : _tables[place / PlacesOfTable];
        var at = table.Locate(hash, TagOf(hash));
        return (place & BucketWords) == 0 ? table.FirstBucket(in at) : table.SecondBucket(in at);
    }
}
