using System.Numerics;
using HybridCaching.Records;

namespace HybridCaching.HotTier;

/// <content>Copies that are the only place where their entry is.</content>
internal sealed unsafe partial class HotBytes
{
    /// <summary>One part in so many of a segment may be such copies: they stay when it is used anew.</summary>
    private const int UnloggedPart = 2;

    /// <summary>Such a copy takes at most one part in so many of a segment, so that it finds room elsewhere when its segment is given up.</summary>
    private const int FewestPerSegment = 2 * CopiesPerSegment;

    /// <summary>How often one tries to get the right to fill who would have to store in the log else, and for how long each time.</summary>
    private const int MostTries = 16;

    /// <summary>About how many bytes of each segment such copies take. For the one who fills.</summary>
    private readonly int[] _unloggedIn;

    /// <summary>About how many bytes of them are still to come in the segment that is used anew.</summary>
    private int _unloggedLeft;

    /// <summary>Whether there may be a copy of a key whose reference leads nowhere at the moment, since its segment is just being used anew; or such a copy, where that was so when it was looked for. A hint, unless the row's word is the same afterwards.</summary>
    public bool MayHave(ReadOnlySpan<byte> key, ulong hash)
    {
        ulong index = RowIndexOf(hash);
        HotRow* row = RowAt(index);
        for (uint ways = row->WaysWith(TagOf(hash)); ways != 0; ways &= ways - 1)
        {
            int way = BitOperations.TrailingZeroCount(ways);
            ulong reference = SlotAt(index, way)->Reference;
            if (!_arena.IsLive(reference) || ((row->Unlogged & (1u << way)) != 0 && IsKey(reference, key))) return true;
        }

        GC.KeepAlive(this);
        return false;
    }

    /// <summary>Takes over the copy of a key, if there is one. Waits for who fills, and for the row.</summary>
    public bool TryTakeLocking(ReadOnlySpan<byte> key, ulong hash, ref FoundValue found, ref ValueBuffer buffer)
    {
        lock (_filling)
        {
            Lock(hash);
            try
            {
                return Find(key, hash) is >= 0 and var way && TryTake(SlotAt(RowIndexOf(hash), way), ref found, ref buffer);
            }
            finally
            {
                UnlockUnchanged(hash);
            }
        }
    }

    /// <summary>Stores a value in a copy that is the only place where it is. The caller holds the row's lock. Waits no longer than some microseconds.</summary>
    /// <returns>False if it cannot be changed in its place, or somebody fills for longer: nothing has changed.</returns>
    public bool TryStoreUnlogged(ulong hash, int way, in ValueHeader header, ReadOnlySpan<byte> value)
    {
        if (!TryFillSoon()) return false;
        ulong index = RowIndexOf(hash);
        bool isStored = TryUpdate(SlotAt(index, way), in header, value);
        if (isStored) RowAt(index)->CountUse(way);
        _filling.Exit();
        GC.KeepAlive(this);
        return isStored;
    }

    /// <summary>Whether a copy can become the only place where its entry is; if so, it is to be ended with <see cref="EndUnlogged"/>. The caller holds the row's lock. Never waits.</summary>
    public bool TryBeginUnlogged(ulong hash, int way, ReadOnlySpan<byte> value)
    {
        ulong index = RowIndexOf(hash);
        if (!RowAt(index)->MayBeUnlogged(way, Ways / 2) || BytesFor(0, value.Length) > _arena.SegmentBytes / FewestPerSegment || !_filling.TryEnter()) return false; // there are twice as many references as usual copies
        ulong reference = SlotAt(index, way)->Reference;
        int segment = SegmentedArena.SegmentOf(reference);
        Copy* copy = (Copy*)_arena.At(reference);
        bool canBe = _arena.IsLive(reference) && segment >= FirstOfMain && copy->Header.Kind == ValueKind.Whole && IsAsLong(copy, value)
            && _unloggedIn[segment] + BytesFor(copy->KeyBytes, value.Length) <= _arena.SegmentBytes / UnloggedPart;
        if (!canBe) _filling.Exit();
        GC.KeepAlive(this);
        return canBe;
    }

