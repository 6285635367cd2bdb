using System.Numerics;
using System.Runtime.InteropServices;

namespace HybridCaching.Devices;

/// <summary>CRC-32C (Castagnoli; RFC 3720, appendix B.4) of blocks and files.</summary>
/// <remarks>The processor's instruction takes three cycles and can begin one each: so three runs of bytes are taken through at once, and joined by what zeros in place of the later ones would have made of the earlier (Gopal et al., "Fast CRC Computation for iSCSI Polynomial Using CRC32 Instruction", Intel 2011).</remarks>
internal static class Crc32C
{
    /// <summary>Three of them are nearly a block.</summary>
    private const int RunBytes = 1360;

    private const int Runs = 3;
    private const int RunWords = RunBytes / sizeof(ulong);
    private const int TableBits = 8;
    private const int TableEntries = 1 << TableBits;

    /// <summary>What a run of zeros makes of each byte of a checksum: a table for each of the four.</summary>
    private static readonly uint[] ZeroRun = NewZeroRun();

    /// <summary>The checksum of a run of bytes.</summary>
    public static uint Of(ReadOnlySpan<byte> bytes)
    {
        uint crc = uint.MaxValue;
        for (; bytes.Length >= Runs * RunBytes; bytes = bytes[(Runs * RunBytes)..]) crc = OfRuns(crc, MemoryMarshal.Cast<byte, ulong>(bytes[..(Runs * RunBytes)]));
        foreach (ulong word in MemoryMarshal.Cast<byte, ulong>(bytes)) crc = BitOperations.Crc32C(crc, word);
        foreach (byte b in bytes[(bytes.Length & ~7)..]) crc = BitOperations.Crc32C(crc, b);
        return ~crc;
    }

    /// <summary>The checksum of parts, of which each has its own.</summary>
    public static uint Of(List<uint> parts) => Of(MemoryMarshal.AsBytes(CollectionsMarshal.AsSpan(parts)));

    private static uint OfRuns(uint crc, ReadOnlySpan<ulong> words)
    {
        var first = words[..RunWords];
        var second = words.Slice(RunWords, RunWords);
        var third = words.Slice(2 * RunWords, RunWords);
        uint crcOfSecond = 0;
        uint crcOfThird = 0;
        for (int i = 0; i < RunWords; i++)
        {
            crc = BitOperations.Crc32C(crc, first[i]);
            crcOfSecond = BitOperations.Crc32C(crcOfSecond, second[i]);
            crcOfThird = BitOperations.Crc32C(crcOfThird, third[i]);
        }

        return BehindZeroRun(BehindZeroRun(crc) ^ crcOfSecond) ^ crcOfThird;
    }

    private static uint BehindZeroRun(uint crc) =>
        ZeroRun[(byte)crc]
        ^ ZeroRun[TableEntries + (byte)(crc >> TableBits)]
        ^ ZeroRun[(2 * TableEntries) + (byte)(crc >> (2 * TableBits))]
        ^ ZeroRun[(3 * TableEntries) + (byte)(crc >> (3 * TableBits))];

    private static uint[] NewZeroRun()
    {
        uint[] tables = new uint[sizeof(uint) * TableEntries];
        for (int bit = 0; bit < sizeof(uint) * TableBits; bit++)
        {
            uint crc = 1u << bit;
            for (int i = 0; i < RunWords; i++) crc = BitOperations.Crc32C(crc, 0UL);
            int table = bit / TableBits * TableEntries;
            int only = 1 << (bit % TableBits);
            for (int i = 0; i < only; i++) tables[table + only + i] = tables[table + i] ^ crc; // linear: the sum of what its bits are
        }

        return tables;
    }
}
