using HybridCaching.Configuration;
using HybridCaching.HotTier;
using HybridCaching.Records;

namespace HybridCaching.Tests.HotTier;

public sealed class HotTableTests
{
    private const int Ways = 4;

    /// <summary>Tag 0xAB, row 0 of the smallest table.</summary>
    private const ulong Hash = 0xAB00_0000_0000_0000;

    private readonly HotTable<long, long> _table = new(rows: 4, Ways, HotRow.MaximumWays);

    [Fact]
    public void TryRead_Filled_IsTheValue()
    {
        Fill(1, Hash, 10);
        Assert.Equal(10, Read(1, Hash));
    }

    [Fact]
    public void TryRead_Filled_GivesTheHeader()
    {
        var entry = new Entry<long> { Header = 77, Value = 10 };
        _table.TryFill(1, Hash, in entry, WordOf(Hash));
        long value = 0;
        _table.TryRead(1, Hash, ref value, out ulong header, out _);
        Assert.Equal(77UL, header);
    }

    [Fact]
    public void TryRead_NeverFilled_IsAMiss() => Assert.Null(Read(1, Hash));

    [Fact]
    public void TryRead_OtherKeyFilled_IsAMiss()
    {
        Fill(1, Hash, 10);
        Assert.Null(Read(2, Hash + (1UL << 56)));
    }

    [Fact]
    public void TryRead_KeyZeroInAnEmptyRow_IsAMiss() => Assert.Null(Read(0, hash: 0));

    [Fact]
    public void TryRead_HashWithTagZero_IsTheValue()
    {
        Fill(0, hash: 0, 10);
        Assert.Equal(10, Read(0, hash: 0));
    }

    [Fact]
    public void TryRead_LockedRow_IsAMiss()
    {
        Fill(1, Hash, 10);
        _table.Lock(Hash);
        Assert.Null(Read(1, Hash));
        _table.UnlockUnchanged(Hash);
    }

    [Fact]
    public void TryRead_OtherRowLocked_IsTheValue()
    {
        Fill(1, Hash, 10);
        _table.Lock(OtherRow(Hash));
        Assert.Equal(10, Read(1, Hash));
        _table.UnlockUnchanged(OtherRow(Hash));
    }

    [Fact]
    public void TryRead_UnlockedAgain_IsTheValue()
    {
        Fill(1, Hash, 10);
        _table.Lock(Hash);
        _table.UnlockWritten(Hash);
        Assert.Equal(10, Read(1, Hash));
    }

    [Fact]
    public void TryRead_SameTagAndRow_IsTheValueOfTheKey()
    {
        Fill(1, Hash, 10);
        Fill(2, Hash, 20);
        Assert.Equal((10, 20), (Read(1, Hash), Read(2, Hash)));
    }

    [Fact]
    public void TryFill_KeyThereAlready_ReplacesItsValue()
    {
        Fill(1, Hash, 10);
        Fill(1, Hash, 11);
        Assert.Equal(11, Read(1, Hash));
    }

    [Fact]
    public void TryFill_VersionChanged_FillsNothing()
    {
        ulong noted = WordOf(Hash);
        Write(Hash);
        Fill(1, Hash, 10, noted);
        Assert.Null(Read(1, Hash));
    }

    [Fact]
    public void TryFill_VersionChanged_LeavesTheCopyThatIsThere()
    {
        Fill(1, Hash, 10);
        ulong noted = WordOf(Hash);
        Write(Hash);
        Fill(1, Hash, 9, noted);
        Assert.Equal(10, Read(1, Hash));
    }

    [Fact]
    public void TryFill_RowLockedWhenNoted_FillsNothing()
    {
        _table.Lock(Hash);
        ulong noted = WordOf(Hash);
        _table.UnlockUnchanged(Hash);
        Fill(1, Hash, 10, noted);
        Assert.Null(Read(1, Hash));
    }

    [Fact]
    public void TryFill_RowLockedNow_FillsNothing()
    {
        ulong noted = WordOf(Hash);
        _table.Lock(Hash);
        Fill(1, Hash, 10, noted);
        _table.UnlockUnchanged(Hash);
        Assert.Null(Read(1, Hash));
    }

    [Fact]
    public void TryFill_OtherKeyFilledSinceNoted_Fills()
    {
        ulong noted = WordOf(Hash);
        Fill(2, Hash, 20);
        Fill(1, Hash, 10, noted);
        Assert.Equal(10, Read(1, Hash));
    }

