using HybridCaching.Configuration;
using HybridCaching.HotTier;
using HybridCaching.Records;

namespace HybridCaching.Tests.HotTier;

/// <summary>Once a table is full, copies of keys that were not seen before take one another's place.</summary>
public sealed class ProbationTests
{
    private const int Ways = HotRow.MaximumWays;
    private const int InRow = Ways / 6;
    private const ulong Hash = 0xAB00_0000_0000_0000;

    private const int Rows = 256;
    private const int ValueBytes = 1000;
    private const int WaysOfBytes = 16;

    /// <summary>A segment of 32 KiB for each way; one of sixteen is for probation.</summary>
    private const int SlotBytes = 16 + 128;

    private const int Copies = 400;

    private readonly HotTable<long, long> _table = new(rows: 4, Ways, Ways);
    private readonly HotBytes _bytes = new(Rows, WaysOfBytes, WaysOfBytes, SlotBytes);

    [Fact]
    public unsafe void RowBytes_OfThePlan_AreThoseOfARow() => Assert.Equal(MemoryPlan.HotRowBytes, sizeof(HotRow) + sizeof(GhostTags));

    [Fact]
    public void Row_ManyKeysReadOnce_TakeNoMoreThanTheirWays()
    {
        for (long key = 1; key <= Ways; key++) Fill(key);
        for (long key = 1000; key < 2000; key++) Fill(key);
        Assert.Equal(Ways - InRow, Enumerable.Range(1, Ways).Count(key => IsThere(key)));
    }

    [Fact]
    public void Row_KeyReadTwiceOnProbation_Stays()
    {
        for (long key = 1; key <= Ways; key++) Fill(key);
        Fill(1000);
        Assert.True(IsThere(1000) && IsThere(1000));
        for (long key = 2000; key < 3000; key++) Fill(key);
        Assert.True(IsThere(1000));
    }

    /// <summary>The others have been read, too, so that the search for a victim comes round to it.</summary>
    [Fact]
    public void Row_KeyReadTwiceOnProbationAndAllOthersRead_Stays()
    {
        for (long key = 1; key <= Ways; key++) Fill(key);
        Fill(1000);
        Fill(1001);
        for (long key = 1; key <= Ways; key++) IsThere(key);
        Assert.True(IsThere(1000) && IsThere(1000));
        for (long key = 2000; key < 2000 + InRow; key++) Fill(key);
        Assert.True(IsThere(1000));
    }

    [Fact]
    public void Row_FewWaysLeft_AllOfThemAreFilled()
    {
        FillAndGiveUpWays(left: 4);
        for (long key = 3000; key < 3100; key++) Fill(key);
        Assert.Equal(4, Enumerable.Range(3000, 100).Count(key => IsThere(key)));
    }

    [Fact]
    public void Row_CopiesOnProbation_GoInTheOrderTheyCame()
    {
        for (long key = 1; key <= Ways; key++) Fill(key);
        for (long key = 1000; key < 1000 + InRow; key++) Fill(key);
        for (long gone = 1000; gone < 1000 + (2 * InRow); gone++)
        {
            Assert.True(IsThere(gone));
            Fill(gone + InRow);
            Assert.False(IsThere(gone));
        }
    }

    [Fact]
    public void Row_OneOfThoseOnProbationStays_TheOthersGoInTheOrderTheyCame()
    {
        for (long key = 1; key <= Ways; key++) Fill(key);
        for (long key = 1000; key < 1000 + InRow; key++) Fill(key);
        Assert.True(IsThere(1001) && IsThere(1001));
        for (long key = 2000; key < 2003; key++) Fill(key);
        Assert.Equal([false, true, false, true], Enumerable.Range(1000, 4).Select(key => IsThere(key)));
    }

    /// <summary>A removal takes a copy off probation wherever it stands in the order.</summary>
    [Fact]
    public void Row_OneOfThoseOnProbationRemoved_TheOthersGoInTheOrderTheyCame()
    {
        for (long key = 1; key <= Ways; key++) Fill(key);
        for (long key = 1000; key < 1000 + InRow; key++) Fill(key);
        Forget(1001);
        for (long key = 2000; key < 2003; key++) Fill(key); // the first takes the way that is free
        Assert.Equal([false, false, true, true], Enumerable.Range(1000, 4).Select(key => IsThere(key)));
    }

