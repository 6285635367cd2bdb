using System.Numerics;
using HybridCaching.Records;

namespace HybridCaching.HotTier;

/// <content>The two rings. For the one who fills.</content>
internal sealed unsafe partial class HotBytes
{
    /// <summary>When a segment is used anew, one part in so many of it is free at least.</summary>
    private const int LeastFreedPart = 8;

    /// <summary>One segment in so many is for copies on probation.</summary>
    private const int SegmentsPerProbation = 10;

    /// <summary>A copy of which fewer would fit the small ring is not put on probation: it would hardly be there long enough to be read again.</summary>
    private const int FewestOnProbation = 8;

    private int _probation = -1;
    private int _main = -1;

    /// <summary>How many segments there were when who fills now began: ways may be taken and given up meanwhile.</summary>
    private int _segments;

    /// <summary>Goes on when so much was dropped from probation that keys are remembered as long as it takes to drop as much as the large ring holds.</summary>
    private byte _now;
    private long _droppedNow;

    /// <summary>Makes room for a copy at the end of the segment that is being filled, or in the next one.</summary>
    /// <returns>The segment; -1 if there is no room.</returns>
    private int Reserve(int bytes, ulong hash, ValueKind kind)
    {
        if (_segments == 0) return -1;
        bool mayWait = kind == ValueKind.Whole && bytes <= (long)Probation * _arena.SegmentBytes / FewestOnProbation; // pieces judged one by one would leave values that are not whole
        return mayWait && IsMainFull && !GhostsAt(RowIndexOf(hash))->TryRemove(TagOf(hash), _now)
            ? Reserve(ref _probation, 0, Probation, bytes)
            : ReserveInMain(bytes);
    }

    private int ReserveInMain(int bytes) => Reserve(ref _main, FirstOfMain, _segments, bytes);

    /// <summary>The same in one of the rings.</summary>
    private int Reserve(ref int current, int first, int end, int bytes)
    {
        if (current < first || current >= end) Reuse(current = first); // at first, or when ways were taken or given up
        if (_filled[current] + bytes > _arena.SegmentBytes)
        {
            current = current + 1 < end ? current + 1 : first;
            Reuse(current);
        }

        return _filled[current] + bytes <= _arena.SegmentBytes ? current : -1;
    }

    /// <summary>So many segments, the first ones, are the small ring, from when something is put there.</summary>
    private int Probation => _segments / SegmentsPerProbation;

    private int FirstOfMain => _probation < 0 ? 0 : Probation;

    /// <summary>Whether the large ring can take a copy only in the place of others.</summary>
    private bool IsMainFull => _main >= FirstOfMain && _main < _segments && _filled[_main + 1 < _segments ? _main + 1 : FirstOfMain] > 0 && _filled[_segments - 1] > 0;

    private void Fill(int segment, ReadOnlySpan<byte> key, ulong hash, in ValueHeader header, ReadOnlySpan<byte> value, ulong seen, int bytes)
    {
        int offset = _filled[segment];
        Copy* copy = (Copy*)_arena.At(segment, offset);
        *copy = new Copy { Hash = hash, KeyBytes = key.Length, ValueBytes = value.Length, Header = header };
        key.CopyTo(new Span<byte>(copy + 1, key.Length));
        value.CopyTo(new Span<byte>((byte*)(copy + 1) + key.Length, value.Length));
        ulong index = RowIndexOf(hash);
        HotRow* row = RowAt(index);
        if (!RowWord.TryLock(ref row->Word, RowWord.VersionOf(seen))) return;
        int way = Find(key, hash);
        int ways = Ways;
        if (way < 0 && ways > 0) way = row->Take(TagOf(hash), ways);
        if (way >= 0 && !IsUnlogged(hash, way))
        {
            *SlotAt(index, way) = new Slot { Reference = _arena.ReferenceTo(segment, offset), Deadline = header.Deadline };
            _filled[segment] = offset + bytes;
        }

        RowWord.UnlockFilled(ref row->Word);
    }

    /// <summary>Uses a segment anew.</summary>
    private void Reuse(int segment) => EndGeneration(segment, segment < FirstOfMain ? Turn.Probation : Turn.Main);

