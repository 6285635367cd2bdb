using System.Runtime.CompilerServices;
using System.Runtime.Intrinsics;
using System.Runtime.Intrinsics.X86;
using HybridCaching.Devices;

namespace HybridCaching.Tiering;

/// <summary>Remembers keys that were dropped at the end of probation, or withheld, by 15 bits of their hash: who comes back soon is no one-hit wonder (the ghost queue of S3-FIFO, Yang et al. 2023).</summary>
/// <remarks>
/// A table of sets of 16 fingerprints, the newest first: a new one pushes the oldest of its set out. One caller at a time adds, anybody may take out; what gets lost or comes twice when they
/// meet does no harm. One key in 2,000 that was never here is taken for one that was.
/// </remarks>
internal sealed unsafe class Ghost
{
    /// <summary>Fingerprints in a set.</summary>
    private const int Ways = 16;

    /// <summary>Bytes per key remembered.</summary>
    public const int BytesPerKey = sizeof(ushort);

    private const ulong Spread = 0xD6E8_FEB8_6659_FD93;

    private readonly NativeBlock _block;
    private readonly ushort* _fingerprints;
    private readonly ulong _sets;
    private volatile bool _isUsed;
    private volatile int _ways = Ways;

    /// <param name="bytes">Its size.</param>
    public Ghost(long bytes)
    {
        _sets = (ulong)Math.Max(1, bytes / (Ways * BytesPerKey));
        _block = new NativeBlock((nuint)_sets * Ways * BytesPerKey, isCleared: true);
        _fingerprints = (ushort*)_block.Start;
    }

    public long Bytes => (long)_sets * Ways * BytesPerKey;

    /// <summary>Gives its memory back to the system: nobody uses it any more, but for those who are about to end.</summary>
    public void Discard()
    {
        _block.Discard(0, (nuint)Bytes);
        GC.KeepAlive(this);
    }

    /// <summary>Remembers about so many keys and no more, the newest; at most what there is room for.</summary>
    public void Limit(long keys) => _ways = (int)Math.Clamp((keys + (long)_sets - 1) / (long)_sets, 1, Ways);

    /// <summary>Remembers a key.</summary>
    public void Add(ulong hash)
    {
        _isUsed = true;
        ushort* set = SetOf(hash);
        new Span<ushort>(set, Ways - 1).CopyTo(new Span<ushort>(set + 1, Ways - 1));
        *set = FingerprintOf(hash);
        GC.KeepAlive(this);
    }

    /// <summary>Whether a key is remembered.</summary>
    public bool Contains(ulong hash) => _isUsed && FindIn(SetOf(hash), hash) != 0;

    /// <summary>Whether a key is remembered. It is forgotten now.</summary>
    public bool Take(ulong hash)
    {
        if (!_isUsed) return false;
        ushort* set = SetOf(hash);
        uint found = FindIn(set, hash);
        if (found == 0) return false;
        set[System.Numerics.BitOperations.TrailingZeroCount(found)] = 0;
        GC.KeepAlive(this);
        return true;
    }

    /// <summary>Asks the processor to fetch the set of a key.</summary>
    public void Prefetch(ulong hash)
    {
        if (Sse.IsSupported) Sse.Prefetch0(SetOf(hash));
    }

    private uint FindIn(ushort* set, ulong hash) =>
        Vector256.Equals(Vector256.Load(set), Vector256.Create(FingerprintOf(hash))).ExtractMostSignificantBits() & ((1u << _ways) - 1);

    /// <summary>Never 0, which is an empty place.</summary>
    private static ushort FingerprintOf(ulong hash) => (ushort)((hash >> 48) | 1);

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    private ushort* SetOf(ulong hash) => _fingerprints + (Math.BigMul(hash * Spread, _sets, out _) * Ways);
}
