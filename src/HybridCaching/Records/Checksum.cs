using System.Numerics;
using System.Runtime.CompilerServices;

namespace HybridCaching.Records;

/// <summary>CRC-32C (Castagnoli; RFC 3720, appendix B.4) over the bytes of values, without the final inversion.</summary>
internal static class Checksum
{
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
}
