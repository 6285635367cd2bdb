using HybridCaching.Configuration;
using HybridCaching.Store;

namespace HybridCaching.Tests.Store;

/// <summary>Where settled records lie: what is put in is found, what is removed is not, whoever moves it meanwhile.</summary>
public sealed class SettledIndexTests
{
    private const long First = 1L << 48;

    private readonly SettledIndex _index = IndexFrom(First);

    [Fact]
    public void TryNext_NothingInserted_IsFalse() => Assert.Empty(AddressesOf(1));

    [Fact]
    public void TryNext_Inserted_FindsTheAddress()
    {
        _index.Insert(Hash(1), First + 8, hits: 0);

        Assert.Equal([First + 8], AddressesOf(1));
    }

    [Fact]
    public void TryNext_SeveralOfOneKey_FindsAll()
    {
        _index.Insert(Hash(1), First + 8, hits: 0);
        _index.Insert(Hash(1), First + 800, hits: 0);

        Assert.Equal([First + 8, First + 800], AddressesOf(1).Order());
    }

    [Fact]
    public void Remove_KeyWithSeveral_LeavesNone()
    {
        _index.Insert(Hash(1), First + 8, hits: 0);
        _index.Insert(Hash(1), First + 800, hits: 2);

        Assert.True(_index.Remove(Hash(1)));
        Assert.Empty(AddressesOf(1));
        Assert.False(_index.Remove(Hash(1)));
    }

    [Fact]
    public void Remove_ManyKeys_LeavesTheOthers()
    {
        for (int key = 0; key < 2000; key++) _index.Insert(Hash(key), AddressOf(key), hits: 0);
        for (int key = 0; key < 2000; key += 2) _index.Remove(Hash(key));

        Assert.All(Enumerable.Range(0, 2000), key => Assert.Equal(key % 2 == 1, AddressesOf(key).Contains(AddressOf(key))));
        Assert.Equal(1000, _index.Count);
    }

    [Fact]
    public void TryMove_Inserted_LeadsToTheCopy()
    {
        _index.Insert(Hash(1), First + 8, hits: 3);

        Assert.True(_index.TryMove(Hash(1), First + 8, First + 80, hits: 2));
        Assert.Equal([First + 80], AddressesOf(1));
        Assert.True(_index.TryHitsOf(Hash(1), First + 80, out int hits));
        Assert.Equal(2, hits);
    }

    [Fact]
    public void TryMove_Removed_IsFalse()
    {
        _index.Insert(Hash(1), First + 8, hits: 0);
        _index.Remove(Hash(1));

        Assert.False(_index.TryMove(Hash(1), First + 8, First + 80, hits: 0));
        Assert.Empty(AddressesOf(1));
    }

    [Fact]
    public void TryRemove_OneOfTwo_LeavesTheOther()
    {
        _index.Insert(Hash(1), First + 8, hits: 0);
        _index.Insert(Hash(1), First + 80, hits: 0);

        Assert.True(_index.TryRemove(Hash(1), First + 8));
        Assert.False(_index.TryRemove(Hash(1), First + 8));
        Assert.Equal([First + 80], AddressesOf(1));
    }

    [Fact]
    public void CountHit_Often_StopsAtThree()
    {
        _index.Insert(Hash(1), First + 8, hits: 0);
        for (int i = 0; i < 10; i++) _index.CountHit(Hash(1), First + 8);

        Assert.True(_index.TryHitsOf(Hash(1), First + 8, out int hits));
        Assert.Equal(SettledIndex.MostHits, hits);
        Assert.Equal([First + 8], AddressesOf(1));
    }

    [Fact]
    public void CountHit_Unknown_ChangesNothing()
    {
        _index.CountHit(Hash(1), First + 8);

        Assert.Empty(AddressesOf(1));
    }

    [Fact]
    public void DropBefore_OlderRecords_AreGone()
    {
        _index.Insert(Hash(1), First + 8, hits: 0);
        _index.Insert(Hash(2), First + 80, hits: 0);

        _index.Drop(ref _index.Main, First + 80);

        Assert.Empty(AddressesOf(1));
        Assert.Equal([First + 80], AddressesOf(2));
    }

