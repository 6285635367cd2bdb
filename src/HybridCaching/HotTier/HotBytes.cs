using System.Diagnostics.CodeAnalysis;
using System.Numerics;
using System.Runtime.CompilerServices;
using System.Runtime.InteropServices;
using HybridCaching.Configuration;
using HybridCaching.Devices;
using HybridCaching.Diagnostics;
using HybridCaching.Records;

namespace HybridCaching.HotTier;

/// <summary>A set-associative table of copies of values of any length, outside the GC heap and exact in bytes, whose readers take no lock; and the write lock of every key's row.</summary>
/// <remarks>
/// The rows hold references into an arena of two rings of segments, each filled one after the other (S3-FIFO; Yang et al. 2023). Copies of keys that were not seen lately come to the small ring: when it has come
/// round, the oldest segment is used anew, what was read more than once moves to the large ring, and the rest is dropped and its keys remembered. When the large ring has come round, what was read meanwhile moves
/// to the beginning of its segment, the rest is dropped. As long as the large ring was never full all copies go there. One thread at a time fills; who would have to wait does not fill.
/// Who writes a key changes its copy in its place if that is as long, under the row's lock and as the one who fills; else the key loses it. See docs/concurrency.md.
/// </remarks>
internal sealed unsafe partial class HotBytes : HotRows
{
    private const int IdealSegmentBytes = 1 << 20;

    /// <summary>A copy takes at most this part of a segment.</summary>
    private const int CopiesPerSegment = 4;

    private readonly NativeBlock _references;
    private readonly Slot* _slots;
    private readonly int _rowShift;
    private readonly SegmentedArena _arena;
    private readonly int _segmentsPerWay;
    private readonly Lock _filling = new();
    private readonly int[] _filled;

    /// <summary>Whether a copy takes the place of others. Told by the last who filled.</summary>
    private volatile bool _isFull;

    /// <param name="rows">How many rows; a power of two.</param>
    /// <param name="ways">How many ways at once.</param>
    /// <param name="maximumWays">How many ways there may ever be: at most 32.</param>
    /// <param name="slotBytes">What a way of a row takes: a reference, and a share of the arena.</param>
    public HotBytes(int rows, int ways, int maximumWays, int slotBytes)
        : base(rows, ways, maximumWays)
    {
        _rowShift = BitOperations.Log2((uint)rows);
        _references = new NativeBlock(ReferenceBytesOf(maximumWays), isCleared: false);
        _slots = (Slot*)_references.Start;
        long wayBytes = (long)rows * (slotBytes - sizeof(Slot));
        long ideal = Math.Max(1, (wayBytes + IdealSegmentBytes - 1) / IdealSegmentBytes);
        _segmentsPerWay = (int)Math.Min(BitOperations.RoundUpToPowerOf2((ulong)ideal), (ulong)Math.Min(rows, SegmentedArena.MaximumSegments / HotRow.MaximumWays));
        _arena = new SegmentedArena(_segmentsPerWay * maximumWays, (int)(wayBytes / _segmentsPerWay), KeyText.MaximumBytes(KeyText.MaximumLength) + sizeof(Copy));
        _filled = new int[_segmentsPerWay * maximumWays];
        _unloggedIn = new int[_segmentsPerWay * maximumWays];
        PrepareWays(0, ways);
    }

    public override long MemoryBytes => (Rows * MemoryPlan.HotRowBytes) + (Ways * ((Rows * (long)sizeof(Slot)) + ((long)_segmentsPerWay * _arena.SegmentBytes)));

    /// <summary>What to plan for each way of a row, so that references and arena run out at about the same time.</summary>
    /// <param name="typicalBytes">Bytes of a usual key and value together.</param>
    /// <remarks>Half a copy for each reference: rows fill unevenly, and a reference costs little.</remarks>
    public static int SlotBytesFor(int typicalBytes) => sizeof(Slot) + (BytesFor(typicalBytes, 0) / 2 / SegmentedArena.Alignment * SegmentedArena.Alignment);

    /// <summary>Looks for a copy. Takes no lock and never waits.</summary>
    /// <param name="key">The key, encoded.</param>
    /// <param name="hash">Its hash.</param>
    /// <param name="copy">Where the copy is, and what is known of it.</param>
    /// <param name="seen">The row's word: to be given to <see cref="TryFill"/> after a miss here.</param>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public bool TryFind(ReadOnlySpan<byte> key, ulong hash, out HotCopy copy, out ulong seen)
    {
        ulong index = RowIndexOf(hash);
        HotRow* row = RowAt(index);
        seen = Volatile.Read(ref row->Word);
        Unsafe.SkipInit(out copy);
        if (RowWord.IsLocked(seen)) return false;
        for (uint ways = row->WaysWith(TagOf(hash)); ways != 0; ways &= ways - 1)
        {
            int way = BitOperations.TrailingZeroCount(ways);
            Slot* slot = SlotAt(index, way);
            ulong reference = slot->Reference;
            if (!_arena.IsLive(reference) || !IsKey(reference, key)) continue;
            Copy* found = (Copy*)_arena.At(reference);
            copy = new HotCopy(row, way, seen, reference, (byte*)found, key.Length, found->ValueBytes, slot->Deadline, found->Header.IsSliding, found->Header.Kind == ValueKind.ChunkList);
            return IsWhole(in copy);
        }

        GC.KeepAlive(this);
        return false;
    }