    [Fact]
    public void TryFill_RowClearedSinceNoted_FillsNothing()
    {
        ulong noted = WordOf(Hash);
        Clear();
        Fill(1, Hash, 10, noted);
        Assert.Null(Read(1, Hash));
    }

    [Fact]
    public void Update_CopyThere_ChangesIt()
    {
        Fill(1, Hash, 10);
        Update(1, Hash, 11);
        Assert.Equal(11, Read(1, Hash));
    }

    [Fact]
    public void Update_NoCopy_MakesNone()
    {
        Update(1, Hash, 11);
        Assert.Null(Read(1, Hash));
    }

    [Fact]
    public void Update_OtherKeyOfTheRow_Stays()
    {
        Fill(1, Hash, 10);
        Fill(2, Hash, 20);
        Update(1, Hash, 11);
        Assert.Equal(20, Read(2, Hash));
    }

    [Fact]
    public void TryReadLocked_CopyThere_IsTheValue()
    {
        Fill(1, Hash, 10);
        Entry<long> entry = default;
        _table.Lock(Hash);
        Assert.True(_table.TryReadLocked(1, Hash, ref entry));
        _table.UnlockUnchanged(Hash);
        Assert.Equal(10, entry.Value);
    }

    [Fact]
    public void TryReadLocked_NoCopy_IsAMiss()
    {
        Entry<long> entry = default;
        _table.Lock(Hash);
        Assert.False(_table.TryReadLocked(1, Hash, ref entry));
        _table.UnlockUnchanged(Hash);
    }

    [Fact]
    public void Forget_CopyThere_DropsIt()
    {
        Fill(1, Hash, 10);
        Forget(1, Hash);
        Assert.Null(Read(1, Hash));
    }

    [Fact]
    public void Forget_OtherKeysOfTheRow_Stay()
    {
        for (long key = 0; key < Ways; key++) Fill(key, Hash, key * 10);
        Forget(2, Hash);
        Assert.Equal([0, 10, null, 30], Enumerable.Range(0, Ways).Select(key => Read(key, Hash)));
    }

    [Fact]
    public void Forget_RowFull_MakesRoomForAnother()
    {
        for (long key = 0; key < Ways; key++) Fill(key, Hash, key);
        Forget(1, Hash);
        Fill(100, Hash, 100);
        Assert.Equal([0, null, 2, 3, 100], new long[] { 0, 1, 2, 3, 100 }.Select(key => Read(key, Hash)));
    }

    [Fact]
    public void ClearAndUnlockAll_AllRowsFull_DropsAll()
    {
        var hashes = Enumerable.Range(0, 4 * Ways).Select(i => Hash | ((ulong)i << 50)).ToList();
        foreach (var (key, hash) in hashes.Index()) Fill(key, hash, key);
        Clear();
        Assert.All(hashes.Index(), h => Assert.Null(Read(h.Index, h.Item)));
    }

    [Fact]
    public void ClearAndUnlockAll_FilledAfterwards_IsTheValue()
    {
        Clear();
        Fill(1, Hash, 10);
        Assert.Equal(10, Read(1, Hash));
    }

    [Fact]
    public void TryFill_NoWays_NeverHits()
    {
        var table = new HotTable<long, long>(rows: 4, ways: 0, maximumWays: 0);
        Entry<long> entry = default;
        ulong noted = table.ReadUnlocked(Hash);
        for (long key = 0; key < 100; key++) table.TryFill(in key, Hash, in entry, noted);
        Assert.DoesNotContain(true, Enumerable.Range(0, 100).Select(key => table.TryRead(key, Hash, ref entry.Value, out entry.Header, out _)));
    }

    [Fact]
    public void Ways_None_TakeNoMemoryForCopies() => Assert.Equal(4 * MemoryPlan.HotRowBytes, new HotTable<long, long>(rows: 4, ways: 0, maximumWays: 0).MemoryBytes);

    [Fact]
    public void TryFill_RowFull_KeepsAsManyAsThereAreWays()
    {
        for (long key = 0; key < 100; key++) Fill(key, Hash, key);
        Assert.Equal(Ways, Enumerable.Range(0, 100).Count(key => Read(key, Hash) == key));
    }

