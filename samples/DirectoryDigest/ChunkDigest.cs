using System.Runtime.InteropServices;
using System.Security.Cryptography;

namespace DirectoryDigest;

/// <summary>The SHA-256 of a chunk and how many bytes the chunk has: fewer than asked for at the end of a file.</summary>
internal readonly record struct ChunkDigest(ulong Hash0, ulong Hash1, ulong Hash2, ulong Hash3, long Length)
{
    public static ChunkDigest Of(ReadOnlySpan<byte> chunk)
    {
        Span<ulong> hash = stackalloc ulong[SHA256.HashSizeInBytes / sizeof(ulong)];
        SHA256.HashData(chunk, MemoryMarshal.AsBytes(hash));
        return new ChunkDigest(hash[0], hash[1], hash[2], hash[3], chunk.Length);
    }

    public override string ToString() => Convert.ToHexStringLower(MemoryMarshal.AsBytes<ulong>([Hash0, Hash1, Hash2, Hash3])) + $" ({Length} bytes)";
}