    [Fact]
    public void Row_KeyReadOnceOnProbation_GoesAway()
    {
        for (long key = 1; key <= Ways; key++) Fill(key);
        Fill(1000);
        Assert.True(IsThere(1000));
        for (long key = 2000; key < 3000; key++) Fill(key);
        Assert.False(IsThere(1000));
    }

    [Fact]
    public void Row_KeyBackSoonAfterItsProbation_Stays()
    {
        for (long key = 1; key <= Ways; key++) Fill(key);
        Fill(1000);
        for (long key = 2000; key < 2000 + InRow; key++) Fill(key);
        Fill(1000);
        for (long key = 3000; key < 4000; key++) Fill(key);
        Assert.True(IsThere(1000));
    }

    [Fact]
    public void Row_AllButTheWaysOfProbationGivenUp_IsFilledGoingOn()
    {
        FillAndGiveUpWays(left: 1);
        Fill(1);
        Assert.True(IsThere(1));
    }

    /// <summary>The log's memory is probation, too: what is read there again needs no other.</summary>
    [Fact]
    public void Row_KeyNotedBefore_Stays()
    {
        for (long key = 1; key <= Ways; key++) Fill(key);
        Assert.False(_table.NoteRead(HashInRow(1000)));
        Assert.True(_table.NoteRead(HashInRow(1000)));
        Fill(1000);
        for (long key = 2000; key < 2000 + InRow; key++) Fill(key);
        Assert.True(IsThere(1000));
    }

    [Fact]
    public void Row_NotFull_FirstReadIsEnough()
    {
        for (long key = 1; key < Ways; key++) Fill(key);
        Assert.True(_table.NoteRead(HashInRow(1000)));
    }

    [Fact]
    public void Row_NoWays_ReadsAreNeverEnough()
    {
        while (_table.Ways > 0) _table.GiveUpWay();
        Assert.False(_table.NoteRead(Hash) | _table.NoteRead(Hash));
    }

    [Fact]
    public void Row_AllCopiesRead_HasNoUnread()
    {
        for (long key = 1; key <= Ways; key++) Fill(key);
        for (long key = 1; key <= Ways; key++) IsThere(key);
        Assert.False(_table.HasUnread(Hash));
    }

    [Fact]
    public void Row_AllCopiesReadLongAgo_HasUnread()
    {
        for (long key = 1; key <= Ways; key++) Fill(key);
        for (long key = 1; key <= Ways; key++) IsThere(key);
        for (int i = 0; i < Ways; i++) _table.HasUnread(Hash);
        Assert.True(_table.HasUnread(Hash));
    }

    /// <summary>What was found to be unread is what gives way.</summary>
    [Fact]
    public void Row_OneCopyUnread_GivesWayToWhatWasNoted()
    {
        for (long key = 1; key <= Ways; key++) Fill(key);
        for (long key = 1; key <= Ways; key++) Assert.True(key == 7 || IsThere(key));
        _table.NoteRead(HashInRow(1000));
        for (int i = 0; i < Ways && !_table.HasUnread(Hash); i++) { }
        Fill(1000);
        Assert.Equal((false, true), (IsThere(7), IsThere(1000)));
    }

    [Fact]
    public void Row_WayEmpty_HasUnread()
    {
        for (long key = 1; key < Ways; key++) Fill(key);
        for (long key = 1; key < Ways; key++) IsThere(key);
        Assert.True(_table.HasUnread(Hash));
    }

    [Fact]
    public void Row_NoWays_HasNoUnread()
    {
        while (_table.Ways > 0) _table.GiveUpWay();
        Assert.False(_table.HasUnread(Hash));
    }

    [Fact]
    public void Arena_KeyNotedBefore_Stays()
    {
        for (int key = 0; key < 2 * Copies; key++) FillBytes(key);
        Assert.False(_bytes.NoteRead(HashOf(10_000)));
        Assert.True(_bytes.NoteRead(HashOf(10_000)));
        FillBytes(10_000);
        for (int key = 30_000; key < 30_000 + (Copies / 8); key++) FillBytes(key);
        Assert.True(IsInBytes(10_000));
    }

    [Fact]
    public void Arena_NotFull_FirstReadIsEnough()
    {
        FillBytes(1);
        Assert.True(_bytes.NoteRead(HashOf(10_000)));
    }

    [Fact]
    public void Arena_NoWays_ReadsAreNeverEnough()
    {
        while (_bytes.Ways > 0) _bytes.GiveUpWay();
        Assert.False(_bytes.NoteRead(Hash) | _bytes.NoteRead(Hash));
    }

