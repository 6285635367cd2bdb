using System.Runtime.CompilerServices;
using HybridCaching.Devices;

namespace HybridCaching.HotTier;

/// <summary>Memory outside the GC heap in segments, each with a generation. A place is named by a reference that holds the generation, too: once the segment is used anew, the reference leads nowhere.</summary>
/// <remarks>
/// <code>
///  63          36 35       20 19            0
/// ┌──────────────┬───────────┬───────────────┐
/// │ generation   │ segment   │ offset / 16   │
/// └──────────────┴───────────┴───────────────┘
/// </code>
/// Who reads looks at the generation, copies, and looks again; who writes counts the generation up before the first byte is overwritten.
/// A generation comes round again after 2^28 uses of its segment.
/// </remarks>
internal sealed unsafe class SegmentedArena
{
    /// <summary>Places begin at multiples of this.</summary>
    public const int Alignment = 16;

    private const int OffsetBits = 20;
    private const int SegmentBits = 16;
    private const int GenerationShift = OffsetBits + SegmentBits;
    private const uint GenerationMask = (1u << (64 - GenerationShift)) - 1;

    private readonly NativeBlock _memory;
    private readonly byte* _start;
    private readonly uint[] _generations;

    /// <param name="segments">How many segments; at most 65,536.</param>
    /// <param name="segmentBytes">Bytes of each; a multiple of 16, at most 16 MiB.</param>
    /// <param name="slack">So much may be read behind the last segment.</param>
    public SegmentedArena(int segments, int segmentBytes, int slack)
    {
        SegmentBytes = segmentBytes;
        _generations = new uint[segments];
        _generations.AsSpan().Fill(1);
        _memory = new NativeBlock(((nuint)segments * (nuint)segmentBytes) + (nuint)slack, isCleared: false);
        _start = (byte*)_memory.Start;
    }

    /// <summary>The most segments of an arena.</summary>
    public static int MaximumSegments => 1 << SegmentBits;

    public int SegmentBytes { get; }

    /// <summary>What stands for a place in a segment as it is used now.</summary>
    public ulong ReferenceTo(int segment, int offset) => ReferenceTo(_generations[segment], segment, offset);

    /// <summary>What stood for it in an earlier generation.</summary>
    public static ulong ReferenceTo(uint generation, int segment, int offset) =>
        ((ulong)generation << GenerationShift) | ((ulong)segment << OffsetBits) | ((uint)offset / Alignment);

    /// <summary>Where a place is.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public byte* At(int segment, int offset) => _start + ((long)segment * SegmentBytes) + offset;

    /// <summary>Where the place is that a reference names.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public byte* At(ulong reference) => At(SegmentOf(reference), (int)(reference & ((1 << OffsetBits) - 1)) * Alignment);

    /// <summary>Whether a reference still names what it named. After a copy, a read barrier has to come before.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public bool IsLive(ulong reference) => Volatile.Read(ref _generations[SegmentOf(reference)]) == (uint)(reference >> GenerationShift);

    /// <summary>Begins to use a segment anew: no reference to it is live any more when this returns. One caller at a time.</summary>
    /// <returns>The generation that has ended.</returns>
    public uint BeginGeneration(int segment)
    {
        uint ended = _generations[segment];
        Volatile.Write(ref _generations[segment], Math.Max(1, (ended + 1) & GenerationMask));
        Interlocked.MemoryBarrier(); // who copies from it sees that before it sees what is written next
        return ended;
    }

    /// <summary>So many segments are used from now on, and none behind them.</summary>
    public void UseFirst(int segments) => _memory.Use(0, (nuint)segments * (nuint)SegmentBytes);

    /// <summary>Gives the memory of a segment and of all behind it back to the system. None of them may hold anything live.</summary>
    public void DiscardFrom(int segment) => _memory.DiscardFrom((nuint)segment * (nuint)SegmentBytes);

    /// <summary>The segment of the place that a reference names.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public static int SegmentOf(ulong reference) => (int)(reference >> OffsetBits) & ((1 << SegmentBits) - 1);
}
