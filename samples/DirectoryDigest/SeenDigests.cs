using System.Numerics;

namespace DirectoryDigest;

/// <summary>
/// Remembers the first 64 bits of digests in a table of fixed size, so that memory stays bounded: two digests that share them count as the same, and
/// beyond about four million different ones some are forgotten and the count of duplicates is a lower bound. Thread-safe without locks.
/// </summary>
internal sealed class SeenDigests(long expectedCount)
{
    private const int MaxSlots = 1 << 22;
    private const int MaxProbes = 32;
    private const ulong Empty = 0;

    private readonly ulong[] _slots = new ulong[(int)BitOperations.RoundUpToPowerOf2((uint)Math.Clamp(expectedCount * 2, 1024, MaxSlots))];

    /// <summary>Whether the digest was seen before; remembers it if there is room.</summary>
    public bool SeenBefore(in ChunkDigest digest)
    {
        ulong prefix = digest.Hash0 == Empty ? 1 : digest.Hash0;
        for (int probe = 0; probe < MaxProbes; probe++)
        {
            ref ulong slot = ref _slots[(int)((prefix + (ulong)probe) & (ulong)(_slots.Length - 1))];
            ulong held = Volatile.Read(ref slot);
            if (held == Empty) held = Interlocked.CompareExchange(ref slot, prefix, Empty);
            if (held == prefix) return true;
            if (held == Empty) return false;
        }

        return false;
    }
}
