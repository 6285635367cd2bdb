using System.Numerics;
using System.Runtime.CompilerServices;
using System.Runtime.InteropServices;
using System.Runtime.Intrinsics.X86;
using HybridCaching.Records;

namespace HybridCaching.HotTier;

/// <summary>A set-associative table of copies of entries, outside the GC heap and of fixed size, whose readers take no lock; and the write lock of every key's row.</summary>
/// <remarks>
/// <para>
/// A key belongs to one row. Whoever changes a key holds its row's lock from before the change of the log until the copy is changed or gone. Readers look at the row's word,
/// copy, and look at the word again (a sequence lock; Lameter 2005, Boehm 2012): a row that is locked, or has changed, is a miss here and the log is asked. A copy is put in only
/// if the row's write version is still the one from before the log was read. See docs/concurrency.md.
/// </para>
/// <para>
/// The slots lie way by way, so that a table that does not use all its ways has touched only part of its memory.
/// </para>
/// </remarks>
internal sealed unsafe class HotTable<TKey, TValue>
    where TKey : unmanaged
    where TValue : unmanaged
{
    private readonly NativeBlock _directory;
    private readonly NativeBlock _copies;
    private readonly HotRow* _rows;
    private readonly Slot* _slots;
    private readonly ulong _groupMask;
    private readonly int _rowShift;
    private readonly int _maximumWays;
    private int _ways;

    /// <param name="rows">How many rows; a power of two, at least 4.</param>
    /// <param name="ways">How many ways at once.</param>
    /// <param name="maximumWays">How many ways there may ever be: at most 16.</param>
    public HotTable(int rows, int ways, int maximumWays)
    {
        Rows = rows;
        _ways = ways;
        _maximumWays = maximumWays;
        _rowShift = BitOperations.Log2((uint)rows);
        _groupMask = ((ulong)rows / 4) - 1;
        _directory = new NativeBlock((nuint)rows * (nuint)sizeof(HotRow), isCleared: true);
        _copies = new NativeBlock((nuint)rows * (nuint)maximumWays * (nuint)sizeof(Slot), isCleared: false);
        _rows = (HotRow*)_directory.Start;
        _slots = (Slot*)_copies.Start;
    }

    /// <summary>Bytes of one slot.</summary>
    public static int SlotBytes => sizeof(Slot);

    public int Rows { get; }

    /// <summary>Bytes in use, or soon to be.</summary>
    public long MemoryBytes => (Rows * (long)sizeof(HotRow)) + (Rows * (long)Ways * sizeof(Slot));

    /// <summary>How many ways of each row are in use.</summary>
    public int Ways => Volatile.Read(ref _ways);

    /// <summary>Uses one way more, if there may be one. One caller at a time.</summary>
    public void TakeWay() => Volatile.Write(ref _ways, Math.Min(Ways + 1, _maximumWays));

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
            _rows[row].SetTag(way, 0);
            RowWord.UnlockFilled(ref _rows[row].Word);
        }

        nuint wayBytes = (nuint)Rows * (nuint)sizeof(Slot);
        _copies.Discard((nuint)way * wayBytes, wayBytes);
        GC.KeepAlive(this);
    }

    /// <summary>Looks for a copy. Takes no lock and never waits.</summary>
    /// <param name="key">The key.</param>
    /// <param name="hash">Its hash.</param>
    /// <param name="value">The value of the copy; may be written to even if there is none.</param>
    /// <param name="header">The header of the copy.</param>
    /// <param name="seen">The row's word: to be given to <see cref="TryFill"/> after a miss here.</param>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public bool TryRead(in TKey key, ulong hash, ref TValue value, out ulong header, out ulong seen)
    {
        header = 0;
        ulong index = RowIndexOf(hash);
        HotRow* row = _rows + index;
        seen = Volatile.Read(ref row->Word);
        if (RowWord.IsLocked(seen)) return false;
        for (uint ways = row->WaysWith(TagOf(hash)); ways != 0; ways &= ways - 1)
        {
            int way = BitOperations.TrailingZeroCount(ways);
            Slot* slot = SlotAt(index, way);
            if (!IsKey(slot, in key)) continue;
            header = slot->Entry.Header;
            Unsafe.CopyBlockUnaligned(ref Unsafe.As<TValue, byte>(ref value), ref *(byte*)&slot->Entry.Value, (uint)sizeof(TValue));
            Volatile.ReadBarrier(); // the copy is complete before the word is looked at again
            if (row->Word != seen) break;
            row->CountUse(way);
            GC.KeepAlive(this);
            return true;
        }

        GC.KeepAlive(this);
        return false;
    }

    /// <summary>Asks the processor to fetch the directory entry of a key that will be looked up soon.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public void Prefetch(ulong hash)
    {
        if (Sse.IsSupported) Sse.Prefetch0(_rows + RowIndexOf(hash));
    }

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

    /// <summary>Unlocks a row of which nothing was changed.</summary>
    public void UnlockUnchanged(ulong hash) => RowWord.UnlockUnchanged(ref WordOf(hash));

    /// <summary>Reads the copy of a key whose row the caller has locked.</summary>
    public bool TryReadLocked(in TKey key, ulong hash, ref Entry<TValue> entry)
    {
        if (Find(in key, hash) is not (>= 0 and var way)) return false;
        Entry<TValue>.Copy(ref SlotAt(RowIndexOf(hash), way)->Entry, ref entry);
        return true;
    }

    /// <summary>Brings the copy of a key up to date, if there is one. The caller holds the row's lock.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public void Update(in TKey key, ulong hash, in Entry<TValue> entry)
    {
        if (Find(in key, hash) is >= 0 and var way) Entry<TValue>.Copy(in entry, ref SlotAt(RowIndexOf(hash), way)->Entry);
    }

    /// <summary>Drops the copy of a key, if there is one. The caller holds the row's lock.</summary>
    public void Forget(in TKey key, ulong hash)
    {
        if (Find(in key, hash) is >= 0 and var way) _rows[RowIndexOf(hash)].SetTag(way, 0);
    }

    /// <summary>Puts a copy of what the log holds into the row, unless a key of the row was changed since, or is being changed. Never waits.</summary>
    /// <param name="key">The key.</param>
    /// <param name="hash">Its hash.</param>
    /// <param name="entry">What the log was found to hold.</param>
    /// <param name="seen">The row's word from before the log was read; nothing happens if it was locked.</param>
    public void TryFill(in TKey key, ulong hash, in Entry<TValue> entry, ulong seen)
    {
        if (Ways == 0 || RowWord.IsLocked(seen)) return;
        ulong index = RowIndexOf(hash);
        HotRow* row = _rows + index;
        if (!RowWord.TryLock(ref row->Word, RowWord.VersionOf(seen))) return;
        int way = Find(in key, hash);
        int ways = Ways;
        if (way < 0 && ways > 0)
        {
            way = row->Victim(ways);
            row->SetTag(way, TagOf(hash));
        }

        if (way >= 0)
        {
            Slot* slot = SlotAt(index, way);
            slot->Key = key;
            Entry<TValue>.Copy(in entry, ref slot->Entry);
        }

        RowWord.UnlockFilled(ref row->Word);
        GC.KeepAlive(this);
    }

    /// <summary>Copies what is in a slot, under a lock. For those who look at all of them.</summary>
    public bool TryCopy(int row, int way, out TKey key, ref Entry<TValue> entry)
    {
        ref ulong word = ref _rows[row].Word;
        RowWord.Lock(ref word);
        bool isThere = (_rows[row].WaysWith(0) & (1u << way)) == 0;
        Slot* slot = SlotAt((ulong)row, way);
        key = isThere ? slot->Key : default;
        if (isThere) Entry<TValue>.Copy(ref slot->Entry, ref entry);
        RowWord.UnlockUnchanged(ref word);
        GC.KeepAlive(this);
        return isThere;
    }

    /// <summary>Locks every row, waiting for each row's writer. One caller at a time; a writer holds one row and waits for no other.</summary>
    public void LockAll()
    {
        for (int row = 0; row < Rows; row++) RowWord.Lock(ref _rows[row].Word);
    }

    /// <summary>Drops all copies and unlocks every row as changed.</summary>
    public void ClearAndUnlockAll()
    {
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

    /// <summary>Neighbouring keys share the low bits of their hash and differ in two high ones: they go to adjacent rows.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    private ulong RowIndexOf(ulong hash) => ((hash & _groupMask) << 2) | ((hash >> 50) & 3);

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    private static byte TagOf(ulong hash) => (byte)Math.Max(1, hash >> 56);

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    private ref ulong WordOf(ulong hash) => ref _rows[RowIndexOf(hash)].Word;

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    private Slot* SlotAt(ulong row, int way) => _slots + (((ulong)way << _rowShift) + row);

    /// <summary>The way of a key, with the row locked; -1 if there is no copy.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    private int Find(in TKey key, ulong hash)
    {
        ulong index = RowIndexOf(hash);
        for (uint ways = _rows[index].WaysWith(TagOf(hash)); ways != 0; ways &= ways - 1)
        {
            int way = BitOperations.TrailingZeroCount(ways);
            if (IsKey(SlotAt(index, way), in key)) return way;
        }

        return -1;
    }

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    private static bool IsKey(Slot* slot, in TKey key)
    {
        if (sizeof(TKey) == sizeof(ulong)) return *(ulong*)slot == Unsafe.ReadUnaligned<ulong>(ref Unsafe.As<TKey, byte>(ref Unsafe.AsRef(in key)));
        return new ReadOnlySpan<byte>(slot, sizeof(TKey)).SequenceEqual(MemoryMarshal.AsBytes(new ReadOnlySpan<TKey>(in key)));
    }

    /// <summary>A copy of an entry under its key.</summary>
    [StructLayout(LayoutKind.Sequential)]
    private struct Slot
    {
        public TKey Key;
        public Entry<TValue> Entry;
    }
}