    [Fact]
    public void Arena_ManyKeysReadOnce_LeaveMostOfTheOthers()
    {
        for (int key = 0; key < Copies; key++) FillBytes(key);
        for (int key = 10_000; key < 20_000; key++) FillBytes(key);
        Assert.InRange(Enumerable.Range(0, Copies).Count(IsInBytes), Copies * 3 / 4, Copies);
    }

    [Fact]
    public void Arena_KeyReadTwiceOnProbation_Stays()
    {
        for (int key = 0; key < 2 * Copies; key++) FillBytes(key);
        FillBytes(10_000);
        Assert.True(IsInBytes(10_000) && IsInBytes(10_000));
        for (int key = 20_000; key < 20_000 + Copies; key++) FillBytes(key);
        Assert.True(IsInBytes(10_000));
    }

    [Fact]
    public void Arena_KeyBackSoonAfterItsProbation_Stays()
    {
        for (int key = 0; key < 2 * Copies; key++) FillBytes(key);
        FillBytes(10_000);
        for (int key = 20_000; key < 20_000 + (Copies / 8); key++) FillBytes(key);
        Assert.False(IsInBytes(10_000));
        FillBytes(10_000);
        for (int key = 30_000; key < 30_000 + Copies; key++) FillBytes(key);
        Assert.True(IsInBytes(10_000));
    }

    [Fact]
    public void Arena_WaysTakenLater_AreFilledSoon()
    {
        var bytes = new HotBytes(Rows, ways: 11, WaysOfBytes, SlotBytes);
        for (int key = 0; key < 2 * Copies; key++) FillBytes(key, bytes: bytes);
        for (int key = 5_000; key < 5_000 + (Copies / 4); key++) FillBytes(key, ValueKind.Chunk, bytes); // the ring goes on to somewhere in the middle
        while (bytes.Ways < WaysOfBytes) bytes.TakeWay();
        for (int key = 10_000; key < 10_000 + (2 * Copies); key++) FillBytes(key, bytes: bytes);
        Assert.True(Enumerable.Range(10_000, 2 * Copies).Count(key => IsInBytes(key, bytes)) > Copies / 2);
    }

    /// <summary>Pieces judged one by one would leave values that are not whole.</summary>
    [Fact]
    public void Arena_PiecesOfLongValues_TakeThePlaceOfAll()
    {
        for (int key = 0; key < Copies; key++) FillBytes(key);
        for (int key = 10_000; key < 10_000 + (4 * Copies); key++) FillBytes(key, ValueKind.Chunk);
        Assert.DoesNotContain(Enumerable.Range(0, Copies), IsInBytes);
    }

    private static ulong HashOf(int key) => (ulong)key * 0x9E37_79B9_7F4A_7C15;

    private static byte[] KeyOf(int key) => BitConverter.GetBytes(key);

    // Keys of one row, each with a tag of its own as far as there are so many.
    private static ulong HashInRow(long key) => Hash ^ ((ulong)key << 56);

    private void Fill(long key)
    {
        Entry<long> entry = new() { Value = key };
        _table.TryFill(in key, HashInRow(key), in entry, _table.ReadUnlocked(HashInRow(key)));
    }

    private void Forget(long key)
    {
        _table.Lock(HashInRow(key));
        _table.Forget(in key, HashInRow(key));
        _table.UnlockWritten(HashInRow(key));
    }

    private bool IsThere(long key)
    {
        long value = 0;
        return _table.TryRead(in key, HashInRow(key), ref value, out _, out _) && value == key;
    }

    private void FillAndGiveUpWays(int left)
    {
        for (long key = 1; key <= Ways; key++) Fill(key);
        for (long key = 1000; key < 2000; key++) Fill(key);
        while (_table.Ways > left) _table.GiveUpWay();
    }

    private void FillBytes(int key, ValueKind kind = ValueKind.Whole, HotBytes? bytes = null) =>
        (bytes ?? _bytes).TryFill(KeyOf(key), HashOf(key), new ValueHeader(default, 0, kind), new byte[ValueBytes], (bytes ?? _bytes).ReadUnlocked(HashOf(key)));

    private bool IsInBytes(int key) => IsInBytes(key, _bytes);

    private static bool IsInBytes(int key, HotBytes bytes) => bytes.TryFind(KeyOf(key), HashOf(key), out var copy, out _) && bytes.TryCopy(in copy, new byte[copy.Length]);
}
