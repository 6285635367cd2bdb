using System.Collections.Concurrent;
using System.Runtime.InteropServices;
using HybridCaching.Configuration;

namespace HybridCaching.Devices;

/// <summary>A CRC-32C per block of the log that holds what was written: 4 bytes per 4 KiB. What was never written, or lost, is marked as such.</summary>
/// <remarks>
/// A block is checked before FASTER parses it: a damaged link or length can hang its readers or end the process. What does not check reads as zeros,
/// which are no record. Writers of a block and its readers never overlap: FASTER reads a block from disk only after its write was reported done.
/// </remarks>
internal sealed class BlockChecksums
{
    /// <summary>Never written.</summary>
    private const uint None = 0;

    /// <summary>Written, but it did not reach the disk.</summary>
    private const uint Lost = 1;

    /// <summary>Not to be read, whatever is written there after that, until its segment is removed.</summary>
    private const uint Gone = 3;

    /// <summary>A bit beside each checksum: the block was written, or to be written, before. What lies there may be what was written then, until its checksum has been looked at.</summary>
    private const uint Again = 1;

    private readonly ConcurrentDictionary<int, SegmentChecksums> _segments = new();
    private readonly ConcurrentQueue<int> _freeSlots = new();
    private readonly long _segmentBytes;

    /// <param name="segmentBytes">Bytes of a segment.</param>
    /// <param name="state">Where they are kept, as far as there is room, and may be from an earlier process; null for memory of their own.</param>
    public BlockChecksums(long segmentBytes, LiveState? state = null)
    {
        _segmentBytes = segmentBytes;
        State = state;
        for (int slot = 0; slot < state?.Slots; slot++)
        {
            var sums = new SegmentChecksums(state, slot);
            if (sums.Owner is not { } segment || !_segments.TryAdd(segment, sums)) _freeSlots.Enqueue(slot);
        }
    }

    /// <summary>Where they are kept, as far as there is room; null for memory of their own.</summary>
    public LiveState? State { get; }

    /// <summary>Bytes of memory that the checksums of the segments there are take.</summary>
    public long MemoryBytes => _segments.Count * SumBytes(_segmentBytes);

    /// <summary>The segments of which there is anything.</summary>
    public IEnumerable<int> Segments => _segments.Select(static s => s.Key);

    /// <summary>Remembers what a successful write put on disk.</summary>
    public void Record(int segment, long offset, ReadOnlySpan<byte> written)
    {
        var sums = Segment(segment, create: true)!.All;
        for (int at = 0; at < written.Length; at += MemoryPlan.BlockBytes)
        {
            Replace(ref sums[(int)((offset + at) / MemoryPlan.BlockBytes)], Sum(written.Slice(at, MemoryPlan.BlockBytes)), ifWritten: Again);
        }
    }

    /// <summary>Forgets a range: it is lost.</summary>
    /// <param name="segment">Of which segment.</param>
    /// <param name="offset">Where the range begins.</param>
    /// <param name="length">How long it is.</param>
    /// <param name="mayBeOnDisk">Whether something of it, of which nothing was recorded, may be on the disk, or still come there.</param>
    public void Forget(int segment, long offset, int length, bool mayBeOnDisk = false)
    {
        foreach (ref uint place in Range(Segment(segment, create: mayBeOnDisk), offset, length)) Replace(ref place, Lost);
    }

    /// <summary>Gives a range up for good: a block that is written in parts comes again, with what it held before.</summary>
    public void GiveUp(int segment, long offset, int length) => Range(Segment(segment, create: true), offset, length).Fill(Gone);

    /// <summary>Forgets a segment.</summary>
    public void Remove(int segment)
    {
        if (_segments.TryRemove(segment, out var sums) && sums.TryFree(out int slot)) _freeSlots.Enqueue(slot);
    }

    /// <summary>Forgets everything.</summary>
    public void Clear()
    {
        foreach (int segment in _segments.Keys) Remove(segment);
    }

    /// <summary>What stands for the blocks of a range, as far as there can be any; live.</summary>
    public ReadOnlySpan<uint> Of(int segment, long offset, int length) => Range(Segment(segment, create: false), offset, length);

    /// <summary>Whether a segment holds anything.</summary>
    public bool HoldsAny(int segment) => !IsNothing(Of(segment, 0, (int)_segmentBytes));

    /// <summary>Whether none of these blocks can be read.</summary>
    public static bool IsNothing(ReadOnlySpan<uint> checksums) => !checksums.ContainsAnyExceptInRange(None, Gone);

    /// <summary>These blocks up to the first that was never written, or lost.</summary>
    public static ReadOnlySpan<uint> Present(ReadOnlySpan<uint> checksums) => checksums.IndexOfAnyInRange(None, Gone) is >= 0 and var missing ? checksums[..missing] : checksums;

    /// <summary>Whether each of these blocks was written once only: nothing but that can be there.</summary>
    public static bool AreWrittenOnce(ReadOnlySpan<uint> checksums)
    {
        foreach (uint checksum in checksums)
        {
            if ((checksum & Again) != 0) return false;
        }

        return true;
    }

