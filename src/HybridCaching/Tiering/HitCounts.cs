using System.Runtime.CompilerServices;
using HybridCaching.Devices;

namespace HybridCaching.Tiering;

/// <summary>How often records of FASTER's log were read from the disk, up to 3: a small table by the key's hash, or by what the pieces of a long value have in common, for the few that were.</summary>
/// <remarks>
/// A place holds 14 bits of a hash and the count; keys that meet take it from one another. Anybody counts, without a lock: a hit that gets lost when two meet does no harm.
/// </remarks>
internal sealed unsafe class HitCounts
{
    /// <summary>Bytes of a place.</summary>
    public const int BytesPerRecord = sizeof(ushort);

    private const int Most = 3;
    private const int CountMask = 3;
    private const ulong Spread = 0xA076_1D64_78BD_642F;

    private readonly NativeBlock _block;
    private readonly ulong _places;

    /// <param name="bytes">Its size.</param>
    public HitCounts(long bytes)
    {
        _places = (ulong)Math.Max(1, bytes / BytesPerRecord);
        _block = new NativeBlock((nuint)_places * BytesPerRecord, isCleared: true);
    }

    public long Bytes => (long)_places * BytesPerRecord;

    /// <summary>Gives its memory back to the system: nobody uses it any more, but for those who are about to end.</summary>
    public void Discard()
    {
        _block.Discard(0, (nuint)Bytes);
        GC.KeepAlive(this);
    }

    /// <summary>Counts a hit.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public void Count(ulong hash)
    {
        ushort* place = PlaceOf(hash);
        int word = *place;
        int count = Tag(word) == TagOf(hash) ? word & CountMask : 0;
        if (count < Most) *place = (ushort)(TagOf(hash) | (count + 1));
        GC.KeepAlive(this);
    }

    /// <summary>How often the key was hit.</summary>
    public int Of(ulong hash)
    {
        int word = *PlaceOf(hash);
        GC.KeepAlive(this);
        return Tag(word) == TagOf(hash) ? word & CountMask : 0;
    }

    /// <summary>How often the key was hit. It begins anew.</summary>
    public int Take(ulong hash)
    {
        int hits = Of(hash);
        if (hits > 0) *PlaceOf(hash) = 0;
        GC.KeepAlive(this);
        return hits;
    }

    private static int Tag(int word) => word & ~CountMask;

    private static int TagOf(ulong hash) => (int)(hash >> 48) & ~CountMask;

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    private ushort* PlaceOf(ulong hash) => (ushort*)_block.Start + Math.BigMul(hash * Spread, _places, out _);
}
