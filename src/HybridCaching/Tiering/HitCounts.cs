using System.Runtime.CompilerServices;
using System.Runtime.Intrinsics.X86;
using HybridCaching.Devices;

namespace HybridCaching.Tiering;

/// <summary>How often records of FASTER's log were read from the disk, up to 3: a small table by the key's hash, or by what the pieces of a long value have in common, for the few that were.</summary>
/// <remarks>
/// A place holds 14 bits of a hash and the count. A key may be in any of four places; where all are taken, it takes one from another. Anybody counts, without a lock: a hit that gets lost when two meet does no harm.
/// </remarks>
internal sealed unsafe class HitCounts
{
    /// <summary>Bytes of a place.</summary>
    public const int BytesPerRecord = sizeof(ushort);

    /// <summary>Places that a key may be in: eight bytes, of one cache line.</summary>
    private const int Ways = 4;

    private const int Most = 3;
    private const int CountMask = 3;
    private const ulong Spread = 0xA076_1D64_78BD_642F;

    private readonly NativeBlock _block;
    private readonly ulong _sets;

    /// <param name="bytes">Its size.</param>
    public HitCounts(long bytes)
    {
        _sets = (ulong)Math.Max(1, bytes / (Ways * BytesPerRecord));
        _block = new NativeBlock((nuint)_sets * Ways * BytesPerRecord, isCleared: true);
    }

    public long Bytes => (long)_sets * Ways * BytesPerRecord;

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
        ushort* place = Find(hash);
        if (place == null) place = PlaceFor(hash);
        int count = *place & CountMask;
        if (Tag(*place) != TagOf(hash)) count = 0;
        if (count < Most) *place = (ushort)(TagOf(hash) | (count + 1));
        GC.KeepAlive(this);
    }

    /// <summary>How often the key was hit.</summary>
    public int Of(ulong hash)
    {
        ushort* place = Find(hash);
        int hits = place == null ? 0 : *place & CountMask;
        GC.KeepAlive(this);
        return hits;
    }

    /// <summary>How often the key was hit. It begins anew.</summary>
    public int Take(ulong hash)
    {
        ushort* place = Find(hash);
        if (place == null) return 0;
        int count = *place & CountMask;
        *place = 0;
        GC.KeepAlive(this);
        return count;
    }

    /// <summary>Asks the processor to fetch the places of a key.</summary>
    public void Prefetch(ulong hash)
    {
        if (Sse.IsSupported) Sse.Prefetch0(SetOf(hash));
    }

    private ushort* Find(ulong hash)
    {
        ushort* set = SetOf(hash);
        int tag = TagOf(hash);
        for (int i = 0; i < Ways; i++)
        {
            int word = set[i];
            if (word != 0 && Tag(word) == tag) return set + i;
        }

        return null;
    }

    /// <summary>Where a key goes that has no place: an empty one, or another's.</summary>
    private ushort* PlaceFor(ulong hash)
    {
        ushort* set = SetOf(hash);
        for (int i = 0; i < Ways; i++)
        {
            if (set[i] == 0) return set + i;
        }

        return set + (hash & (Ways - 1));
    }

    private static int Tag(int word) => word & ~CountMask;

    private static int TagOf(ulong hash) => (int)(hash >> 48) & ~CountMask;

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    private ushort* SetOf(ulong hash) => (ushort*)_block.Start + (Math.BigMul(hash * Spread, _sets, out _) * Ways);
}
