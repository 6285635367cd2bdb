using System.Buffers.Binary;
using System.Runtime.InteropServices;

namespace HybridCaching.Tests.Distributed;

/// <summary>Values that any reader can judge: what they are follows from key, writer and number, which they carry if they are long enough.</summary>
internal static class BytesValue
{
    /// <summary>The shortest value that says what it is.</summary>
    public const int HeaderBytes = 40;

    private const ulong Magic = 0x5345_5459_4243_4148;

    /// <summary>The value of a key and a version; of any length from 0.</summary>
    public static byte[] Of(string key, long version, int length)
    {
        byte[] value = new byte[length];
        Fill(value, Mix(HashOf(key) + (ulong)version) + (ulong)length);
        return value;
    }

    /// <summary>A value that says who wrote it under which key and as which operation on it.</summary>
    public static byte[] Of(string key, int writer, long number, int length)
    {
        byte[] value = new byte[length];
        Write(value, HashOf(key), writer, number, length);
        Fill(value.AsSpan(HeaderBytes), SeedOf(value));
        return value;
    }

    /// <summary>Judges a value that says what it is.</summary>
    /// <returns>Null if it is whole and the key's.</returns>
    public static string? Judge(string key, ReadOnlySpan<byte> value, out int writer, out long number)
    {
        writer = -1;
        number = -1;
        if (value.Length < HeaderBytes) return $"{value.Length} bytes under {key}, fewer than any value has";
        if (BinaryPrimitives.ReadUInt64LittleEndian(value) != Magic) return $"what is under {key} does not begin as a value does";
        writer = BinaryPrimitives.ReadInt32LittleEndian(value[16..]);
        int length = BinaryPrimitives.ReadInt32LittleEndian(value[20..]);
        number = BinaryPrimitives.ReadInt64LittleEndian(value[24..]);
        Span<byte> header = stackalloc byte[HeaderBytes];
        Write(header, HashOf(key), writer, number, length);
        if (!value[..HeaderBytes].SequenceEqual(header)) return $"the header of writer {writer}, number {number}, length {length} under {key} is another key's or torn";
        if (length != value.Length) return $"{value.Length} bytes of {length} under {key}, writer {writer}, number {number}";
        int wrong = FirstWrong(value[HeaderBytes..], SeedOf(header));
        return wrong < 0 ? null : $"torn at {HeaderBytes + wrong} of {length} under {key}, writer {writer}, number {number}";
    }

    /// <summary>A length up to <paramref name="most"/>, every order of magnitude as likely as every other.</summary>
    public static int AnyLength(Random random, int least = 50, int most = BytesCache.LargestValue) => (int)(least * Math.Pow(most / (double)least, random.NextDouble()));

    private static void Write(Span<byte> header, ulong keyHash, int writer, long number, int length)
    {
        BinaryPrimitives.WriteUInt64LittleEndian(header, Magic);
        BinaryPrimitives.WriteUInt64LittleEndian(header[8..], keyHash);
        BinaryPrimitives.WriteInt32LittleEndian(header[16..], writer);
        BinaryPrimitives.WriteInt32LittleEndian(header[20..], length);
        BinaryPrimitives.WriteInt64LittleEndian(header[24..], number);
        BinaryPrimitives.WriteUInt64LittleEndian(header[32..], Mix(keyHash ^ Mix((ulong)number + ((ulong)writer << 48)) ^ Mix((ulong)length)));
    }

    private static ulong SeedOf(ReadOnlySpan<byte> header) => BinaryPrimitives.ReadUInt64LittleEndian(header[32..]);

    private static void Fill(Span<byte> bytes, ulong seed)
    {
        var words = MemoryMarshal.Cast<byte, ulong>(bytes);
        for (int i = 0; i < words.Length; i++) words[i] = WordAt(seed, i);
        for (int i = words.Length * sizeof(ulong); i < bytes.Length; i++) bytes[i] = (byte)WordAt(seed, i);
    }

    /// <summary>Where the bytes differ from what <see cref="Fill"/> makes; -1 if nowhere.</summary>
    private static int FirstWrong(ReadOnlySpan<byte> bytes, ulong seed)
    {
        var words = MemoryMarshal.Cast<byte, ulong>(bytes);
        for (int i = 0; i < words.Length; i++)
        {
            if (words[i] != WordAt(seed, i)) return i * sizeof(ulong);
        }

        for (int i = words.Length * sizeof(ulong); i < bytes.Length; i++)
        {
            if (bytes[i] != (byte)WordAt(seed, i)) return i;
        }

        return -1;
    }

    private static ulong WordAt(ulong seed, int index)
    {
        ulong x = (seed + (ulong)index) * 0x9E37_79B9_7F4A_7C15;
        return x ^ (x >> 29);
    }

    private static ulong HashOf(string key)
    {
        ulong hash = 0xCBF2_9CE4_8422_2325;
        foreach (char c in key) hash = (hash ^ c) * 0x100_0000_01B3;
        return Mix(hash);
    }

    private static ulong Mix(ulong x)
    {
        x = (x ^ (x >> 30)) * 0xBF58_476D_1CE4_E5B9;
        x = (x ^ (x >> 27)) * 0x94D0_49BB_1331_11EB;
        return x ^ (x >> 31);
    }
}
