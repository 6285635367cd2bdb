using HybridCaching.HotTier;
using HybridCaching.Tests.Concurrency;
using HybridCaching.Tests.Support;

namespace HybridCaching.Tests.HotTier;

public sealed class RowLocksTests
{
    private const ulong Hash = 0xABCD_0000_0000_0123;
    private const ulong OtherRow = Hash + 1;

    private readonly RowLocks _locks = new();

    [Fact]
    public void Lock_ManyThreads_ExcludeEachOther()
    {
        long plain = 0;
        Crew.Run(8, _ =>
        {
            for (int i = 0; i < 20_000; i++)
            {
                _locks.Lock(Hash);
                plain++;
                if ((i & 1) == 0) _locks.UnlockChanged(Hash);
                else _locks.UnlockUnchanged(Hash);
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
                while (!_locks.TryLock(Hash, _locks.ReadVersion(Hash)))
                {
                }

                plain++;
                _locks.UnlockChanged(Hash);
            }
        });
        Assert.Equal(8 * 5_000, plain);
    }

    [Fact]
    public void ReadVersion_Untouched_StaysTheSame() => Assert.Equal(_locks.ReadVersion(Hash), _locks.ReadVersion(Hash));

    [Fact]
    public void UnlockChanged_Version_IsAnother()
    {
        ulong before = _locks.ReadVersion(Hash);
        _locks.Lock(Hash);
        _locks.UnlockChanged(Hash);
        Assert.NotEqual(before, _locks.ReadVersion(Hash));
    }

    [Fact]
    public void UnlockChanged_ManyTimes_NeverRepeatsAVersion()
    {
        HashSet<ulong> seen = [_locks.ReadVersion(Hash)];
        for (int i = 0; i < 70_000; i++)
        {
            _locks.Lock(Hash);
            _locks.UnlockChanged(Hash);
            Assert.True(seen.Add(_locks.ReadVersion(Hash)));
        }
    }

    [Fact]
    public void UnlockUnchanged_Version_Stays()
    {
        ulong before = _locks.ReadVersion(Hash);
        _locks.Lock(Hash);
        _locks.UnlockUnchanged(Hash);
        Assert.Equal(before, _locks.ReadVersion(Hash));
    }

    [Fact]
    public void UnlockChanged_OtherRow_KeepsItsVersion()
    {
        ulong before = _locks.ReadVersion(OtherRow);
        _locks.Lock(Hash);
        _locks.UnlockChanged(Hash);
        Assert.Equal(before, _locks.ReadVersion(OtherRow));
    }

    [Fact]
    public void TryLock_CurrentVersion_Locks()
    {
        Assert.True(_locks.TryLock(Hash, _locks.ReadVersion(Hash)));
        _locks.UnlockUnchanged(Hash);
    }

    [Fact]
    public void TryLock_OutdatedVersion_Fails()
    {
        ulong before = _locks.ReadVersion(Hash);
        _locks.Lock(Hash);
        _locks.UnlockChanged(Hash);
        Assert.False(_locks.TryLock(Hash, before));
    }

    [Fact]
    public void TryLock_LockedRow_Fails()
    {
        ulong before = _locks.ReadVersion(Hash);
        _locks.Lock(Hash);
        Assert.False(_locks.TryLock(Hash, before));
        _locks.UnlockUnchanged(Hash);
    }

    [Fact]
    public void TryLock_Failed_LeavesTheRowFree()
    {
        ulong before = _locks.ReadVersion(Hash);
        _locks.Lock(Hash);
        _locks.UnlockChanged(Hash);
        _locks.TryLock(Hash, before);
        _locks.Lock(Hash);
        _locks.UnlockUnchanged(Hash);
    }

    [Fact]
    public void Lock_OtherRowLocked_IsNotHeldUp()
    {
        _locks.Lock(OtherRow);
        _locks.Lock(Hash);
        _locks.UnlockUnchanged(Hash);
        _locks.UnlockUnchanged(OtherRow);
    }

    [Fact]
    public void Lock_SameLowBits_IsTheSameRow()
    {
        ulong before = _locks.ReadVersion(Hash);
        _locks.Lock(Hash ^ (1UL << 63));
        _locks.UnlockChanged(Hash ^ (1UL << 63));
        Assert.NotEqual(before, _locks.ReadVersion(Hash));
    }

    [Fact]
    public void ReadVersion_LockedRow_WaitsForTheNewVersion()
    {
        ulong before = _locks.ReadVersion(Hash);
        _locks.Lock(Hash);
        ulong seen = 0;
        bool read = false;
        var reader = Crew.Start(() =>
        {
            seen = _locks.ReadVersion(Hash);
            Volatile.Write(ref read, true);
        });
        for (int i = 0; i < 100; i++) Thread.Yield();
        Assert.False(Volatile.Read(ref read));
        _locks.UnlockChanged(Hash);
        Assert.True(reader.Join(Until.Deadline));
        Assert.NotEqual(before, seen);
    }

    [Fact]
    public void ChangeAll_EveryRow_HasAnotherVersion()
    {
        var before = Enumerable.Range(0, 1 << 16).Select(row => _locks.ReadVersion((ulong)row)).ToList();
        ChangeAll();
        Assert.All(before.Index(), row => Assert.NotEqual(row.Item, _locks.ReadVersion((ulong)row.Index)));
    }

    [Fact]
    public void ChangeAll_NotedVersion_CannotLock()
    {
        ulong noted = _locks.ReadVersion(Hash);
        ChangeAll();
        Assert.False(_locks.TryLock(Hash, noted));
    }

    [Fact]
    public void ChangeAll_RowLocked_WaitsForItsWriter()
    {
        _locks.Lock(Hash);
        var changer = Crew.Start(ChangeAll);
        for (int i = 0; i < 100; i++) Thread.Yield();
        Assert.True(changer.IsAlive);
        _locks.UnlockChanged(Hash);
        Assert.True(changer.Join(Until.Deadline));
    }

    [Fact]
    public void ChangeAll_DuringWrites_LosesNoChange()
    {
        long plain = 0;
        ulong before = _locks.ReadVersion(Hash);
        Crew.Run(4, me =>
        {
            if (me == 0)
            {
                for (int i = 0; i < 50; i++) ChangeAll();
                return;
            }

            for (int i = 0; i < 5_000; i++)
            {
                _locks.Lock(Hash);
                plain++;
                _locks.UnlockChanged(Hash);
            }
        });
        Assert.Equal(3 * 5_000, plain);
        Assert.Equal(50UL + (3 * 5_000), (_locks.ReadVersion(Hash) - before) / 2);
    }

    private void ChangeAll()
    {
        _locks.LockAll();
        _locks.UnlockAllChanged();
    }
}
