using System.Collections.Immutable;
using HybridCaching.Configuration;
using HybridCaching.Devices;
using HybridCaching.Store;

namespace HybridCaching.Tests.Store;

/// <summary>An index of settled records whose tables grow and shrink by groups of buckets, and to which tables are added.</summary>
public sealed class SettledIndexSizeTests
{
    private const long First = 1L << 48;
    private const int Columns = 1009;
    private const int Buckets = Columns * TableSize.MostGroups;
    private const int Few = Buckets * 2;

    /// <summary>As full as a table becomes before something has to go.</summary>
    private const int Full = Buckets * 8 * 8 / 10;

    private static readonly ImmutableArray<TableSize> One = [new TableSize(Columns, TableSize.MostGroups)];

    private readonly SettledIndex _index = New(One);
    private readonly SettledIndex _small = New(One, firstGroups: 1);

    [Fact]
    public void Insert_IntoASmallTable_GrowsAndFindsAll()
    {
        FillAndGrow(_small, 0, Full);

        Assert.All(Enumerable.Range(0, Full), key => Assert.Equal([AddressOf(key)], AddressesIn(_small, key).Where(a => a == AddressOf(key))));
        Assert.Equal((Full, 0), (_small.Count, _small.TurnedOut));
    }

    [Theory]
    [InlineData(1_000)]
    [InlineData(10_000)]
    [InlineData(50_000)]
    [InlineData(90_000)]
    public void Insert_IntoASmallTable_TakesMemoryForWhatIsThere(int keys)
    {
        FillAndGrow(_small, 0, keys);

        Assert.InRange(_small.Bytes, keys * sizeof(ulong), (long)(keys * sizeof(ulong) / 0.8) + (Columns * 64));
    }

    /// <summary>A step of growth moves some columns: in between, everything is where it is looked for.</summary>
    [Fact]
    public void Insert_WhileTheTableGrows_FindsAll()
    {
        for (int key = 0; key < Full; key++)
        {
            FillAndGrow(_small, key, key + 1);
            int other = (int)(key * 7919L % (key + 1));

            Assert.Contains(AddressOf(key), AddressesIn(_small, key));
            Assert.Contains(AddressOf(other), AddressesIn(_small, other));
        }
    }

    [Fact]
    public void Insert_NineOfTenPlacesAreTaken_TurnsNoneOut()
    {
        const int Keys = Buckets * 8 * 9 / 10;
        Fill(_index, 0, Keys);

        Assert.Equal((Keys, 0), (_index.Count, _index.TurnedOut));
    }

    [Fact]
    public void Remove_AfterEveryStepOfGrowth_LeavesNone()
    {
        for (int key = 0; key < Full; key++)
        {
            FillAndGrow(_small, key, key + 1);
            if (key % 3 != 0) continue;
            Assert.True(_small.Remove(Hash(key / 2)));
            Assert.DoesNotContain(AddressOf(key / 2), AddressesIn(_small, key / 2));
            _small.Insert(Hash(key / 2), AddressOf(key / 2), hits: 0);
        }
    }

    /// <summary>One thread puts words in, and takes others to other places; another removes some. None of those may be found again.</summary>
    [Fact]
    public void Remove_WhileTheTableGrows_LeavesNone()
    {
        for (int round = 0; round < 20; round++)
        {
            var index = New(One, firstGroups: 1);
            FillAndGrow(index, 0, 500);
            using var barrier = new Barrier(2);
            int left = 0;
            var remover = new Thread(() =>
            {
                barrier.SignalAndWait();
                for (int key = 0; key < 500; key++)
                {
                    index.Remove(Hash(key));
                    if (AddressesIn(index, key).Contains(AddressOf(key))) left++;
                }
            });
            remover.Start();
            barrier.SignalAndWait();
            FillAndGrow(index, 500, Full);
            remover.Join();

            Assert.Equal(0, left);
            Assert.All(Enumerable.Range(0, 500), key => Assert.DoesNotContain(AddressOf(key), AddressesIn(index, key)));
            Assert.Equal(Enumerable.Range(500, Full - 500).Count(key => AddressesIn(index, key).Contains(AddressOf(key))), index.Count);
        }
    }

    /// <summary>Who looks a key up as readers do, who look again if something was moved, finds it.</summary>
    [Fact]
    public void TryNext_WhileTheTableGrows_FindsWhatIsThere()
    {
        for (int round = 0; round < 20; round++)
        {
            var index = New(One, firstGroups: 1);
            FillAndGrow(index, 0, 400);
            bool isOver = false;
            int missed = 0;
            var reader = new Thread(() =>
            {
                for (int key = 0; !Volatile.Read(ref isOver); key = (key + 1) % 400)
                {
                    if (!IsFound(index, key)) missed++;
                }
            });
            reader.Start();
            FillAndGrow(index, 400, Full);
            Volatile.Write(ref isOver, true);
            reader.Join();

            Assert.Equal(0, missed);
        }

        static bool IsFound(SettledIndex index, int key)
        {
            for (int attempt = 0; attempt < 4; attempt++)
            {
                long view = index.ViewOf(Hash(key));
                if (AddressesIn(index, key).Contains(AddressOf(key))) return true;
                if (index.ViewOf(Hash(key)) == view && (view & 1) == 0) return false;
            }

            return true; // a reader would take it for a miss; it happens once in a very long time
        }
    }

