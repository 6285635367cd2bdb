using System.Collections.Immutable;
using HybridCaching.Configuration;
using HybridCaching.Store;

namespace HybridCaching.Tests.Store;

/// <summary>An index of settled records whose tables are halved, and to which tables are added.</summary>
public sealed class SettledIndexSizeTests
{
    private const long First = 1L << 48;
    private const int Buckets = 1001;
    private const int Few = Buckets * 2;

    private static readonly ImmutableArray<TableSize> One = [new TableSize(Buckets, 0)];

    private readonly SettledIndex _index = New(One);

    [Theory]
    [InlineData(1)]
    [InlineData(2)]
    [InlineData(10)]
    public void Shrink_ThereIsRoomForAll_FindsAll(int halvings)
    {
        int keys = Few >> halvings;
        Fill(_index, 0, keys);

        Shrink(_index, new TableSize(Buckets, halvings));

        Assert.All(Enumerable.Range(0, keys), key => Assert.Contains(AddressOf(key), AddressesIn(_index, key)));
        Assert.Equal((keys, 0), (_index.Count, _index.TurnedOut));
    }

    [Fact]
    public void Shrink_ThereIsNoRoomForAll_KeepsTheNewest()
    {
        const int Keys = 5 * Buckets;
        Fill(_index, 0, Keys);

        Shrink(_index, new TableSize(Buckets, 2));

        int[] found = [.. Enumerable.Range(0, Keys).Where(key => AddressesIn(_index, key).Contains(AddressOf(key)))];
        Assert.Equal(found.Length, _index.Count);
        Assert.Equal(Keys - found.Length, _index.TurnedOut);
        Assert.InRange(found.Count(key => key >= Keys - (Buckets / 2)), Buckets / 2 * 99 / 100, Buckets / 2);
        Assert.InRange(found.Count(key => key < Keys / 2), 0, Keys / 50);
    }

    [Fact]
    public void Shrink_ThereIsNoRoomForAll_KeepsWhatWasRead()
    {
        Fill(_index, 0, 100, hits: 1);
        Fill(_index, 100, 6 * Buckets);

        Shrink(_index, new TableSize(Buckets, 2));

        Assert.All(Enumerable.Range(0, 100), key => Assert.Contains(AddressOf(key), AddressesIn(_index, key)));
    }

    [Fact]
    public void Shrink_SomeWordsLeadNowhere_ForgetsThem()
    {
        Fill(_index, 0, Few);
        _index.Drop(ref _index.Main, AddressOf(Few / 2));

        Shrink(_index, new TableSize(Buckets, 1));
        _index.Sweep();

        Assert.Equal((Few / 2, 0), (_index.Count, _index.TurnedOut));
    }

    /// <summary>A large table is halved in several parts. In between, everything is where it is looked for.</summary>
    [Fact]
    public void ShrinkPart_OfALargeTable_FindsAll()
    {
        const int Large = 80_001;
        const int Keys = 2 * Large;
        var index = New([new TableSize(Large, 0)]);
        ImmutableArray<TableSize> half = [new TableSize(Large, 1)];
        Fill(index, 0, Keys);
        int parts = 0;
        for (; index.MustShrink(half); parts++)
        {
            index.ShrinkPart(half);
            index.Remove(Hash(parts));
            index.Insert(Hash(parts), AddressOf(Keys + parts), hits: 0);
            Assert.All(Enumerable.Range(0, Keys).Where(key => key % 97 == 96), key => Assert.Contains(AddressOf(key), AddressesIn(index, key)));
            Assert.Equal([AddressOf(Keys + parts)], AddressesIn(index, parts));
        }

        Assert.Equal((3, 0), (parts, index.TurnedOut));
        Assert.All(Enumerable.Range(3, Keys - 3), key => Assert.Contains(AddressOf(key), AddressesIn(index, key)));
    }

    [Fact]
    public void Shrink_Always_TakesLess()
    {
        Shrink(_index, new TableSize(Buckets, 3));

        Assert.Equal((((Buckets - 1) / 8) + 1) * 64, _index.Bytes);
    }