    [Fact]
    public void DropBefore_Less_ChangesNothing()
    {
        _index.Drop(ref _index.Main, First + 80);
        _index.Drop(ref _index.Main, First + 8);

        Assert.Equal(First + 80, _index.Main.Begin);
    }

    [Fact]
    public void TryNext_OnProbation_IsNotTakenForTheMainLog()
    {
        _index.Probation.Tail = 1 << 20;
        _index.Insert(Hash(1), 4096, hits: 0);
        Assert.Equal([4096], AddressesOf(1));

        Assert.True(_index.TryMove(Hash(1), 4096, First + 4096, hits: 0));
        _index.Drop(ref _index.Probation, 1 << 20);

        Assert.Equal([First + 4096], AddressesOf(1));
    }

    [Fact]
    public void Clear_AndSweep_CountNone()
    {
        for (int key = 0; key < 1000; key++) _index.Insert(Hash(key), AddressOf(key), hits: 0);
        _index.Clear();
        long cleared = _index.Count;
        _index.Main.Tail += 1 << 20;
        for (int key = 0; key < 100; key++) _index.Insert(Hash(key), _index.Main.Begin + (8 * key), hits: 0);
        _index.Sweep();

        Assert.Equal((0, 100), (cleared, _index.Count));
        Assert.All(Enumerable.Range(0, 100), key => Assert.Single(AddressesOf(key)));
    }

    /// <summary>A word has room for 32 TiB of addresses; a log that was written for years is beyond.</summary>
    [Fact]
    public void TryNext_AddressesBeyondAWord_ComeBackWhole()
    {
        const long Far = (1L << 50) + (1L << 44) - 64;
        var index = IndexFrom(Far);
        index.Insert(Hash(1), Far + 8, hits: 0);
        index.Insert(Hash(2), Far + 4096, hits: 0);

        Assert.Equal([Far + 8], AddressesIn(index, 1));
        Assert.Equal([Far + 4096], AddressesIn(index, 2));
    }

    [Fact]
    public void Insert_FourFifthsFull_TurnsHardlyAnyOut()
    {
        int keys = (int)(_index.Bytes / 8 * 0.8);
        for (int key = 0; key < keys; key++) _index.Insert(Hash(key), AddressOf(key), hits: 0);

        Assert.InRange(_index.TurnedOut, 0, keys / 500);
        Assert.Equal(keys, _index.Count + _index.TurnedOut);
    }

    [Fact]
    public void Insert_Overfull_KeepsWhatWasHit()
    {
        int keys = (int)(_index.Bytes / 8);
        for (int key = 0; key < keys / 4; key++) _index.Insert(Hash(key), AddressOf(key), hits: 1);
        for (int key = keys / 4; key < 2 * keys; key++) _index.Insert(Hash(key), AddressOf(key), hits: 0);

        Assert.Equal(keys / 4, Enumerable.Range(0, keys / 4).Count(key => AddressesOf(key).Contains(AddressOf(key))));
    }

    [Fact]
    public void Load_Saved_IsTheSame()
    {
        for (int key = 0; key < 1000; key++) _index.Insert(Hash(key), AddressOf(key), hits: key % 4);
        using var file = new MemoryStream();
        uint sum = _index.Save(file);
        file.Position = 0;

        var loaded = new SettledIndex([TableSize.Of(64 << 10)], First);
        loaded.Load(file, sum, default, _index.Main, [TableSize.MostGroups]);

        Assert.All(Enumerable.Range(0, 1000), key => Assert.Equal([AddressOf(key)], AddressesIn(loaded, key)));
        Assert.Equal(1000, loaded.Count);
    }

    [Theory]
    [InlineData(0)]
    [InlineData(1)]
    [InlineData(-1)]
    public void Load_OtherBytes_Throws(int more)
    {
        using var file = new MemoryStream();
        uint sum = _index.Save(file);
        if (more == 0) file.GetBuffer()[100] ^= 1;
        else file.SetLength(file.Length + more);
        file.Position = 0;

        Assert.ThrowsAny<IOException>(() => ThrowAsIo(() => new SettledIndex([TableSize.Of(64 << 10)], First).Load(file, sum, default, default, [TableSize.MostGroups])));
    }

