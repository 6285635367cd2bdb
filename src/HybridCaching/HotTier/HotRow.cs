using System.Numerics;
using System.Runtime.CompilerServices;
using System.Runtime.InteropServices;
using System.Runtime.Intrinsics;
using HybridCaching.Configuration;

namespace HybridCaching.HotTier;

/// <summary>The directory entry of a row, 32 bytes, two to a cache line: its word, and for each of its ways a tag of the key that is there and how often it was read.</summary>
[StructLayout(LayoutKind.Sequential, Size = (int)MemoryPlan.HotRowBytes)]
internal struct HotRow
{
    public const int MaximumWays = MemoryPlan.MaximumHotWays;

    private const uint MaximumFrequency = 3;

    public ulong Word;

    /// <summary>Two bits per way. Readers count it up without a lock: a count may get lost.</summary>
    private uint _frequencies;

    /// <summary>Where the search for a victim goes on.</summary>
    private uint _hand;

    /// <summary>A byte of each key's hash; 0 stands for an empty way.</summary>
    private Vector128<byte> _tags;

    /// <summary>The ways whose key may have this tag, a bit each.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public readonly uint WaysWith(byte tag) => Vector128.Equals(_tags, Vector128.Create(tag)).ExtractMostSignificantBits();

    public void SetTag(int way, byte tag)
    {
        Unsafe.Add(ref Unsafe.As<Vector128<byte>, byte>(ref _tags), way) = tag;
        _frequencies &= ~(MaximumFrequency << (2 * way));
    }

    public void ClearTags() => _tags = default;

    /// <summary>Notes that the way was read. Saturates, so that a key read again and again by many threads is not written to.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public void CountUse(int way)
    {
        uint seen = _frequencies;
        if (((seen >> (2 * way)) & MaximumFrequency) != MaximumFrequency) _frequencies = seen + (1u << (2 * way));
    }

    /// <summary>Whether the way was read since it was filled or spared last.</summary>
    public readonly bool IsUsed(int way) => ((_frequencies >> (2 * way)) & MaximumFrequency) != 0;

    /// <summary>Takes one of its reads from a way that is spared for it.</summary>
    public void Spare(int way) => _frequencies -= 1u << (2 * way);

    /// <summary>An empty way, or the one to give up: CLOCK with counts of two bits (Corbató 1968; S3-FIFO, Yang et al. 2023, uses the same).</summary>
    /// <param name="ways">How many ways are in use.</param>
    public int Victim(int ways)
    {
        uint empty = WaysWith(0) & ((1u << ways) - 1);
        if (empty != 0) return BitOperations.TrailingZeroCount(empty);
        while (true)
        {
            int way = (int)(_hand++ % (uint)ways);
            if (((_frequencies >> (2 * way)) & MaximumFrequency) == 0) return way;
            _frequencies -= 1u << (2 * way);
        }
    }
}