    /// <summary>Copies the value of a copy that was found.</summary>
    /// <returns>False if it is gone: what was copied is nothing.</returns>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public bool TryCopy(in HotCopy copy, Span<byte> destination)
    {
        ValueOf(in copy).CopyTo(destination);
        if (!IsWhole(in copy)) return false;
        copy.Row->CountUse(copy.Way);
        return true;
    }

    /// <summary>Takes a copy over: its header, and its value or the list of its pieces.</summary>
    /// <returns>False if it is gone: what was taken is nothing.</returns>
    public bool TryTake(in HotCopy copy, ref FoundValue found, ref ValueBuffer buffer)
    {
        var header = ((Copy*)copy.Start)->Header;
        header.Deadline = copy.Deadline;
        if (!found.TryTake(in header, ValueOf(in copy), ref buffer) || !IsWhole(in copy)) return false;
        copy.Row->CountUse(copy.Way);
        return true;
    }

    /// <summary>Brings the copy of a key, which the log has, up to date, if there is one; if it cannot be changed in its place, or somebody fills, it is dropped. The caller holds the row's lock. Never waits.</summary>
    public void Update(ReadOnlySpan<byte> key, ulong hash, in ValueHeader header, ReadOnlySpan<byte> value)
    {
        if (Find(key, hash) is not (>= 0 and var way)) return;
        ulong index = RowIndexOf(hash);
        bool isUpdated = false;
        bool wasUnlogged = IsUnlogged(hash, way);
        if (wasUnlogged ? TryFillSoon() : _filling.TryEnter()) // or its segment might be used anew meanwhile
        {
            isUpdated = TryUpdate(SlotAt(index, way), in header, value);
            if (isUpdated && wasUnlogged) _unloggedIn[SegmentedArena.SegmentOf(SlotAt(index, way)->Reference)] -= BytesFor(key.Length, value.Length);
            _filling.Exit();
        }

        if (isUpdated) SetLogged(index, way);
        else Empty(index, way);
        GC.KeepAlive(this);
    }

    /// <summary>Drops the copy of a key, if there is one. The caller holds the row's lock.</summary>
    /// <param name="key">The key, encoded.</param>
    /// <param name="hash">Its hash.</param>
    /// <param name="hadCopy">Whether there was one.</param>
    /// <returns>Whether the log was to get it yet.</returns>
    public bool Forget(ReadOnlySpan<byte> key, ulong hash, out bool hadCopy)
    {
        int way = Find(key, hash);
        hadCopy = way >= 0;
        if (!hadCopy) return false;
        bool wasUnlogged = IsUnlogged(hash, way);
        Empty(RowIndexOf(hash), way);
        return wasUnlogged;
    }

    /// <summary>Renews the deadline of the copy of a key, if there is one. The caller holds the row's lock.</summary>
    public void Renew(ReadOnlySpan<byte> key, ulong hash, long deadline)
    {
        if (Find(key, hash) is >= 0 and var way) Volatile.Write(ref SlotAt(RowIndexOf(hash), way)->Deadline, deadline);
    }

    /// <summary>Puts a copy of what the log holds in, unless a key of the row was changed since, or is being changed, or somebody else fills. Never waits.</summary>
    /// <param name="key">The key, encoded.</param>
    /// <param name="hash">Its hash.</param>
    /// <param name="header">The header of the value.</param>
    /// <param name="value">What the log was found to hold.</param>
    /// <param name="seen">The row's word from before the log was read; nothing happens if it was locked.</param>
    public void TryFill(ReadOnlySpan<byte> key, ulong hash, in ValueHeader header, ReadOnlySpan<byte> value, ulong seen)
    {
        int bytes = BytesFor(key.Length, value.Length);
        if (Ways == 0 || RowWord.IsLocked(seen) || bytes > _arena.SegmentBytes / CopiesPerSegment || !_filling.TryEnter()) return;
        try
        {
            _segments = Ways * _segmentsPerWay;
            if (Reserve(bytes, hash, header.Kind) is >= 0 and var segment) Fill(segment, key, hash, in header, value, seen, bytes);
            _isFull = IsMainFull;
        }
        finally
        {
            _filling.Exit();
        }

        GC.KeepAlive(this);
    }

    /// <inheritdoc/>
    public override bool NoteRead(ulong hash)
    {
        if (Ways == 0) return false;
        GhostTags* ghosts = GhostsAt(RowIndexOf(hash));
        bool isDue = !_isFull || ghosts->Has(TagOf(hash), _now);
        if (!isDue && _filling.TryEnter())
        {
            ghosts->Add(TagOf(hash), _now);
            _filling.Exit();
        }

        GC.KeepAlive(this);
        return isDue;
    }