    [Fact]
    public void TryFill_RowFull_LeavesOtherRowsAlone()
    {
        for (long key = 0; key < Ways; key++) Fill(key, OtherRow(Hash), key);
        for (long key = 100; key < 200; key++) Fill(key, Hash, key);
        Assert.Equal([0, 1, 2, 3], Enumerable.Range(0, Ways).Select(key => Read(key, OtherRow(Hash))));
    }

    [Fact]
    public void TryFill_FloodOfKeysReadOnce_LeavesTheKeyReadOften()
    {
        const long Often = -1;
        Fill(Often, Hash, 7);
        for (long key = 0; key < 1_000; key++)
        {
            Fill(key, Hash, key);
            Assert.Equal(key, Read(key, Hash));
            Assert.Equal(7, Read(Often, Hash));
        }
    }

    [Fact]
    public void TryFill_FloodOfKeysNeverRead_TakesThreeRoundsToDropAKeyReadThrice()
    {
        const long Often = -1;
        Fill(Often, Hash, 7);
        for (int i = 0; i < 3; i++) Read(Often, Hash);
        for (long key = 0; key < 3 * (Ways - 1); key++) Fill(key, Hash, key);
        Assert.Equal(7, Read(Often, Hash));
    }

    [Fact]
    public void TryFill_FloodAfterAKeyWasReadOften_DropsItInTheEnd()
    {
        const long Often = -1;
        Fill(Often, Hash, 7);
        for (int i = 0; i < 1_000; i++) Read(Often, Hash);
        for (long key = 0; key < 8 * Ways; key++) Fill(key, Hash, key);
        Assert.Null(Read(Often, Hash));
    }

    [Fact]
    public void Ways_Grown_KeepTheCopies()
    {
        for (int ways = Ways; ways <= HotRow.MaximumWays; ways++)
        {
            while (_table.Ways < ways) _table.TakeWay();
            for (long key = 0; key < ways; key++) Fill(key, Hash, key * 10);
            Assert.All(Enumerable.Range(0, ways), key => Assert.Equal(key * 10, Read(key, Hash)));
        }
    }

    [Fact]
    public void TakeWay_ManyTimes_StopsAtTheMaximum()
    {
        for (int i = 0; i <= HotRow.MaximumWays; i++) _table.TakeWay();
        Assert.Equal(HotRow.MaximumWays, _table.Ways);
    }

    [Fact]
    public void GiveUpWay_FullRow_DropsTheCopiesOfThatWayOnly()
    {
        for (long key = 0; key < Ways; key++) Fill(key, Hash, key);
        _table.GiveUpWay();
        Assert.Equal(Ways - 1, Enumerable.Range(0, Ways).Count(key => Read(key, Hash) == key));
    }

    [Fact]
    public void GiveUpWay_None_DoesNothing()
    {
        for (int i = 0; i <= Ways; i++) _table.GiveUpWay();
        Assert.Equal(0, _table.Ways);
    }

    [Fact]
    public void TryFill_AllWaysGivenUp_IsMiss()
    {
        for (int i = 0; i < Ways; i++) _table.GiveUpWay();
        Fill(1, Hash, 1);
        Assert.Null(Read(1, Hash));
    }

    private static ulong OtherRow(ulong hash) => hash ^ (1UL << 50);

    private ulong WordOf(ulong hash)
    {
        long value = 0;
        _table.TryRead(long.MinValue, hash, ref value, out _, out ulong seen);
        return seen;
    }

    private long? Read(long key, ulong hash)
    {
        long value = 0;
        return _table.TryRead(in key, hash, ref value, out _, out _) ? value : null;
    }

    private void Fill(long key, ulong hash, long value, ulong? seen = null) => _table.TryFill(in key, hash, new Entry<long> { Value = value }, seen ?? WordOf(hash));

    private void Update(long key, ulong hash, long value)
    {
        _table.Lock(hash);
        _table.Update(in key, hash, new Entry<long> { Value = value });
        _table.UnlockWritten(hash);
    }

    private void Forget(long key, ulong hash)
    {
        _table.Lock(hash);
        _table.Forget(in key, hash);
        _table.UnlockWritten(hash);
    }

    private void Write(ulong hash)
    {
        _table.Lock(hash);
        _table.UnlockWritten(hash);
    }

    private void Clear()
    {
        _table.LockAll();
        _table.ClearAndUnlockAll();
    }
}
