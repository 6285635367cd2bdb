using HybridCaching.HotTier;
using HybridCaching.Records;

namespace HybridCaching.Tests.HotTier;

/// <summary>Copies that are the only place where their entry is: they are not given up as long as there are others.</summary>
public sealed class UnloggedCopyTests
{
    private const int Ways = HotRow.MaximumWays;
    private const ulong Hash = 0xAB00_0000_0000_0000;

    private readonly HotTable<long, long> _table = new(rows: 4, Ways, Ways);

    public UnloggedCopyTests()
    {
        for (long key = 1; key <= Ways; key++) Fill(key);
    }

    [Fact]
    public void MayBeUnlogged_ReadOnce_No()
    {
        Read(1);
        Assert.False(MayBeUnlogged(1));
    }

    [Fact]
    public void MayBeUnlogged_ReadTwice_Yes()
    {
        Read(1);
        Read(1);
        Assert.True(MayBeUnlogged(1));
    }

    [Fact]
    public void MayBeUnlogged_OnProbation_No()
    {
        Fill(1000);
        Read(1000);
        Read(1000);
        Assert.False(MayBeUnlogged(1000));
    }

    [Fact]
    public void MayBeUnlogged_HalfOfTheRowIs_No()
    {
        for (long key = 1; key < Ways / 2; key++) Store(key, key);
        Read(Ways);
        Read(Ways);
        Assert.True(MayBeUnlogged(Ways));
        Store(Ways / 2, 0);
        Assert.False(MayBeUnlogged(Ways));
    }

    [Fact]
    public void TryFill_ManyOthersComeAndAreRead_UnloggedStay()
    {
        for (long key = 1; key <= Ways / 2; key++) Store(key, -key);
        for (long key = 1000; key < 2000; key++)
        {
            Fill(key);
            Read(key);
            Read(key);
        }

        for (long key = 1; key <= Ways / 2; key++) Assert.Equal(-key, Read(key));
        Assert.Equal(Ways / 2, _table.UnloggedCopies);
    }

    [Fact]
    public void TryFill_AllAreUnlogged_NothingIsFilled()
    {
        for (long key = 1; key <= Ways; key++) Store(key, -key);
        Fill(1000);
        Assert.Null(Read(1000));
        for (long key = 1; key <= Ways; key++) Assert.Equal(-key, Read(key));
    }

    [Fact]
    public void HasUnread_AllAreUnlogged_No()
    {
        for (long key = 1; key <= Ways; key++) Store(key, -key);
        Assert.False(_table.HasUnread(HashInRow(1000)));
    }

    /// <summary>What is on probation is in the log.</summary>
    [Fact]
    public void GiveUpWay_AllOthersAreUnloggedOrOnProbation_OneOnProbationGoes()
    {
        Fill(1000);
        var others = Enumerable.Range(1, Ways).Select(key => (long)key).Where(key => Read(key) == key).ToList();
        foreach (long key in others) Store(key, -key);
        _table.GiveUpWay();
        foreach (long key in others) Assert.Equal(-key, Read(key));
        Assert.Null(Read(1000));
    }

    [Fact]
    public void GiveUpWay_UnloggedCopiesInIt_MoveToOthers()
    {
        for (long key = 1; key <= Ways; key += 4) Store(key, -key);
        while (_table.Ways > Ways / 4) _table.GiveUpWay();
        for (long key = 1; key <= Ways; key += 4) Assert.Equal(-key, Read(key));
        Assert.Equal(Ways / 4, _table.UnloggedCopies);
    }

    [Fact]
    public void GiveUpWay_AllOthersAreUnlogged_TheCopyIsGone()
    {
        for (long key = 1; key <= Ways; key++) Store(key, -key);
        _table.GiveUpWay();
        Assert.Equal(Ways - 1, Enumerable.Range(1, Ways).Count(key => Read(key) == -key));
        Assert.Equal(Ways - 1, _table.UnloggedCopies);
    }

    [Fact]
    public void GiveUpWay_Moved_IsStillUnlogged()
    {
        Store(Ways, -1);
        int way = WayOf(Ways);
        while (_table.Ways > way) _table.GiveUpWay();
        Assert.True(IsUnlogged(Ways));
    }

    [Fact]
    public void Forget_Unlogged_CountsNoMore()
    {
        Store(1, -1);
        _table.Lock(HashInRow(1));
        _table.Forget(1, HashInRow(1));
        _table.UnlockWritten(HashInRow(1));
        Assert.Null(Read(1));
        Assert.Equal(0, _table.UnloggedCopies);
    }

    [Fact]
    public void ClearAndUnlockAll_Unlogged_NoneIsLeft()
    {
        Store(1, -1);
        _table.LockAll();
        _table.ClearAndUnlockAll();
        Fill(1);
        Assert.False(IsUnlogged(1));
        Assert.Equal(0, _table.UnloggedCopies);
    }

    [Fact]
    public void UnlockLogged_Wanted_StaysAsACopy()
    {
        Store(1, -1);
        Entry<long> entry = default;
        Assert.True(_table.TryLockCopy(0, WayOf(1), isLogged: false, out long key, ref entry));
        _table.UnlockLogged(0, WayOf(1), isWanted: true);
        Assert.Equal((1, -1, false, 0), (key, Read(1), IsUnlogged(1), _table.UnloggedCopies));
    }

    [Fact]
    public void UnlockLogged_NotWanted_IsGone()
    {
        Store(1, -1);
        Entry<long> entry = default;
        int way = WayOf(1);
        Assert.True(_table.TryLockCopy(0, way, isLogged: false, out _, ref entry));
        _table.UnlockLogged(0, way, isWanted: false);
        Assert.Null(Read(1));
    }

    /// <summary>Who looks for copies whose record was dropped would leave it unlogged, though the log has it then.</summary>
    [Fact]
    public void TryLockCopy_LoggedIsMeantAndItIsUnlogged_LeavesTheRowUnlocked()
    {
        Store(1, -1);
        Entry<long> entry = default;
        Assert.False(_table.TryLockCopy(0, WayOf(1), isLogged: true, out _, ref entry));
        Assert.Equal(-1, Read(1));
    }

    [Fact]
    public void TryLockCopy_LogHasIt_LeavesTheRowUnlocked()
    {
        Entry<long> entry = default;
        Assert.False(_table.TryLockCopy(0, WayOf(1), isLogged: false, out _, ref entry));
        Assert.Equal(1, Read(1));
    }

    // Keys of one row, each with a tag of its own as far as there are so many.
    private static ulong HashInRow(long key) => Hash ^ ((ulong)key << 56);

    private void Fill(long key) => _table.TryFill(in key, HashInRow(key), new Entry<long> { Value = key }, _table.ReadUnlocked(HashInRow(key)));

    private long? Read(long key)
    {
        long value = 0;
        return _table.TryRead(in key, HashInRow(key), ref value, out _, out _) ? value : null;
    }

    private void Store(long key, long value)
    {
        _table.Lock(HashInRow(key));
        _table.StoreUnlogged(HashInRow(key), WayOf(key), new Entry<long> { Value = value });
        _table.UnlockWritten(HashInRow(key));
    }

    private bool MayBeUnlogged(long key) => _table.MayBeUnlogged(HashInRow(key), WayOf(key));

    private bool IsUnlogged(long key) => _table.IsUnlogged(HashInRow(key), WayOf(key));

    private int WayOf(long key) => _table.Find(in key, HashInRow(key));
}