    /// <summary>A model: what each key stands for, by address. Keys are few, so they meet often.</summary>
    [Fact]
    public void Any_SequenceOfChanges_AgreesWithAModel()
    {
        var random = new Random(7);
        var model = new Dictionary<int, long>();
        long tail = First;
        for (int step = 0; step < 200_000; step++)
        {
            int key = random.Next(3000);
            switch (random.Next(5))
            {
                case 0:
                    _index.Remove(Hash(key));
                    model.Remove(key);
                    break;
                case 1 when model.TryGetValue(key, out long from):
                    Assert.True(_index.TryMove(Hash(key), from, tail += 8, hits: 1));
                    model[key] = tail;
                    break;
                case 2:
                    _index.CountHit(Hash(key), model.GetValueOrDefault(key, First));
                    break;
                case 3 when step % 50 == 0:
                    _index.Drop(ref _index.Main, tail - (20_000 * 8));
                    foreach (int old in model.Where(e => e.Value < _index.Main.Begin).Select(e => e.Key).ToList()) model.Remove(old);
                    break;
                default:
                    _index.Remove(Hash(key));
                    _index.Insert(Hash(key), tail += 8, hits: 0);
                    model[key] = tail;
                    break;
            }

            if (step % 16 == 0) Assert.Equal(model.TryGetValue(key, out long address) ? [address] : [], AddressesOf(key).Where(a => model.ContainsValue(a)));
        }
    }

    /// <summary>One thread moves a key's record and counts its hits, another removes the key: afterwards nothing may lead to it.</summary>
    [Fact]
    public void Remove_WhileMovedAndCounted_LeavesNone()
    {
        using var barrier = new Barrier(3);
        int left = 0;
        var threads = Enumerable.Range(0, 3).Select(me => new Thread(() => Race(me))).ToList();
        threads.ForEach(t => t.Start());
        threads.ForEach(t => t.Join());

        Assert.Equal(0, left);

        void Race(int me)
        {
            for (int round = 1; round <= 3000; round++)
            {
                long address = First + (round * 1024L);
                if (me == 0) _index.Insert(Hash(1), address, hits: 0);
                barrier.SignalAndWait();
                for (int i = 0; me == 1 && i < 8; i++) _index.TryMove(Hash(1), address + (8 * i), address + (8 * (i + 1)), hits: 0);
                for (int i = 0; me == 2 && i < 8; i++) _index.CountHit(Hash(1), address + (8 * i));
                if (me == 0) _index.Remove(Hash(1));
                barrier.SignalAndWait();
                if (me == 0) left += AddressesOf(1).Count;
                barrier.SignalAndWait();
            }
        }
    }

    private static void ThrowAsIo(Action action)
    {
        try
        {
            action();
        }
        catch (InvalidDataException e)
        {
            throw new IOException(e.Message, e);
        }
    }

    private static SettledIndex IndexFrom(long first)
    {
        var index = new SettledIndex([TableSize.Of(64 << 10)], first);
        index.Main.Tail = first + (1L << 40);
        return index;
    }

    private static long AddressOf(int key) => First + (8L * (key + 1));

    /// <summary>Like those of the key hash, all bits count (SplitMix64); the same in every run, for keys with one tag and bucket are removed together.</summary>
    private static ulong Hash(int key)
    {
        ulong hash = (ulong)(key + 1) * 0x9E37_79B9_7F4A_7C15;
        hash = (hash ^ (hash >> 30)) * 0xBF58_476D_1CE4_E5B9;
        hash = (hash ^ (hash >> 27)) * 0x94D0_49BB_1331_11EB;
        return hash ^ (hash >> 31);
    }

    private List<long> AddressesOf(int key) => AddressesIn(_index, key);

    private static List<long> AddressesIn(SettledIndex index, int key)
    {
        var found = new List<long>();
        for (int place = 0; index.TryNext(Hash(key), ref place, out long address);) found.Add(address);
        return [.. found.Distinct()];
    }
}
