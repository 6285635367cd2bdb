using HybridCaching.Benchmarks.Contestants;
using HybridCaching.Benchmarks.Matrix;
using HybridCaching.Benchmarks.Workloads;

namespace HybridCaching.Benchmarks.Tests;

public sealed class WorkloadTests
{
    private const int Entries = 20_000;

    public static TheoryData<KeyType, int> TypesAndSizes => new(from keys in Enum.GetValues<KeyType>() from bytes in (int[])[8, 32, 100, 1024] select (keys, bytes));

    [Theory]
    [MemberData(nameof(TypesAndSizes))]
    public void Factory_ForASize_MakesContestantsOfIt(KeyType keys, int valueBytes) => Assert.Equal(valueBytes, ContestantFactories.For(keys, valueBytes).Sizes.ValueBytes);

    [Theory]
    [MemberData(nameof(TypesAndSizes))]
    public void Mix_OfReadsAndWrites_IsCarriedOutByEveryContestant(KeyType keys, int valueBytes)
    {
        var factory = ContestantFactories.For(keys, valueBytes);
        var half = MemoryShare.Parse("50%");
        long[] draws = Keys.Mixed(Keys.Uniform(Entries, 2 * Entries), readPercent: 50);
        foreach (var make in (Func<IContestant>[])[factory.Dictionary, () => factory.Cache(Entries, half), () => factory.Store(Entries, half, workers: 1)])
        {
            using var contestant = make();
            contestant.Add(0, Keys.All(Entries, KeyOrder.Sequential));
            Assert.InRange(contestant.Mix(0, draws), draws.Length - 4, draws.Length); // of the cache a new key takes the settled record of another along once in 650,000
        }
    }

    [Fact]
    public void Hits_OfAStore_AreWhereItsReadsWereAnswered()
    {
        var factory = ContestantFactories.For(KeyType.Int64, 1024);
        using var store = factory.Store(Entries, MemoryShare.Parse("10%"), workers: 1);
        store.Add(0, Keys.All(Entries, KeyOrder.Sequential));
        store.Read(0, Keys.All(2 * Entries, KeyOrder.Sequential));
        var hits = store.Hits!.Value;
        Assert.Equal((Entries, Entries), (hits.Memory + hits.Disk, hits.Missed));
        Assert.InRange(hits.Memory, 1, Entries / 2);
    }

    [Theory]
    [InlineData(0, 0)]
    [InlineData(50, 0.5)]
    [InlineData(100, 1)]
    public void Mixed_ShareOfReads_IsWhatWasAskedFor(int percent, double share) =>
        Assert.Equal(share, Keys.Mixed(Keys.Uniform(100, 100_000), percent).Count(draw => draw >= 0) / 100_000.0, tolerance: 0.01);

    [Fact]
    public void Mixed_WriteOfAKey_IsItsComplement() => Assert.Equal(Keys.Uniform(100, 1000), Keys.Mixed(Keys.Uniform(100, 1000), readPercent: 50).Select(draw => draw < 0 ? ~draw : draw));

    [Fact]
    public void Chosen_HotKeys_AreATenthOfAll() => Assert.Equal(Entries / 10, Keys.Chosen(KeyChoice.Hot, Entries, 20 * Entries).Distinct().Count());

    [Fact]
    public void Chosen_SequentialKeys_ComeInTheirOrderAndAgain() => Assert.Equal([0, 1, 2, 0, 1], Keys.Chosen(KeyChoice.Sequential, 3, 5));

    [Fact]
    public void ReadCache_OfARawStore_IsTakenFromItsLog()
    {
        var without = Budgets.StoreWithin(1_000_000, 64 << 20);
        var with = Budgets.StoreWithReadCache(1_000_000, 64 << 20, new EntrySizes(8, 100));
        Assert.True(with.ReadCacheBytes > 0);
        Assert.Equal(without.LogBytes, with.LogBytes + with.ReadCacheBytes);
    }

    [Fact]
    public void Eight_OfAKey_BelongsToNoOther() => AssertOwned<Eight>();

    [Fact]
    public void Payload_OfAKey_BelongsToNoOther() => AssertOwned<Payload>();

    [Fact]
    public void Hundred_OfAKey_BelongsToNoOther() => AssertOwned<Hundred>();

    [Fact]
    public void Kilobyte_OfAKey_BelongsToNoOther() => AssertOwned<Kilobyte>();

    private static void AssertOwned<TRecord>()
        where TRecord : unmanaged, IRecord<TRecord>
    {
        foreach (long key in (long[])[0, 1, 2, 255, 256, 1L << 32, long.MaxValue])
        {
            Assert.True(TRecord.For(key).BelongsTo(key));
            Assert.False(TRecord.For(key).BelongsTo(key - 1));
            Assert.False(TRecord.For(key).BelongsTo(key ^ (1L << 40)));
        }
    }
}
