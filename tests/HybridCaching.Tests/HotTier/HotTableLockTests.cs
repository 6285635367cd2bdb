using HybridCaching.HotTier;
using HybridCaching.Tests.Concurrency;
using HybridCaching.Tests.Support;

namespace HybridCaching.Tests.HotTier;

public sealed class HotTableLockTests
{
    private const ulong Hash = 0xABCD_0000_0000_0123;
    private const ulong OtherRow = Hash + 1;

    private readonly HotTable<long, long> _table = new(rows: 2048, ways: 2, maximumWays: 2);

    [Fact]
    public void Lock_ManyThreads_ExcludeEachOther()
    {
        long plain = 0;
        Crew.Run(8, _ =>
        {
            for (int i = 0; i < 20_000; i++)
            {
                _table.Lock(Hash);
                plain++;
                if ((i & 1) == 0) _table.UnlockWritten(Hash);
                else _table.UnlockUnchanged(Hash);
            }
        });
        Assert.Equal(8 * 20_000, plain);
    }

    [Fact]
    public void TryLock_ManyThreads_ExcludeEachOther()
    {
        long plain = 0;
        Crew.Run(8, _ =>
        {
            for (int i = 0; i < 5_000; i++)
            {
                while (!_table.TryLock(Hash, _table.ReadUnlocked(Hash)))
                {
                }

                plain++;
                _table.UnlockWritten(Hash);
            }
        });
        Assert.Equal(8 * 5_000, plain);
    }

    [Fact]
    public void ReadUnlocked_Untouched_StaysTheSame() => Assert.Equal(_table.ReadUnlocked(Hash), _table.ReadUnlocked(Hash));

    [Fact]
    public void UnlockWritten_Word_IsAnother()
    {
        ulong before = _table.ReadUnlocked(Hash);
        _table.Lock(Hash);
        _table.UnlockWritten(Hash);
        Assert.NotEqual(before, _table.ReadUnlocked(Hash));
    }

    [Fact]
    public void UnlockWritten_ManyTimes_NeverRepeatsAVersion()
    {
        HashSet<ulong> seen = [_table.ReadUnlocked(Hash)];
        for (int i = 0; i < 70_000; i++)
        {
            _table.Lock(Hash);
            _table.UnlockWritten(Hash);
            Assert.True(seen.Add(_table.ReadUnlocked(Hash)));
        }
    }

    [Fact]
    public void UnlockUnchanged_Version_Stays()
    {
        ulong before = _table.ReadUnlocked(Hash);
        _table.Lock(Hash);
        _table.UnlockUnchanged(Hash);
        Assert.Equal(before, _table.ReadUnlocked(Hash));
    }

    [Fact]
    public void UnlockWritten_OtherRow_KeepsItsVersion()
    {
        ulong before = _table.ReadUnlocked(OtherRow);
        _table.Lock(Hash);
        _table.UnlockWritten(Hash);
        Assert.Equal(before, _table.ReadUnlocked(OtherRow));
    }

    [Fact]
    public void TryLock_CurrentVersion_Locks()
    {
        Assert.True(_table.TryLock(Hash, _table.ReadUnlocked(Hash)));
        _table.UnlockUnchanged(Hash);
    }

    [Fact]
    public void TryLock_OutdatedVersion_Fails()
    {
        ulong before = _table.ReadUnlocked(Hash);
        _table.Lock(Hash);
        _table.UnlockWritten(Hash);
        Assert.False(_table.TryLock(Hash, before));
    }

    [Fact]
    public void TryLock_LockedRow_Fails()
    {
        ulong before = _table.ReadUnlocked(Hash);
        _table.Lock(Hash);
        Assert.False(_table.TryLock(Hash, before));
        _table.UnlockUnchanged(Hash);
    }

    [Fact]
    public void TryLock_Failed_LeavesTheRowFree()
    {
        ulong before = _table.ReadUnlocked(Hash);
        _table.Lock(Hash);
        _table.UnlockWritten(Hash);
        _table.TryLock(Hash, before);
        _table.Lock(Hash);
        _table.UnlockUnchanged(Hash);
    }

    [Fact]
    public void Lock_OtherRowLocked_IsNotHeldUp()
    {
        _table.Lock(OtherRow);
        _table.Lock(Hash);
        _table.UnlockUnchanged(Hash);
        _table.UnlockUnchanged(OtherRow);
    }

