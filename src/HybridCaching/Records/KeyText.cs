using System.Buffers;
using System.Buffers.Binary;
using System.Runtime.CompilerServices;
using System.Runtime.InteropServices;
using System.Runtime.Intrinsics;
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
        if (TryNarrow(key, destination[1..]))
        {
            destination[0] = Ascii;
            return 1 + key.Length;
        }

        destination[0] = Utf16;
        MemoryMarshal.AsBytes(key).CopyTo(destination[1..]);
        return 1 + (2 * key.Length);
    }

    /// <summary>Short keys of 8 characters and more are two vectors that may overlap; the framework's own takes three times as long for these.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    private static bool TryNarrow(ReadOnlySpan<char> key, Span<byte> destination)
    {
        int last = key.Length - Vector128<ushort>.Count;
        if (last is < 0 or > 3 * 8 || !Vector128.IsHardwareAccelerated) return System.Text.Ascii.FromUtf16(key, destination, out _) == OperationStatus.Done;
        ref ushort from = ref Unsafe.As<char, ushort>(ref MemoryMarshal.GetReference(key));
        ref byte to = ref MemoryMarshal.GetReference(destination[..key.Length]);
        var all = Vector128<ushort>.Zero;
        for (int at = 0; ; at = Math.Min(at + Vector128<ushort>.Count, last))
        {
            var units = Vector128.LoadUnsafe(ref from, (nuint)at);
            all |= units;
            Unsafe.WriteUnaligned(ref Unsafe.Add(ref to, at), Vector128.Narrow(units, units).AsUInt64().ToScalar());
            if (at == last) return (all & Vector128.Create((ushort)0xFF80)) == Vector128<ushort>.Zero;
        }
    }

    /// <summary>A key as bytes of its own.</summary>
    public static byte[] Encode(string key)
    {
        byte[] bytes = new byte[MaximumBytes(key.Length)];
        return bytes[..Encode(key, bytes)];
    }

    /// <summary>Writes the key of a piece of a large value: no string has it.</summary>
    public static void EncodeChunk(ulong id, int chunk, Span<byte> destination)
    {
        destination[0] = Chunk;
        BinaryPrimitives.WriteUInt64LittleEndian(destination[1..], id);
        BinaryPrimitives.WriteInt32LittleEndian(destination[(1 + sizeof(ulong))..], chunk);
    }

    /// <summary>The value that the piece with this key is of.</summary>
    public static ulong ChunkIdOf(ReadOnlySpan<byte> key) => BinaryPrimitives.ReadUInt64LittleEndian(key[1..]);

    /// <summary>Whether the bytes are a string's: not those of a piece.</summary>
    public static bool IsText(ReadOnlySpan<byte> key) => key.Length > 0 && (key[0] == Ascii || (key[0] == Utf16 && (key.Length & 1) == 1));

    /// <summary>The string. The bytes must be one's.</summary>
    public static string Decode(ReadOnlySpan<byte> key) =>
        IsAscii(key) ? Encoding.Latin1.GetString(AsciiOf(key)) : new string(Utf16Of(key));

    /// <summary>Whether a string is stored with a byte for each character.</summary>
    public static bool IsAscii(ReadOnlySpan<byte> key) => key[0] == Ascii;

    /// <summary>The characters of such a string.</summary>
    public static ReadOnlySpan<byte> AsciiOf(ReadOnlySpan<byte> key) => key[1..];

    /// <summary>The characters of any other.</summary>
    public static ReadOnlySpan<char> Utf16Of(ReadOnlySpan<byte> key) => MemoryMarshal.Cast<byte, char>(key[1..]);
}