    /// <summary>Stores a value in a copy that is the only place where it is, from now on, if the log does not have the key any more.</summary>
    public void EndUnlogged(ulong hash, int way, in ValueHeader header, ReadOnlySpan<byte> value, bool isTakenOut)
    {
        if (isTakenOut)
        {
            ulong index = RowIndexOf(hash);
            Slot* slot = SlotAt(index, way);
            TryUpdate(slot, in header, value);
            RowAt(index)->SetUnlogged(way);
            RowAt(index)->CountUse(way);
            CountUnlogged(1);
            _unloggedIn[SegmentedArena.SegmentOf(slot->Reference)] += BytesFor(((Copy*)_arena.At(slot->Reference))->KeyBytes, value.Length);
        }

        _filling.Exit();
        GC.KeepAlive(this);
    }

    /// <summary>The hash of the key of a copy; any, if there is none, or its segment is being used anew.</summary>
    public ulong HashAt(int row, int way)
    {
        ulong reference = SlotAt((ulong)row, way)->Reference;
        ulong hash = _arena.IsLive(reference) ? ((Copy*)_arena.At(reference))->Hash : 0;
        GC.KeepAlive(this);
        return hash;
    }

    /// <summary>Holds a copy that the log was to get yet, or one that is no more than that, where it is: to be ended with <see cref="EndLogging"/>. Waits for who fills, and for the row.</summary>
    public bool TryBeginLogging(int row, int way, bool isLogged, out ReadOnlySpan<byte> key, out ValueHeader header, out ReadOnlySpan<byte> value)
    {
        key = value = default;
        header = default;
        _filling.Enter();
        HotRow* at = RowAt((ulong)row);
        RowWord.Lock(ref at->Word);
        if (((isLogged ? at->Logged : at->Unlogged) & (1u << way)) != 0)
        {
            Slot* slot = SlotAt((ulong)row, way);
            if (_arena.IsLive(slot->Reference))
            {
                Copy* copy = (Copy*)_arena.At(slot->Reference);
                header = copy->Header;
                header.Deadline = slot->Deadline;
                key = new(copy + 1, copy->KeyBytes);
                value = new((byte*)(copy + 1) + copy->KeyBytes, copy->ValueBytes);
                return true;
            }

            Empty((ulong)row, way);
            RowWord.UnlockFilled(ref at->Word);
        }
        else
        {
            RowWord.UnlockUnchanged(ref at->Word);
        }

        _filling.Exit();
        GC.KeepAlive(this);
        return false;
    }

    /// <summary>Ends what <see cref="TryBeginLogging"/> began.</summary>
    /// <param name="row">The row.</param>
    /// <param name="way">The way.</param>
    /// <param name="isLogged">Whether the log has the entry now, or it is not wanted any more.</param>
    /// <param name="isWanted">Whether the copy is.</param>
    public void EndLogging(int row, int way, bool isLogged, bool isWanted)
    {
        if (isLogged)
        {
            ulong reference = SlotAt((ulong)row, way)->Reference;
            Copy* copy = (Copy*)_arena.At(reference);
            _unloggedIn[SegmentedArena.SegmentOf(reference)] -= BytesFor(copy->KeyBytes, copy->ValueBytes);
            if (isWanted) SetLogged((ulong)row, way);
            else Empty((ulong)row, way);
        }

        if (isLogged) RowWord.UnlockFilled(ref RowAt((ulong)row)->Word);
        else RowWord.UnlockUnchanged(ref RowAt((ulong)row)->Word);
        _filling.Exit();
        GC.KeepAlive(this);
    }

    /// <inheritdoc/>
    protected override void Move(ulong row, int from, int to) => *SlotAt(row, to) = *SlotAt(row, from);

    private bool TryTake(Slot* slot, ref FoundValue found, ref ValueBuffer buffer)
    {
        Copy* copy = (Copy*)_arena.At(slot->Reference);
        var header = copy->Header;
        header.Deadline = slot->Deadline;
        return found.TryTake(in header, new ReadOnlySpan<byte>((byte*)(copy + 1) + copy->KeyBytes, copy->ValueBytes), ref buffer);
    }

    private static bool IsAsLong(Copy* copy, ReadOnlySpan<byte> value) => BytesFor(copy->KeyBytes, value.Length) == BytesFor(copy->KeyBytes, copy->ValueBytes);

    /// <summary>Waits some microseconds for who fills, no longer: he may be waiting for the row that the caller has locked.</summary>
    private bool TryFillSoon()
    {
        for (int i = 0; i < MostTries; i++)
        {
            if (_filling.TryEnter()) return true;
            Thread.SpinWait(MostTries);
        }

        return false;
    }
}