    /// <summary>Copies the key of a copy, while nobody fills. For those who look at all of them.</summary>
    public bool TryCopyKey(int row, int way, [NotNullWhen(true)] out byte[]? key)
    {
        key = null;
        if (IsEmpty(row, way)) return false;
        lock (_filling)
        {
            ref ulong word = ref RowAt((ulong)row)->Word;
            RowWord.Lock(ref word);
            try
            {
                ulong reference = SlotAt((ulong)row, way)->Reference;
                if (!IsEmpty(row, way) && _arena.IsLive(reference))
                {
                    Copy* copy = (Copy*)_arena.At(reference);
                    key = new ReadOnlySpan<byte>(copy + 1, copy->KeyBytes).ToArray();
                }
            }
            finally
            {
                RowWord.UnlockUnchanged(ref word); // also where there is no memory for the key
            }
        }

        GC.KeepAlive(this);
        return key is not null;
    }

    /// <summary>A reader may come to a slot before it was ever written: it has to lead nowhere.</summary>
    protected override void PrepareWays(int first, int end)
    {
        _arena.UseFirst(end * _segmentsPerWay);
        _references.Use(0, ReferenceBytesOf(end));
        NativeMemory.Clear(_slots + ((long)first << _rowShift), ReferenceBytesOf(end - first));
    }

    /// <inheritdoc/>
    protected override void DiscardWay(int way)
    {
        BusyWait.Enter(_filling); // the ways of the rows are given up already
        try
        {
            _segments = way * _segmentsPerWay;
            for (int segment = _segments; segment < (way + 1) * _segmentsPerWay; segment++) EndGeneration(segment, Turn.GivenUp);

            _arena.DiscardFrom(way * _segmentsPerWay);
            _references.DiscardFrom(ReferenceBytesOf(way));
        }
        finally
        {
            _filling.Exit();
        }

        GC.KeepAlive(this);
    }

    private nuint ReferenceBytesOf(int ways) => (nuint)Rows * (nuint)ways * (nuint)sizeof(Slot);

    private bool IsEmpty(int row, int way) => (RowAt((ulong)row)->WaysWith(0) & (1u << way)) != 0;

    private static int BytesFor(int keyBytes, int valueBytes) => (sizeof(Copy) + keyBytes + valueBytes + SegmentedArena.Alignment - 1) & ~(SegmentedArena.Alignment - 1);

    private bool TryUpdate(Slot* slot, in ValueHeader header, ReadOnlySpan<byte> value)
    {
        Copy* copy = (Copy*)_arena.At(slot->Reference);
        if (!_arena.IsLive(slot->Reference) || !IsAsLong(copy, value)) return false;
        copy->Header = header;
        copy->ValueBytes = value.Length;
        value.CopyTo(new Span<byte>((byte*)(copy + 1) + copy->KeyBytes, value.Length));
        slot->Deadline = header.Deadline;
        return true;
    }

    /// <summary>The way of a key, with the row locked; -1 if there is no copy.</summary>
    /// <remarks>A reference that leads nowhere is dropped: it may be this key's, and its segment's new use may be about to spare it.</remarks>
    public int Find(ReadOnlySpan<byte> key, ulong hash)
    {
        ulong index = RowIndexOf(hash);
        HotRow* row = RowAt(index);
        for (uint ways = row->WaysWith(TagOf(hash)); ways != 0; ways &= ways - 1)
        {
            int way = BitOperations.TrailingZeroCount(ways);
            ulong reference = SlotAt(index, way)->Reference;
            if (!_arena.IsLive(reference)) Empty(index, way);
            else if (IsKey(reference, key)) return way;
        }

        return -1;
    }

    /// <summary>Whether a reference leads to a copy of a key. It may be gone by then.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    private bool IsKey(ulong reference, ReadOnlySpan<byte> key)
    {
        Copy* copy = (Copy*)_arena.At(reference);
        return copy->KeyBytes == key.Length && new ReadOnlySpan<byte>(copy + 1, key.Length).SequenceEqual(key);
    }

    private static ReadOnlySpan<byte> ValueOf(in HotCopy copy) => new(copy.Start + sizeof(Copy) + copy.KeyBytes, copy.Length);

    /// <summary>Whether what was read of a copy up to now is of one piece, and still there.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    private bool IsWhole(in HotCopy copy)
    {
        Volatile.ReadBarrier(); // what was read is complete before word and generation are looked at again
        bool isWhole = copy.Row->Word == copy.Seen && _arena.IsLive(copy.Reference);
        GC.KeepAlive(this);
        return isWhole;
    }

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    private Slot* SlotAt(ulong row, int way) => _slots + (((ulong)way << _rowShift) + row);

    /// <summary>Where the copy of a key is.</summary>
    [StructLayout(LayoutKind.Sequential)]
    private struct Slot
    {
        public ulong Reference;
        public long Deadline;
    }

    /// <summary>What precedes key and value in the arena.</summary>
    [StructLayout(LayoutKind.Sequential)]
    private struct Copy
    {
        public ulong Hash;
        public int KeyBytes;
        public int ValueBytes;
        public ValueHeader Header;
    }
}
