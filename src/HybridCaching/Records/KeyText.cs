using System.Buffers;
using System.Buffers.Binary;
using System.Runtime.InteropServices;
using System.Text;

namespace HybridCaching.Records;

/// <summary>Keys of the bytes cache as they are stored: a byte that says how, and the characters. Two different strings are never the same bytes.</summary>
/// <remarks>ASCII takes a byte for each character, everything else its UTF-16 as it is: lone surrogates stay what they are.</remarks>
internal static class KeyText
{
    /// <summary>The longest key that is stored, in UTF-16 units.</summary>
    public const int MaximumLength = 16 << 10;

    /// <summary>The bytes of the key of a piece of a large value.</summary>
    public const int ChunkKeyBytes = 1 + sizeof(ulong) + sizeof(int);

    private const byte Ascii = 1;
    private const byte Utf16 = 2;
    private const byte Chunk = 3;

    /// <summary>As many bytes as a key can take.</summary>
    public static int MaximumBytes(int length) => 1 + (2 * length);

    /// <summary>Writes a key.</summary>
    /// <returns>How many bytes it takes.</returns>
    public static int Encode(ReadOnlySpan<char> key, Span<byte> destination)
    {
        if (System.Text.Ascii.FromUtf16(key, destination[1..], out int written) == OperationStatus.Done)
        {
            destination[0] = Ascii;
            return 1 + written;
        }

        destination[0] = Utf16;
        MemoryMarshal.AsBytes(key).CopyTo(destination[1..]);
        return 1 + (2 * key.Length);
    }

    /// <summary>Writes the key of a piece of a large value: no string has it.</summary>
    public static void EncodeChunk(ulong id, int chunk, Span<byte> destination)
    {
        destination[0] = Chunk;
        BinaryPrimitives.WriteUInt64LittleEndian(destination[1..], id);
        BinaryPrimitives.WriteInt32LittleEndian(destination[(1 + sizeof(ulong))..], chunk);
    }

    /// <summary>Whether the bytes are a string's: not those of a piece.</summary>
    public static bool IsText(ReadOnlySpan<byte> key) => key.Length > 0 && (key[0] == Ascii || (key[0] == Utf16 && (key.Length & 1) == 1));

    /// <summary>The string. The bytes must be one's.</summary>
    public static string Decode(ReadOnlySpan<byte> key) =>
        key[0] == Ascii ? Encoding.Latin1.GetString(key[1..]) : new string(MemoryMarshal.Cast<byte, char>(key[1..]));

    /// <summary>Whether the key begins with a prefix, both encoded.</summary>
    public static bool StartsWith(ReadOnlySpan<byte> key, ReadOnlySpan<byte> prefix)
    {
        if (key[0] == prefix[0]) return key.StartsWith(prefix);
        if (key[0] == Ascii) return false; // the prefix has characters that the key has not
        prefix = prefix[1..];
        key = key[1..];
        if (key.Length < 2 * prefix.Length) return false;
        for (int i = 0; i < prefix.Length; i++)
        {
            if (key[2 * i] != prefix[i] || key[(2 * i) + 1] != 0) return false;
        }

        return true;
    }
}
