using System.Runtime.InteropServices;
using System.Security.Cryptography;

namespace DirectoryDigest;

/// <summary>A 128-bit hash of a file's path, length, modification time and chunk size, and of the index of one chunk in it.</summary>
/// <remarks>
/// SHA-256 of what identifies the file seeds two independent 64-bit generators (SplitMix64); the key of chunk i is the i-th output of both. Each is
/// one to one in i, so chunks of one file never collide; keys of different files meet with the probability of two random 128-bit numbers.
/// </remarks>
internal readonly record struct ChunkKey(ulong High, ulong Low)
{
    private const ulong GoldenRatio = 0x9E3779B97F4A7C15;

    /// <summary>The seed of a file's keys: as chunk -1, so to say.</summary>
    public static ChunkKey SeedOf(DigestFile file, int chunkBytes)
    {
        // UTF-16 as it is: a file name need not be valid text, and two names must never become the same bytes.
        using var sha = IncrementalHash.CreateHash(HashAlgorithmName.SHA256);
        sha.AppendData(MemoryMarshal.AsBytes(file.Path.AsSpan()));
        ReadOnlySpan<long> numbers = [file.Length, file.ModifiedTicks, chunkBytes];
        sha.AppendData(MemoryMarshal.AsBytes(numbers));
        Span<ulong> hash = stackalloc ulong[4];
        sha.GetHashAndReset(MemoryMarshal.AsBytes(hash));
        return new ChunkKey(hash[0], hash[1]);
    }

    /// <summary>The key of a chunk, from the seed of its file.</summary>
    public ChunkKey Chunk(long index)
    {
        ulong step = ((ulong)index + 1) * GoldenRatio;
        return new ChunkKey(Mix(High + step), Mix(Low + step));
    }

    private static ulong Mix(ulong x)
    {
        x = (x ^ (x >> 30)) * 0xBF58476D1CE4E5B9;
        x = (x ^ (x >> 27)) * 0x94D049BB133111EB;
        return x ^ (x >> 31);
    }
}
