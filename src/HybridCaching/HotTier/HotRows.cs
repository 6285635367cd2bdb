using System.Runtime.CompilerServices;
using System.Runtime.Intrinsics.X86;
using HybridCaching.Configuration;
using HybridCaching.Devices;

namespace HybridCaching.HotTier;

/// <summary>The rows of a set-associative table of copies, whatever the copies are: where a key belongs, what is in its row, and the row's word, which is also the write lock of its keys.</summary>
internal abstract unsafe class HotRows
{
    private readonly NativeBlock _directory;
    private readonly HotRow* _rows;
    private readonly GhostTags* _ghosts;
    private readonly ulong _groupMask;
    private readonly int _maximumWays;
    private int _ways;
    private long _unloggedCopies;

    /// <param name="rows">How many rows; a power of two, at least 4.</param>
    /// <param name="ways">How many ways at once.</param>
    /// <param name="maximumWays">How many ways there may ever be: at most 32.</param>
    protected HotRows(int rows, int ways, int maximumWays)
    {
        Rows = rows;
        _ways = ways;
        _maximumWays = maximumWays;
        _groupMask = ((ulong)rows / 4) - 1;
        _directory = new NativeBlock((nuint)(rows * MemoryPlan.HotRowBytes), isCleared: true);
        _rows = (HotRow*)_directory.Start;
        _ghosts = (GhostTags*)(_rows + rows);
    }

    public int Rows { get; }

    /// <summary>Bytes in use, or soon to be.</summary>
    public abstract long MemoryBytes { get; }

    /// <summary>How many ways of each row are in use.</summary>
    public int Ways => Volatile.Read(ref _ways);

    /// <summary>Uses one way more, if there may be one. One caller at a time.</summary>
    public void TakeWay()
    {
        if (Ways == _maximumWays) return;
        PrepareWays(Ways, Ways + 1);
        Volatile.Write(ref _ways, Ways + 1);
    }

    /// <summary>Drops the copies in the last way and gives its memory back to the system. One caller at a time.</summary>
    public void GiveUpWay()
    {
        int way = Ways - 1;
        if (way < 0) return;
        Volatile.Write(ref _ways, way);
        for (int row = 0; row < Rows; row++)
        {
            // Whoever fills the row after this sees that the way is gone: both hold the row's lock.
            RowWord.Lock(ref _rows[row].Word);
            if ((_rows[row].Unlogged & (1u << way)) != 0 && _rows[row].TakeForUnlogged(way, ways: way) is >= 0 and var to)
            {
                Move((ulong)row, way, to);
                CountUnlogged(1);
            }

            Empty((ulong)row, way);
            RowWord.UnlockFilled(ref _rows[row].Word);
        }

        DiscardWay(way);
    }

    /// <summary>About how many copies there are that are the only place where their entry is.</summary>
    public long UnloggedCopies => Interlocked.Read(ref _unloggedCopies);

    /// <summary>Makes the memory of the next ways ready before they are used.</summary>
    /// <param name="first">The first of them; all before it are in use.</param>
    /// <param name="end">How many are in use then.</param>
    protected abstract void PrepareWays(int first, int end);

    /// <summary>Gives the memory of the last way back to the system: it is in use no more.</summary>
    protected abstract void DiscardWay(int way);

    /// <summary>Whether a copy is the only place where its entry is. The caller holds the row's lock.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public bool IsUnlogged(ulong hash, int way) => (_rows[RowIndexOf(hash)].Unlogged & (1u << way)) != 0;

    /// <summary>Whether there is such a copy in the key's row. The caller holds its lock.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public bool HasUnlogged(ulong hash) => _rows[RowIndexOf(hash)].Unlogged != 0;

    /// <summary>The ways of a row whose entries the log may not have: a hint.</summary>
    public uint UnloggedOf(int row) => _rows[row].Unlogged;

    /// <summary>The ways of a row with copies of what the log has, or had: a hint.</summary>
    public uint LoggedOf(int row) => _rows[row].Logged & HotRow.AllOf(Ways);

    /// <summary>The log has the entry of a way. The caller holds the row's lock.</summary>
    protected void SetLogged(ulong row, int way)
    {
        if ((_rows[row].Unlogged & (1u << way)) != 0) CountUnlogged(-1);
        _rows[row].SetLogged(way);
    }

    /// <summary>Brings what is in one way to another one, whose tag was set. The caller holds the row's lock.</summary>
    protected abstract void Move(ulong row, int from, int to);

    /// <summary>Empties a way. The caller holds the row's lock.</summary>
    protected void Empty(ulong row, int way)
    {
        if ((_rows[row].Unlogged & (1u << way)) != 0) CountUnlogged(-1);
        _rows[row].SetTag(way, 0);
    }

    /// <summary>Counts copies that are the only place where their entry is.</summary>
    protected void CountUnlogged(int more) => Interlocked.Add(ref _unloggedCopies, more);

    /// <summary>The directory entry of a row.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    protected HotRow* RowAt(ulong index) => _rows + index;

    /// <summary>What a row remembers of the keys it has dropped.</summary>
    protected GhostTags* GhostsAt(ulong index) => _ghosts + index;

    /// <summary>Asks the processor to fetch the directory entry of a key that will be looked up soon.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public void Prefetch(ulong hash)
    {
        if (Sse.IsSupported) Sse.Prefetch0(_rows + RowIndexOf(hash));
    }

    /// <summary>Notes that a key was read of which there is no copy. Never waits.</summary>
    /// <returns>Whether there should be one: it would push nothing out, or the key was read before, not long ago.</returns>
    public abstract bool NoteRead(ulong hash);

