using System.Runtime.CompilerServices;
using HybridCaching.Configuration;
using HybridCaching.Devices;

namespace HybridCaching.Store;

/// <summary>A table of the index of settled records: buckets of eight words, of which each key has two. Its size can be halved; its addresses stay.</summary>
internal sealed unsafe class SettledTable
{
    private const ulong FirstFactor = 0xC2B2_AE3D_27D4_EB4F;
    private const ulong SecondFactor = 0x9E37_79B9_7F4A_7C15;

    private readonly NativeBlock? _block;
    private readonly LiveState? _state;
    private readonly long _offset;
    private readonly ulong _buckets;
    private int _halvings;
    private ulong _halved;

    /// <summary>One in memory of its own.</summary>
    public SettledTable(TableSize size)
    {
        _block = new NativeBlock((nuint)size.Bytes, isCleared: true);
        Start = (ulong*)_block.Start;
        _buckets = (ulong)size.Buckets;
        _halvings = size.Halvings;
    }

    /// <summary>One that may outlive the process.</summary>
    /// <param name="size">Its size.</param>
    /// <param name="state">Whose it is.</param>
    /// <param name="offset">Where it begins there.</param>
    public SettledTable(TableSize size, LiveState state, long offset)
    {
        _state = state;
        _offset = offset;
        Start = (ulong*)(state.Tables + offset);
        _buckets = (ulong)size.Buckets;
        _halvings = size.Halvings;
    }

    public TableSize Size => new((long)_buckets, _halvings);

    public ulong* Start { get; }

    public long Words => Size.BucketsNow * SettledIndex.BucketWords;

    /// <summary>Neighbouring keys share most of their hash, but no bucket: groups of four would fill some while others are half empty.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public ulong* FirstBucket(ulong hash) => BucketOf(hash * FirstFactor);

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public ulong* SecondBucket(ulong hash) => BucketOf(hash * SecondFactor);

    /// <summary>A part of it, as bytes.</summary>
    public Span<byte> Part(long offset, int mostBytes) => new((byte*)Start + offset, (int)Math.Min(mostBytes, Size.Bytes - offset));

    /// <summary>So many of its buckets, from the first on, have become half as many already: it is done bit by bit.</summary>
    public long Halved => (long)_halved;

    /// <summary>From now on keys whose bucket is one of the first so many look in half as many. Their words must have been moved there. If these are all, what lies behind goes back to the system.</summary>
    public void Halve(long buckets)
    {
        var before = Size;
        Volatile.Write(ref _halved, (ulong)buckets);
        if (buckets < before.BucketsNow) return;
        _halvings++;
        Volatile.Write(ref _halved, 0);
        Discard(Size.Bytes, before.Bytes - Size.Bytes);
    }

    /// <summary>Gives all of it back to the system.</summary>
    public void Discard() => Discard(0, Size.Bytes);

    private void Discard(long offset, long bytes)
    {
        if (_state is not null) _state.DiscardTables(_offset + offset, bytes);
        else _block!.Discard((nuint)offset, (nuint)bytes);
    }

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    private ulong* BucketOf(ulong spread)
    {
        ulong bucket = Math.BigMul(spread, _buckets, out _) >> _halvings;
        return Start + ((bucket < _halved ? bucket >> 1 : bucket) * SettledIndex.BucketWords);
    }
}