    [Fact]
    public void New_OverTheStateOfAProcessThatEndedWhileItGrew_FindsAllAndGoesOn()
    {
        var state = LiveState.Create(MemoryPlan.BlockBytes, segments: 0, One[0].ReservedBytes);
        var index = New(One, firstGroups: 1, state);
        int keys = 0;
        for (; keys < 1000 || index.Bytes * 8 / 10 / sizeof(ulong) < keys; keys++) FillAndGrow(index, keys, keys + 1);
        FillAndGrow(index, keys, keys += 3); // some columns have another group

        var again = New(One, firstGroups: 1, state);
        Assert.All(Enumerable.Range(0, keys), key => Assert.Contains(AddressOf(key), AddressesIn(again, key)));
        Assert.Equal(keys, again.Count);

        FillAndGrow(again, keys, Full);
        Assert.All(Enumerable.Range(0, Full), key => Assert.Contains(AddressOf(key), AddressesIn(again, key)));
    }

    [Theory]
    [InlineData(15)]
    [InlineData(7)]
    [InlineData(1)]
    public void Shrink_ThereIsRoomForAll_FindsAll(int groups)
    {
        int keys = Few * groups / TableSize.MostGroups;
        Fill(_index, 0, keys);

        Shrink(_index, new TableSize(Columns, groups));

        Assert.All(Enumerable.Range(0, keys), key => Assert.Contains(AddressOf(key), AddressesIn(_index, key)));
        Assert.Equal((keys, 0), (_index.Count, _index.TurnedOut));
    }

    [Fact]
    public void Shrink_ThereIsNoRoomForAll_KeepsTheNewest()
    {
        const int Keys = 5 * Buckets;
        Fill(_index, 0, Keys);

        Shrink(_index, new TableSize(Columns, TableSize.MostGroups / 4));

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

        Shrink(_index, new TableSize(Columns, TableSize.MostGroups / 4));

        Assert.All(Enumerable.Range(0, 100), key => Assert.Contains(AddressOf(key), AddressesIn(_index, key)));
    }

    [Fact]
    public void Shrink_SomeWordsLeadNowhere_ForgetsThem()
    {
        Fill(_index, 0, Few);
        _index.Drop(ref _index.Main, AddressOf(Few / 2));

        Shrink(_index, new TableSize(Columns, TableSize.MostGroups / 2));
        _index.Sweep();

        Assert.Equal((Few / 2, 0), (_index.Count, _index.TurnedOut));
    }

    [Fact]
    public void Shrink_AllWasCleared_CountsOnlyWhatComesLater()
    {
        Fill(_index, 0, Few);
        _index.Clear();

        Shrink(_index, new TableSize(Columns, TableSize.MostGroups / 2));
        _index.Main.Tail = First + (1L << 41);
        for (int key = 0; key < 100; key++) _index.Insert(Hash(key), First + (1L << 40) + (8L * key), hits: 0);
        _index.Sweep();

        Assert.Equal(100, _index.Count);
    }

    [Fact]
    public void ShrinkPart_WhileATableGrows_EndsThatFirst()
    {
        FillAndGrow(_small, 0, 20_000);
        _small.BeginGrowth();
        FillAndGrow(_small, 20_000, 20_001);

        Shrink(_small, new TableSize(Columns, 4));

        Assert.Equal(4 * Columns * 64, _small.Bytes);
        Assert.All(Enumerable.Range(0, 20_001), key => Assert.Contains(AddressOf(key), AddressesIn(_small, key)));
    }

    [Fact]
    public void MustSweep_ALotWasDropped_IsTrueUntilItIsSwept()
    {
        var index = new SettledIndex(One, First, addressBits: 26);
        index.Main.Tail = First + (1L << 30);

        Assert.False(index.MustSweep);
        index.Drop(ref index.Main, First + (1L << 27));
        Assert.True(index.MustSweep);
        index.Sweep();
        Assert.False(index.MustSweep);
    }

