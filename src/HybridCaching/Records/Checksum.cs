using System.Numerics;
using System.Runtime.CompilerServices;
using System.Runtime.InteropServices;

namespace HybridCaching.Records;

/// <summary>CRC-32C (Castagnoli; RFC 3720, appendix B.4) over the bytes of values, without the final inversion.</summary>
internal static class Checksum
{
    private const int Stripes = 4;
    private const int LeastStriped = 256;

    /// <summary>Continues a checksum over the bytes of an unmanaged value.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public static uint Append<T>(uint crc, in T value)
        where T : unmanaged
    {
        ref byte start = ref Unsafe.As<T, byte>(ref Unsafe.AsRef(in value));
        int i = 0;
        for (; i <= Unsafe.SizeOf<T>() - sizeof(ulong); i += sizeof(ulong))
            crc = BitOperations.Crc32C(crc, Unsafe.ReadUnaligned<ulong>(ref Unsafe.Add(ref start, i)));
        for (; i < Unsafe.SizeOf<T>(); i++)
            crc = BitOperations.Crc32C(crc, Unsafe.Add(ref start, i));
        return crc;
    }

    /// <summary>Continues a checksum over any number of bytes. Long runs are taken in four stripes side by side, since one step takes three times as long as the next may begin after it; their sums are then appended.</summary>
    public static uint Append(uint crc, ReadOnlySpan<byte> bytes)
    {
        if (bytes.Length >= LeastStriped)
        {
            int words = bytes.Length / (Stripes * sizeof(ulong));
            var all = MemoryMarshal.Cast<byte, ulong>(bytes);
            var first = all[..words];
            var second = all.Slice(words, words);
            var third = all.Slice(2 * words, words);
            var fourth = all.Slice(3 * words, words);
            var (a, b, c, d) = (crc, 0u, 0u, 0u);
            for (int i = 0; i < first.Length; i++)
            {
                a = BitOperations.Crc32C(a, first[i]);
                b = BitOperations.Crc32C(b, second[i]);
                c = BitOperations.Crc32C(c, third[i]);
                d = BitOperations.Crc32C(d, fourth[i]);
            }

            crc = BitOperations.Crc32C(BitOperations.Crc32C(a, ((ulong)b << 32) | c), d);
            bytes = bytes[(words * Stripes * sizeof(ulong))..];
        }

        for (; bytes.Length >= sizeof(ulong); bytes = bytes[sizeof(ulong)..]) crc = BitOperations.Crc32C(crc, MemoryMarshal.Read<ulong>(bytes));
        foreach (byte b in bytes) crc = BitOperations.Crc32C(crc, b);
        return crc;
    }
}
