using HybridCaching.Configuration;
using HybridCaching.Records;
using HybridCaching.Store;

namespace HybridCaching.Tests;

/// <summary>Keys that somebody has chosen to pile up in one place do not: what a Get has to walk through is about as much as with random keys.</summary>
public sealed class HashFloodingTests
{
    /// <summary>4 keys to a bucket of 7.</summary>
    private const int Buckets = HostileKeys.Count / 4;

    /// <summary>8 keys to a row, of 16 ways.</summary>
    private const int Rows = HostileKeys.Count / 8;

    private const int BucketEntries = 7;
    private const int TagShift = 50;

    private static readonly ulong[][] Secrets =
    [
        [0x6A09_E667_F3BC_C908, 0xBB67_AE85_84CA_A73B, 0x3C6E_F372_FE94_F82B, 0xA54F_F53A_5F1D_36F1],
        [0x9E37_79B9_7F4A_7C15, 0xBF58_476D_1CE4_E5B9, 0x94D0_49BB_1331_11EB, 0xD6E8_FEB8_6659_FD93],
    ];

    public static TheoryData<string> Patterns => [.. HostileKeys.Names];

    [Theory]
    [MemberData(nameof(Patterns))]
    public void Keys_OfEveryPattern_AreDistinct(string pattern) => Assert.Equal(HostileKeys.Count, new SortedSet<long>(HostileKeys.Of(pattern)).Count); // .NET hashes some of them to one number

    [Fact]
    public void FastersHash_KeysMadeForIt_GiveOneBucketAndTag() =>
        Assert.Single(HostileKeys.Of("equal under FASTER's hash").Select(key => (HostileKeys.FastersHash(key) & (Buckets - 1), HostileKeys.FastersHash(key) >> TagShift)).Distinct());

    /// <summary>Neighbours share a bucket, so random groups of four are what to compare with.</summary>
    [Theory]
    [MemberData(nameof(Patterns))]
    public void Hash_HostileKeys_LoadNoBucketMoreThanRandomGroups(string pattern) => AssertAsGoodAsRandom(pattern, hash => hash & (Buckets - 1), margin: 1.5);

    [Theory]
    [MemberData(nameof(Patterns))]
    public void Hash_HostileKeys_LoadNoRowMoreThanRandomGroups(string pattern) => AssertAsGoodAsRandom(pattern, RowOf, margin: 1.5);

    [Theory]
    [MemberData(nameof(Patterns))]
    public void Hash_HostileKeys_ShareNoChainMoreThanRandomGroups(string pattern) =>
        AssertAsGoodAsRandom(pattern, hash => (hash & (Buckets - 1)) | ((hash >> TagShift) << 32), margin: 2);

    [Theory]
    [MemberData(nameof(Patterns))]
    public void Get_HostileKeys_WalksAtMostThreeTimesAsFarAsWithRandomKeys(string pattern)
    {
        foreach (var hasher in Secrets.Select(secret => new KeyHasher(secret)))
        {
            int random = Percentile99(StepsOfGets(hasher, HostileKeys.OfRandom(seed: 1)));
            int hostile = Percentile99(StepsOfGets(hasher, HostileKeys.Of(pattern)));
            Assert.InRange(hostile, 1, 3 * random);
        }
    }

    [Theory]
    [MemberData(nameof(Patterns))]
    public void Index_HostileKeys_GrowsNoMoreThanWithRandomGroups(string pattern)
    {
        long random = OverflowBucketsWith(HostileKeys.RandomGroups(seed: 1));
        Assert.InRange(OverflowBucketsWith(HostileKeys.Of(pattern)), 0, (long)(random * 1.2));
    }

    [Theory]
    [MemberData(nameof(Patterns))]
    public void TryGet_HostileKeys_AreAllFound(string pattern)
    {
        using var cache = new FasterCache<long, long>(new FasterCacheOptions { MemoryBudget = "32MB" });
        long[] keys = HostileKeys.Of(pattern);
        foreach (long key in keys) cache.Set(key, ~key);
        Assert.Equal(keys.Length, keys.Count(key => cache.TryGet(key, out long value) && value == ~key));
    }

    [Theory]
    [MemberData(nameof(Patterns))]
    public void TryGet_HostileKeysReadAgainAndAgain_AreAllFound(string pattern)
    {
        using var cache = new FasterCache<long, long>(new FasterCacheOptions { MemoryBudget = "32MB", HotTierShare = 0.5 });
        long[] keys = HostileKeys.Of(pattern);
        foreach (long key in keys) cache.Set(key, ~key);
        for (int round = 0; round < 4; round++) Assert.Equal(keys.Length, keys.Count(key => cache.TryGet(key, out long value) && value == ~key));
    }

    private static void AssertAsGoodAsRandom(string pattern, Func<ulong, ulong> cellOf, double margin)
    {
        foreach (var hasher in Secrets.Select(secret => new KeyHasher(secret)))
        {
            int random = LargestCell(hasher, HostileKeys.RandomGroups(seed: 1), cellOf);
            Assert.InRange(LargestCell(hasher, HostileKeys.Of(pattern), cellOf), 1, (int)(random * margin));
        }
    }

    private static int LargestCell(KeyHasher hasher, IEnumerable<long> keys, Func<ulong, ulong> cellOf) => keys.CountBy(key => cellOf(hasher.Hash(in key))).Max(cell => cell.Value);

    /// <summary>As the hot tier chooses the row.</summary>
    private static ulong RowOf(ulong hash) => ((hash & ((Rows / 4) - 1)) << 2) | ((hash >> TagShift) & 3);

    /// <summary>How many buckets and records the Get of each key looks at: a bucket's entries are its tags in the order they came, a tag's records begin with the newest.</summary>
    private static List<int> StepsOfGets(KeyHasher hasher, IEnumerable<long> keys)
    {
        var steps = new List<int>();
        foreach (var bucket in keys.Select(key => hasher.Hash(in key)).GroupBy(hash => hash & (Buckets - 1)))
        {
            foreach (var (entry, chain) in bucket.GroupBy(hash => hash >> TagShift).Index())
            {
                int buckets = 1 + (entry / BucketEntries);
                steps.AddRange(chain.Select((_, record) => buckets + record + 1));
            }
        }

        return steps;
    }

    private static int Percentile99(List<int> values)
    {
        values.Sort();
        return values[values.Count * 99 / 100];
    }

    /// <summary>What FASTER's index has allocated behind its buckets when all keys are in.</summary>
    private static long OverflowBucketsWith(IEnumerable<long> keys)
    {
        var plan = MemoryPlan.Create(32L << 20, 0, EntryLog<long, long>.RecordBytes, slotBytes: 24, readers: 0, hotShare: 0);
        var hasher = new KeyHasher(Secrets[0]);
        using var log = EntryLog<long, long>.Open(plan, hasher, null, null);
        using (var session = log.NewSession())
        {
            foreach (long key in keys)
            {
                var entry = new Entry<long> { Value = key };
                session.Upsert(in key, hasher.Hash(in key), ref entry, out _);
            }
        }

        return (log.IndexFileBytes - plan.IndexBytes) / IndexSizing.BucketBytes;
    }
}
