using System.Numerics;
using System.Runtime.InteropServices;

namespace HybridCaching.Devices;

/// <summary>CRC-32C (Castagnoli; RFC 3720, appendix B.4) of blocks and files.</summary>
internal static class Crc32C
{
    /// <summary>The checksum of a run of bytes.</summary>
    public static uint Of(ReadOnlySpan<byte> bytes)
    {
        uint crc = uint.MaxValue;
        foreach (ulong word in MemoryMarshal.Cast<byte, ulong>(bytes)) crc = BitOperations.Crc32C(crc, word);
        foreach (byte b in bytes[(bytes.Length & ~7)..]) crc = BitOperations.Crc32C(crc, b);
        return ~crc;
    }
}