    /// <summary>
    /// Zeroes blocks that were never written, and all that was read if a block of it is lost or damaged. Returns whether all was there.
    /// </summary>
    /// <remarks>
    /// All of it, because a record may lie across two blocks: with its header intact and its key gone, FASTER would take it for another key's
    /// and go on to the older version of the key behind it.
    /// </remarks>
    public bool Verify(int segment, long offset, Span<byte> read, out int damaged)
    {
        var sums = Range(Segment(segment, create: false), offset, read.Length);
        damaged = 0;
        bool complete = true;
        bool lost = false;
        for (int at = 0; at < read.Length; at += MemoryPlan.BlockBytes)
        {
            var block = read.Slice(at, MemoryPlan.BlockBytes);
            int index = at / MemoryPlan.BlockBytes;
            uint expected = index < sums.Length ? Volatile.Read(ref sums[index]) : None;
            if (expected == None)
            {
                block.Clear();
                complete = false;
            }
            else if (expected is Lost or Gone)
            {
                lost = true;
            }
            else if (Sum(block) != (expected & ~Again))
            {
                damaged++;
            }
        }

        if (!lost && damaged == 0) return complete;
        read.Clear();
        return false;
    }

    /// <summary>Bytes that <see cref="Save"/> writes.</summary>
    public long SavedBytes(long segmentBytes) => sizeof(int) + (Readable().Count() * (sizeof(int) + SumBytes(segmentBytes)));

    /// <summary>Writes all checksums, per segment of which something can be read: its number, then its sums.</summary>
    /// <param name="to">Where to.</param>
    /// <param name="parts">Gets what stands for all that was written.</param>
    /// <param name="segmentBytes">Bytes of a segment for whoever reads it: no more than they are.</param>
    public void Save(Stream to, List<uint> parts, long segmentBytes)
    {
        var segments = Readable().ToArray();
        Write(segments.Length);
        byte[] copy = new byte[SumBytes(segmentBytes)];
        foreach (var (segment, sums) in segments)
        {
            Write(segment);
            MemoryMarshal.AsBytes(sums.All)[..copy.Length].CopyTo(copy); // a write that was given up may end just now
            to.Write(copy);
            parts.Add(Crc32C.Of(copy));
        }

        void Write(int number)
        {
            to.Write(MemoryMarshal.AsBytes(new ReadOnlySpan<int>(in number)));
            parts.Add((uint)number);
        }
    }

    /// <summary>Reads what <see cref="Save"/> wrote.</summary>
    /// <param name="from">Where it is.</param>
    /// <param name="parts">Gets what stands for all that was read.</param>
    /// <param name="maximumSegments">How many segments there may be.</param>
    /// <exception cref="InvalidDataException">It is something else.</exception>
    /// <exception cref="EndOfStreamException">There is less than there should be.</exception>
    public void Load(Stream from, List<uint> parts, int maximumSegments)
    {
        int count = Read();
        if (count < 0 || count > maximumSegments) throw new InvalidDataException($"{count} segments are listed, at most {maximumSegments} are possible");
        Clear();
        for (int i = 0; i < count; i++)
        {
            var sums = MemoryMarshal.AsBytes(Segment(Read(), create: true)!.All);
            from.ReadExactly(sums);
            parts.Add(Crc32C.Of(sums));
        }

        int Read()
        {
            int number = 0;
            from.ReadExactly(MemoryMarshal.AsBytes(new Span<int>(ref number)));
            parts.Add((uint)number);
            return number;
        }
    }

    /// <summary>Replaces what stands for a block, unless the block is given up for good: others may do that, or forget it, meanwhile.</summary>
    /// <param name="place">Where it stands.</param>
    /// <param name="sum">What is to stand there.</param>
    /// <param name="ifWritten">What is added to it if the block was written, or to be written, before.</param>
    private static void Replace(ref uint place, uint sum, uint ifWritten = 0)
    {
        for (uint seen = Volatile.Read(ref place); seen != Gone;)
        {
            uint found = Interlocked.CompareExchange(ref place, sum | (seen == None ? 0 : ifWritten), seen);
            if (found == seen) return;
            seen = found;
        }
    }

    private static long SumBytes(long segmentBytes) => segmentBytes / MemoryPlan.BlockBytes * sizeof(uint);

    private IEnumerable<KeyValuePair<int, SegmentChecksums>> Readable() => _segments.Where(static s => !IsNothing(s.Value.All));

    /// <summary>The checksums of a range, as far as there can be any: FASTER reads beyond the end of what it has written.</summary>
    private static Span<uint> Range(SegmentChecksums? sums, long offset, int length)
    {
        var all = sums is null ? default : sums.All;
        int first = (int)Math.Min(offset / MemoryPlan.BlockBytes, all.Length);
        return all.Slice(first, Math.Min(length / MemoryPlan.BlockBytes, all.Length - first));
    }

    private static uint Sum(ReadOnlySpan<byte> block) => (Crc32C.Of(block) & ~Again) is > Gone and var sum ? sum : ~Again;

    private SegmentChecksums? Segment(int segment, bool create)
    {
        if (_segments.TryGetValue(segment, out var sums) || !create) return sums;
        lock (_freeSlots)
        {
            if (_segments.TryGetValue(segment, out sums)) return sums;
            sums = _freeSlots.TryDequeue(out int slot) ? new SegmentChecksums(State!, slot) : new SegmentChecksums((int)(_segmentBytes / MemoryPlan.BlockBytes));
            sums.Take(segment);
            return _segments[segment] = sums;
        }
    }
}