    /// <summary>Whether a copy would push out nothing that was read since this was asked of it last. For what costs no read of the disk without a copy either. Never waits.</summary>
    public virtual bool HasUnread(ulong hash) => true;

    /// <summary>The word of the key's row, as it is.</summary>
    public ulong ReadWord(ulong hash) => Volatile.Read(ref WordOf(hash));

    /// <summary>The word of the key's row, once no writer is at work there.</summary>
    public ulong ReadUnlocked(ulong hash) => RowWord.ReadUnlocked(ref WordOf(hash));

    /// <summary>Whether no key of the row was changed, nor is being changed, since its word was seen: what was read meanwhile is whole.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public bool IsUnchanged(ulong hash, ulong seen)
    {
        Volatile.ReadBarrier(); // what was read is complete before the word is looked at again
        return WordOf(hash) == seen && !RowWord.IsLocked(seen);
    }

    /// <summary>Locks the key's row for a change of the key.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public void Lock(ulong hash) => RowWord.Lock(ref WordOf(hash));

    /// <summary>Locks the key's row if no key of it was changed since its word was seen.</summary>
    public bool TryLock(ulong hash, ulong seen) => RowWord.TryLock(ref WordOf(hash), RowWord.VersionOf(seen));

    /// <summary>Locks the key's row unless somebody has it. Never waits.</summary>
    public bool TryLock(ulong hash) => RowWord.TryLock(ref WordOf(hash));

    /// <summary>Locks the rows of all keys whose hash ends like this one in the bits of the mask; false, and none is locked, if one of them is. Never waits.</summary>
    public bool TryLockAll(ulong hash, ulong mask)
    {
        ulong rows = RowsWith(mask);
        for (ulong i = 0; i < rows; i++)
        {
            if (RowWord.TryLock(ref _rows[RowWith(hash, mask, i)].Word)) continue;
            UnlockFirst(hash, mask, i);
            return false;
        }

        return true;
    }

    /// <summary>Unlocks what <see cref="TryLockAll"/> has locked; no key was changed.</summary>
    public void UnlockAll(ulong hash, ulong mask) => UnlockFirst(hash, mask, RowsWith(mask));

    /// <summary>Unlocks the row of a key that was changed.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public void UnlockWritten(ulong hash) => RowWord.UnlockWritten(ref WordOf(hash));

    /// <summary>Whether no key of the row was changed since its word was seen. For who has locked the row.</summary>
    public bool IsVersion(ulong hash, ulong seen) => RowWord.VersionOf(WordOf(hash)) == RowWord.VersionOf(seen) && !RowWord.IsLocked(seen);

    /// <summary>Unlocks a row of which copies were changed, or what they say beside the value.</summary>
    public void UnlockFilled(ulong hash) => RowWord.UnlockFilled(ref WordOf(hash));

    /// <summary>Unlocks the row of a key; nothing was changed.</summary>
    public void UnlockUnchanged(ulong hash) => RowWord.UnlockUnchanged(ref WordOf(hash));

    /// <summary>Lets no copy into a row, and nothing be stored again, that was read before now.</summary>
    public void CancelFills(int row)
    {
        RowWord.Lock(ref _rows[row].Word);
        RowWord.UnlockWritten(ref _rows[row].Word);
    }

    /// <summary>Waits until every write that is under way has ended. Writes that begin meanwhile are not waited for.</summary>
    public void WaitForWriters()
    {
        for (int row = 0; row < Rows; row++) RowWord.ReadUnlocked(ref _rows[row].Word);
    }

    /// <summary>Locks every row, waiting for each row's writer. One caller at a time; a writer holds one row and waits for no other.</summary>
    public void LockAll()
    {
        for (int row = 0; row < Rows; row++) RowWord.Lock(ref _rows[row].Word);
    }

    /// <summary>Unlocks every row; no key was changed.</summary>
    public void UnlockAll()
    {
        for (int row = 0; row < Rows; row++) RowWord.UnlockUnchanged(ref _rows[row].Word);
    }

    /// <summary>Drops all copies and unlocks every row as changed.</summary>
    public void ClearAndUnlockAll()
    {
        Interlocked.Exchange(ref _unloggedCopies, 0);
        for (int row = 0; row < Rows; row++)
        {
            _rows[row].ClearTags();
            RowWord.UnlockWritten(ref _rows[row].Word);
        }

        GC.KeepAlive(this);
    }

    private void UnlockFirst(ulong hash, ulong mask, ulong rows)
    {
        for (ulong i = 0; i < rows; i++) RowWord.UnlockUnchanged(ref _rows[RowWith(hash, mask, i)].Word);
    }

    /// <summary>How many rows there are for hashes that end alike in the bits of the mask: four for each group.</summary>
    private ulong RowsWith(ulong mask) => Math.Max(1, (_groupMask + 1) / (mask + 1)) << 2;

    /// <summary>One of these rows.</summary>
    private ulong RowWith(ulong hash, ulong mask, ulong i) => (((hash & mask & _groupMask) + ((i >> 2) * (mask + 1))) << 2) | (i & 3);

    /// <summary>The row of a key. Neighbouring keys share the low bits of their hash and differ in two high ones: they go to adjacent rows.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public ulong RowIndexOf(ulong hash) => ((hash & _groupMask) << 2) | ((hash >> 50) & 3);

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    protected static byte TagOf(ulong hash) => (byte)Math.Max(1, hash >> 56);

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    private ref ulong WordOf(ulong hash) => ref _rows[RowIndexOf(hash)].Word;
}