    /// <summary>A large table shrinks in several parts. In between, everything is where it is looked for.</summary>
    [Fact]
    public void ShrinkPart_OfALargeTable_FindsAll()
    {
        const int Large = 40_001;
        const int Keys = 4 * Large;
        ImmutableArray<TableSize> two = [new TableSize(Large, 2)];
        var index = New(two);
        ImmutableArray<TableSize> one = [new TableSize(Large, 1)];
        Fill(index, 0, Keys);
        int parts = 0;
        for (; index.MustShrink(one); parts++)
        {
            index.ShrinkPart(one);
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
        Shrink(_index, new TableSize(Columns, 3));

        Assert.Equal(3 * Columns * 64, _index.Bytes);
    }

    [Fact]
    public void Insert_AfterShrinking_IsFoundAndRemoved()
    {
        Shrink(_index, new TableSize(Columns, TableSize.MostGroups / 4));
        Fill(_index, 0, Few / 2);

        Assert.All(Enumerable.Range(0, Few / 2), key => Assert.Contains(AddressOf(key), AddressesIn(_index, key)));
        Assert.All(Enumerable.Range(0, Few / 2), key => Assert.True(_index.Remove(Hash(key))));
        Assert.Equal(0, _index.Count);
    }

    [Fact]
    public void BeginGrowth_AfterShrinking_GrowsAgainAsFarAsItMay()
    {
        Shrink(_index, new TableSize(Columns, 2));
        _index.Limit([new TableSize(Columns, 2)]);
        FillAndGrow(_index, 0, Few / 4);
        Assert.Equal(2 * Columns * 64, _index.Bytes);

        _index.Grow(One);
        FillAndGrow(_index, Few / 4, Full);

        Assert.Equal(One[0].Bytes, _index.Bytes);
        Assert.All(Enumerable.Range(0, Full), key => Assert.Contains(AddressOf(key), AddressesIn(_index, key)));
    }

    [Fact]
    public void Grow_Filled_FindsAll()
    {
        Fill(_index, 0, Few);

        _index.Grow([.. One, new TableSize(500, TableSize.MostGroups)]);

        Assert.All(Enumerable.Range(0, Few), key => Assert.Contains(AddressOf(key), AddressesIn(_index, key)));
    }

    [Fact]
    public void Insert_AfterGrowing_FindsRoomInAllTables()
    {
        const int Keys = 16 * Buckets;
        Fill(_index, 0, 6 * Buckets);
        _index.Grow([.. One, new TableSize(2 * Columns, TableSize.MostGroups)]);
        Fill(_index, 6 * Buckets, Keys);

        Assert.Equal((Keys, 0), (_index.Count, _index.TurnedOut));
        Assert.All(Enumerable.Range(0, Keys), key => Assert.Contains(AddressOf(key), AddressesIn(_index, key)));
    }

    [Fact]
    public void Grow_ATableTakesThePlaceOfAnother_LosesWhatThatHad()
    {
        _index.Grow([.. One, new TableSize(100, TableSize.MostGroups)]);
        Fill(_index, 0, Few);
        _index.Grow([.. One, new TableSize(300, TableSize.MostGroups)]);
        int found = Enumerable.Range(0, Few).Count(key => AddressesIn(_index, key).Contains(AddressOf(key)));

        Assert.InRange(found, Few * 8 / 10, Few - 1);
        Assert.Equal((found, Few - found), (_index.Count, _index.TurnedOut));
    }

    [Fact]
    public void Remove_AfterGrowing_LeavesNone()
    {
        _index.Grow([.. One, new TableSize(100, TableSize.MostGroups), new TableSize(100, TableSize.MostGroups)]);
        for (int i = 0; i < 20; i++) _index.Insert(Hash(1), AddressOf(i), hits: 0);

        Assert.Equal(20, AddressesIn(_index, 1).Count);
        Assert.True(_index.Remove(Hash(1)));
        Assert.Empty(AddressesIn(_index, 1));
    }

    [Fact]
    public void Load_SavedWithSeveralTables_IsTheSame()
    {
        ImmutableArray<TableSize> tables = [new TableSize(Columns, 8), new TableSize(300, TableSize.MostGroups)];
        var index = New(tables, firstGroups: 5);
        Fill(index, 0, Few);
        using var file = new MemoryStream();
        uint sum = index.Save(file);
        file.Position = 0;

        var loaded = New(tables, firstGroups: 1);
        loaded.Load(file, sum, default, index.Main, [5, 5]);

        Assert.Equal((index.Bytes, index.Bytes), (file.Length, loaded.Bytes));
        Assert.Equal(tables, loaded.Tables);
        Assert.All(Enumerable.Range(0, Few), key => Assert.Contains(AddressOf(key), AddressesIn(loaded, key)));
    }

    private static SettledIndex New(ImmutableArray<TableSize> tables, int firstGroups = TableSize.MostGroups, LiveState? state = null)
    {
        var index = new SettledIndex(tables, First, state, firstGroups);
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

    private static void FillAndGrow(SettledIndex index, int first, int end)
    {
        for (int key = first; key < end; key++)
        {
            if (index.IsGrowthDue) index.BeginGrowth();
            index.Insert(Hash(key), AddressOf(key), hits: 0);
        }
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
        return [.. found.Distinct()]; // the two buckets of a few keys are one
    }
}