    [Fact]
    public void Lock_SameLowBits_IsTheSameRow()
    {
        ulong before = _table.ReadUnlocked(Hash);
        _table.Lock(Hash ^ (1UL << 63));
        _table.UnlockWritten(Hash ^ (1UL << 63));
        Assert.NotEqual(before, _table.ReadUnlocked(Hash));
    }

    [Fact]
    public void ReadUnlocked_LockedRow_WaitsForTheNewVersion()
    {
        ulong before = _table.ReadUnlocked(Hash);
        _table.Lock(Hash);
        ulong seen = 0;
        bool read = false;
        var reader = Crew.Start(() =>
        {
            seen = _table.ReadUnlocked(Hash);
            Volatile.Write(ref read, true);
        });
        for (int i = 0; i < 100; i++) Thread.Yield();
        Assert.False(Volatile.Read(ref read));
        _table.UnlockWritten(Hash);
        Assert.True(reader.Join(Until.Deadline));
        Assert.NotEqual(before, seen);
    }

    [Fact]
    public void ChangeAll_EveryRow_HasAnotherVersion()
    {
        var before = Enumerable.Range(0, 1 << 16).Select(row => _table.ReadUnlocked((ulong)row)).ToList();
        ChangeAll();
        Assert.All(before.Index(), row => Assert.NotEqual(row.Item, _table.ReadUnlocked((ulong)row.Index)));
    }

    [Fact]
    public void ChangeAll_NotedVersion_CannotLock()
    {
        ulong noted = _table.ReadUnlocked(Hash);
        ChangeAll();
        Assert.False(_table.TryLock(Hash, noted));
    }

    [Fact]
    public void ChangeAll_RowLocked_WaitsForItsWriter()
    {
        _table.Lock(Hash);
        var changer = Crew.Start(ChangeAll);
        for (int i = 0; i < 100; i++) Thread.Yield();
        Assert.True(changer.IsAlive);
        _table.UnlockWritten(Hash);
        Assert.True(changer.Join(Until.Deadline));
    }

    [Fact]
    public void ChangeAll_DuringWrites_LosesNoChange()
    {
        long plain = 0;
        ulong before = _table.ReadUnlocked(Hash);
        Crew.Run(4, me =>
        {
            if (me == 0)
            {
                for (int i = 0; i < 50; i++) ChangeAll();
                return;
            }

            for (int i = 0; i < 5_000; i++)
            {
                _table.Lock(Hash);
                plain++;
                _table.UnlockWritten(Hash);
            }
        });
        Assert.Equal(3 * 5_000, plain);
        Assert.Equal(50u + (3 * 5_000), RowWord.VersionOf(_table.ReadUnlocked(Hash)) - RowWord.VersionOf(before));
    }

    private void ChangeAll()
    {
        _table.LockAll();
        _table.ClearAndUnlockAll();
    }

    /// <summary>Of all hashes that end like one in the bits of a mask, few or many.</summary>
    [Theory]
    [InlineData(0xFFUL)]
    [InlineData(0x1FFUL)]
    [InlineData(0xFFFFUL)]
    public void TryLockAll_AnyMask_LocksTheRowsOfTheseHashesOnly(ulong mask)
    {
        const ulong Low = 0x23;
        var random = new Random(1);
        Assert.True(_table.TryLockAll(Low, mask));
        for (int i = 0; i < 20_000; i++)
        {
            ulong hash = (ulong)random.NextInt64();
            if (i % 2 == 0) hash = (hash & ~mask) | Low;
            bool isFree = _table.TryLock(hash);
            if (isFree) _table.UnlockUnchanged(hash);
            Assert.False(isFree && (hash & mask) == Low);
            Assert.True(isFree || (hash & mask & 0x1FF) == Low);
        }

        _table.UnlockAll(Low, mask);
    }

    [Theory]
    [InlineData(0x0FUL)]
    [InlineData(0xFFFFUL)]
    public void TryLockAll_OneRowLocked_LocksNone(ulong mask)
    {
        ulong taken = Hash & ~(3UL << 50) | (2UL << 50);
        _table.Lock(taken);
        Assert.False(_table.TryLockAll(Hash & mask, mask));
        _table.UnlockUnchanged(taken);

        Assert.True(_table.TryLockAll(Hash & mask, mask));
        _table.UnlockAll(Hash & mask, mask);
        Assert.True(_table.TryLock(Hash));
    }
}