    [Fact]
    public void Insert_AfterShrinking_IsFoundAndRemoved()
    {
        Shrink(_index, new TableSize(Buckets, 2));
        Fill(_index, 0, Few / 2);

        Assert.All(Enumerable.Range(0, Few / 2), key => Assert.Contains(AddressOf(key), AddressesIn(_index, key)));
        Assert.All(Enumerable.Range(0, Few / 2), key => Assert.True(_index.Remove(Hash(key))));
        Assert.Equal(0, _index.Count);
    }

    [Fact]
    public void Grow_Filled_FindsAll()
    {
        Fill(_index, 0, Few);

        _index.Grow([.. One, new TableSize(500, 0)]);

        Assert.All(Enumerable.Range(0, Few), key => Assert.Contains(AddressOf(key), AddressesIn(_index, key)));
    }

    [Fact]
    public void Insert_AfterGrowing_FindsRoomInAllTables()
    {
        const int Keys = 16 * Buckets;
        Fill(_index, 0, 6 * Buckets);
        _index.Grow([.. One, new TableSize(2 * Buckets, 0)]);
        Fill(_index, 6 * Buckets, Keys);

        Assert.Equal((Keys, 0), (_index.Count, _index.TurnedOut));
        Assert.All(Enumerable.Range(0, Keys), key => Assert.Contains(AddressOf(key), AddressesIn(_index, key)));
    }

    [Fact]
    public void Grow_ATableTakesThePlaceOfAnother_LosesWhatThatHad()
    {
        _index.Grow([.. One, new TableSize(100, 0)]);
        Fill(_index, 0, Few);
        _index.Grow([.. One, new TableSize(300, 0)]);
        int found = Enumerable.Range(0, Few).Count(key => AddressesIn(_index, key).Contains(AddressOf(key)));

        Assert.InRange(found, Few * 8 / 10, Few - 1);
        Assert.Equal((found, Few - found), (_index.Count, _index.TurnedOut));
    }

    [Fact]
    public void Remove_AfterGrowing_LeavesNone()
    {
        _index.Grow([.. One, new TableSize(100, 0), new TableSize(100, 0)]);
        for (int i = 0; i < 20; i++) _index.Insert(Hash(1), AddressOf(i), hits: 0);

        Assert.Equal(20, AddressesIn(_index, 1).Count);
        Assert.True(_index.Remove(Hash(1)));
        Assert.Empty(AddressesIn(_index, 1));
    }

    [Fact]
    public void Load_SavedWithSeveralTables_IsTheSame()
    {
        ImmutableArray<TableSize> tables = [new TableSize(Buckets, 1), new TableSize(300, 0)];
        Shrink(_index, tables[0]);
        _index.Grow(tables);
        Fill(_index, 0, Few);
        using var file = new MemoryStream();
        uint sum = _index.Save(file);
        file.Position = 0;

        var loaded = New(tables);
        loaded.Load(file, sum, default, _index.Main);

        Assert.Equal(_index.Bytes, file.Length);
        Assert.Equal(tables, loaded.Tables);
        Assert.All(Enumerable.Range(0, Few), key => Assert.Contains(AddressOf(key), AddressesIn(loaded, key)));
    }

    private static SettledIndex New(ImmutableArray<TableSize> tables)
    {
        var index = new SettledIndex(tables, First);
        index.Main.Tail = First + (1L << 40);
        return index;
    }

    private static void Shrink(SettledIndex index, params ImmutableArray<TableSize> tables)
    {
        while (index.MustShrink(tables)) index.ShrinkPart(tables);
    }

    private static void Fill(SettledIndex index, int first, int end, int hits = 0)
    {
        for (int key = first; key < end; key++) index.Insert(Hash(key), AddressOf(key), hits);
    }

    private static long AddressOf(int key) => First + (8L * (key + 1));

    /// <summary>Like those of the key hash: all bits count. The same in every run (SplitMix64).</summary>
    private static ulong Hash(int key)
    {
        ulong mixed = ((ulong)key + 1) * 0x9E37_79B9_7F4A_7C15;
        mixed = (mixed ^ (mixed >> 30)) * 0xBF58_476D_1CE4_E5B9;
        mixed = (mixed ^ (mixed >> 27)) * 0x94D0_49BB_1331_11EB;
        return mixed ^ (mixed >> 31);
    }

    private static List<long> AddressesIn(SettledIndex index, int key)
    {
        var found = new List<long>();
        for (int place = 0; index.TryNext(Hash(key), ref place, out long address);) found.Add(address);
        return found;
    }
}
