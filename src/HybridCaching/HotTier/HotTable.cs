using System.Numerics;
using System.Runtime.CompilerServices;
using System.Runtime.InteropServices;
using HybridCaching.Configuration;
using HybridCaching.Devices;
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
internal sealed unsafe class HotTable<TKey, TValue> : HotRows
    where TKey : unmanaged
    where TValue : unmanaged
{
    private readonly NativeBlock _copies;
    private readonly Slot* _slots;
    private readonly int _rowShift;

    /// <inheritdoc/>
    public HotTable(int rows, int ways, int maximumWays)
        : base(rows, ways, maximumWays)
    {
        _rowShift = BitOperations.Log2((uint)rows);
        _copies = new NativeBlock(BytesOf(maximumWays), isCleared: false);
        _slots = (Slot*)_copies.Start;
        PrepareWays(0, ways);
    }

    /// <summary>Bytes of one slot.</summary>
    public static int SlotBytes => sizeof(Slot);

    public override long MemoryBytes => Rows * (MemoryPlan.HotRowBytes + ((long)Ways * sizeof(Slot)));

    /// <inheritdoc/>
    protected override void PrepareWays(int first, int end) => _copies.Use(0, BytesOf(end));

    /// <inheritdoc/>
    protected override void DiscardWay(int way)
    {
        _copies.DiscardFrom(BytesOf(way));
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
        HotRow* row = RowAt(index);
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

    /// <summary>Reads the copy of a key whose row the caller has locked.</summary>
    public bool TryReadLocked(in TKey key, ulong hash, ref Entry<TValue> entry)
    {
        if (Find(in key, hash) is not (>= 0 and var way)) return false;
        Entry<TValue>.Copy(ref SlotAt(RowIndexOf(hash), way)->Entry, ref entry);
        return true;
    }

    /// <summary>As <see cref="TryReadLocked"/>, for a caller who has not locked the row, but may wait for it.</summary>
    public bool TryReadLocking(in TKey key, ulong hash, ref Entry<TValue> entry)
    {
        Lock(hash);
        bool isThere = TryReadLocked(in key, hash, ref entry);
        UnlockUnchanged(hash);
        return isThere;
    }

    /// <summary>Brings the copy of a key up to date. The caller holds the row's lock.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public void Update(ulong hash, int way, in Entry<TValue> entry) => Entry<TValue>.Copy(in entry, ref SlotAt(RowIndexOf(hash), way)->Entry);

    /// <inheritdoc cref="HotRow.MayBeUnlogged"/>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public bool MayBeUnlogged(ulong hash, int way) => RowAt(RowIndexOf(hash))->MayBeUnlogged(way, Ways);

    /// <summary>Stores an entry in a copy that is the only place where it is, from now on. The caller holds the row's lock, and has removed what the log has of the key.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public void StoreUnlogged(ulong hash, int way, in Entry<TValue> entry)
    {
        HotRow* row = RowAt(RowIndexOf(hash));
        row->CountUse(way);
        if ((row->Unlogged & (1u << way)) == 0)
        {
            row->SetUnlogged(way);
            CountUnlogged(1);
        }

        Update(hash, way, in entry);
    }

    /// <summary>Drops the copy of a key, if there is one. The caller holds the row's lock.</summary>
    /// <returns>Whether it was the only place where its entry was.</returns>
    public bool Forget(in TKey key, ulong hash)
    {
        if (Find(in key, hash) is not (>= 0 and var way)) return false;
        bool wasUnlogged = IsUnlogged(hash, way);
        Empty(RowIndexOf(hash), way);
        return wasUnlogged;
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
        HotRow* row = RowAt(index);
        if (!RowWord.TryLock(ref row->Word, RowWord.VersionOf(seen))) return;
        int way = Find(in key, hash);
        int ways = Ways;
        if (way < 0 && ways > 0) way = row->Take(TagOf(hash), ways, ref *GhostsAt(index));

        if (way >= 0)
        {
            Slot* slot = SlotAt(index, way);
            slot->Key = key;
            Entry<TValue>.Copy(in entry, ref slot->Entry);
        }

        RowWord.UnlockFilled(ref row->Word);
        GC.KeepAlive(this);
    }

    /// <inheritdoc/>
    public override bool NoteRead(ulong hash)
    {
        ulong index = RowIndexOf(hash);
        HotRow* row = RowAt(index);
        int ways = Ways;
        if (ways == 0) return false;
        bool isDue = row->HasEmptyWay(ways) || GhostsAt(index)->Has(TagOf(hash), now: 0);
        if (!isDue && RowWord.TryLock(ref row->Word))
        {
            GhostsAt(index)->Add(TagOf(hash), now: 0);
            RowWord.UnlockUnchanged(ref row->Word);
        }

        GC.KeepAlive(this);
        return isDue;
    }

    /// <inheritdoc/>
    public override bool HasUnread(ulong hash)
    {
        HotRow* row = RowAt(RowIndexOf(hash));
        if (!RowWord.TryLock(ref row->Word)) return false;
        int ways = Ways;
        bool hasUnread = ways > 0 && (row->HasEmptyWay(ways) || row->IsNextUnread(ways));
        RowWord.UnlockUnchanged(ref row->Word);
        GC.KeepAlive(this);
        return hasUnread;
    }

    /// <summary>The key of a copy; any, if there is none, or it is being changed.</summary>
    public TKey KeyAt(int row, int way)
    {
        var key = SlotAt((ulong)row, way)->Key;
        GC.KeepAlive(this);
        return key;
    }

    /// <summary>Locks a row if there is a copy that the log was to get yet, or one that is no more than that: to be ended with <see cref="UnlockLogged"/>, or <see cref="UnlockUnlogged"/> if nothing was changed.</summary>
    public bool TryLockCopy(int row, int way, bool isLogged, out TKey key, ref Entry<TValue> entry)
    {
        HotRow* at = RowAt((ulong)row);
        RowWord.Lock(ref at->Word);
        bool isThere = ((isLogged ? at->Logged : at->Unlogged) & (1u << way)) != 0;
        Slot* slot = SlotAt((ulong)row, way);
        key = isThere ? slot->Key : default;
        if (isThere) Entry<TValue>.Copy(ref slot->Entry, ref entry);
        else RowWord.UnlockUnchanged(ref at->Word);
        GC.KeepAlive(this);
        return isThere;
    }

    /// <summary>Unlocks a row; nothing was changed.</summary>
    public void UnlockUnlogged(int row)
    {
        RowWord.UnlockUnchanged(ref RowAt((ulong)row)->Word);
        GC.KeepAlive(this);
    }

    /// <summary>Unlocks a row: the log has the entry of one of its copies again; or it is not wanted any more.</summary>
    public void UnlockLogged(int row, int way, bool isWanted)
    {
        if (isWanted) SetLogged((ulong)row, way);
        else Empty((ulong)row, way);
        RowWord.UnlockFilled(ref RowAt((ulong)row)->Word);
        GC.KeepAlive(this);
    }

    /// <inheritdoc/>
    protected override void Move(ulong row, int from, int to)
    {
        SlotAt(row, to)->Key = SlotAt(row, from)->Key;
        Entry<TValue>.Copy(ref SlotAt(row, from)->Entry, ref SlotAt(row, to)->Entry);
    }

    /// <summary>Copies what is in a slot, under a lock. For those who look at all of them.</summary>
    public bool TryCopy(int row, int way, out TKey key, ref Entry<TValue> entry)
    {
        ref ulong word = ref RowAt((ulong)row)->Word;
        RowWord.Lock(ref word);
        bool isThere = (RowAt((ulong)row)->WaysWith(0) & (1u << way)) == 0;
        Slot* slot = SlotAt((ulong)row, way);
        key = isThere ? slot->Key : default;
        if (isThere) Entry<TValue>.Copy(ref slot->Entry, ref entry);
        RowWord.UnlockUnchanged(ref word);
        GC.KeepAlive(this);
        return isThere;
    }

    private nuint BytesOf(int ways) => (nuint)Rows * (nuint)ways * (nuint)sizeof(Slot);

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    private Slot* SlotAt(ulong row, int way) => _slots + (((ulong)way << _rowShift) + row);

    /// <summary>The way of a key, with the row locked; -1 if there is no copy.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public int Find(in TKey key, ulong hash)
    {
        ulong index = RowIndexOf(hash);
        for (uint ways = RowAt(index)->WaysWith(TagOf(hash)); ways != 0; ways &= ways - 1)
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