    /// <summary>Ends the use of a segment as it is, and lets its copies go, but for those that may stay.</summary>
    private void EndGeneration(int segment, Turn turn)
    {
        int end = _filled[segment];
        uint ended = _arena.BeginGeneration(segment);
        _filled[segment] = 0;
        (_unloggedLeft, _unloggedIn[segment]) = (_unloggedIn[segment], 0);
        for (int offset = 0, bytes; offset < end; offset += bytes)
        {
            Copy* copy = (Copy*)_arena.At(segment, offset);
            bytes = BytesFor(copy->KeyBytes, copy->ValueBytes);
            JudgeCopy(copy, SegmentedArena.ReferenceTo(ended, segment, offset), segment, turn, bytes);
        }
    }

    /// <summary>Moves a copy to where it may stay if it was read, or is the only place where its entry is, or drops it. One whose row is locked is dropped: its reference leads nowhere any more.</summary>
    private void JudgeCopy(Copy* copy, ulong reference, int segment, Turn turn, int bytes)
    {
        ulong hash = copy->Hash;
        ulong index = RowIndexOf(hash);
        HotRow* row = RowAt(index);
        int way = WayWith(reference, hash);
        if (way < 0) return;
        bool isUnlogged = IsUnlogged(hash, way); // that begins with the right to fill, which we have; but one may come from a way that is being given up, and is lost then
        if (isUnlogged) _unloggedLeft -= bytes;
        bool isKept = isUnlogged || (turn != Turn.GivenUp && row->UsesOf(way) > (turn == Turn.Probation ? 1 : 0));
        int target = isKept ? TargetFor(segment, turn, bytes, isUnlogged) : -1;
        if (isUnlogged) RowWord.Lock(ref row->Word); // whoever has it waits for nobody who fills
        else if (!RowWord.TryLock(ref row->Word)) return;
        way = WayWith(reference, hash); // it may have moved
        if (way >= 0)
        {
            if (target >= 0)
            {
                int offset = _filled[target];
                Buffer.MemoryCopy(copy, _arena.At(target, offset), bytes, bytes);
                _filled[target] = offset + bytes;
                if (isUnlogged) _unloggedIn[target] += bytes;
                SlotAt(index, way)->Reference = _arena.ReferenceTo(target, offset);
                if (turn == Turn.Probation) row->ClearUses(way);
                else if (row->UsesOf(way) > 0) row->Spare(way);
            }
            else
            {
                Empty(index, way);
                if (turn == Turn.Probation) Remember(index, TagOf(hash), bytes);
            }
        }

        RowWord.UnlockFilled(ref row->Word);
    }

    private void Remember(ulong index, byte tag, int bytes)
    {
        GhostsAt(index)->Add(tag, _now);
        _droppedNow += bytes;
        if (_droppedNow < (_segments - FirstOfMain) * (long)_arena.SegmentBytes / GhostTags.Lifetime) return;
        _droppedNow = 0;
        _now++;
    }

    /// <summary>The way that a reference is in; -1 if there is none. Only who fills puts references in.</summary>
    private int WayWith(ulong reference, ulong hash)
    {
        ulong index = RowIndexOf(hash);
        for (uint ways = RowAt(index)->WaysWith(TagOf(hash)); ways != 0; ways &= ways - 1)
        {
            int way = BitOperations.TrailingZeroCount(ways);
            if (SlotAt(index, way)->Reference == reference) return way;
        }

        return -1;
    }

    /// <summary>
    /// Where a copy that stays goes: to the large ring, or to the beginning of its own segment, of which a part is not filled, so that every turn makes room, and a part is for copies still to come that must not get lost.
    /// -1 if there is no room.
    /// </summary>
    private int TargetFor(int segment, Turn turn, int bytes, bool isUnlogged)
    {
        if (turn != Turn.Main) return _segments == 0 ? -1 : ReserveInMain(bytes);
        int most = isUnlogged ? _arena.SegmentBytes : _arena.SegmentBytes - (_arena.SegmentBytes / LeastFreedPart) - _unloggedLeft;
        return _filled[segment] + bytes <= most ? segment : -1;
    }

    /// <summary>Why copies of a segment are judged.</summary>
    private enum Turn
    {
        /// <summary>The large ring has come round.</summary>
        Main,

        /// <summary>The small ring has come round.</summary>
        Probation,

        /// <summary>The segment is given up.</summary>
        GivenUp,
    }
}
