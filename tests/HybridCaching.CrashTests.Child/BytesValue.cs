using System.Runtime.InteropServices;

namespace HybridCaching.CrashTests.Child;

/// <summary>A value that describes itself: a header with key, writer, number, life and length, and a body of pseudo-random bytes that only this header has.</summary>
internal static class BytesValue
{
    private const uint Magic = 0x4352_5348;

    public static int HeaderBytes { get; } = Marshal.SizeOf<Header>();

    /// <summary>Makes a value.</summary>
    /// <param name="reading">What it shall be; its length is that of the body.</param>
    public static byte[] Make(in Reading reading)
    {
        byte[] bytes = new byte[HeaderBytes + reading.Length];
        var header = HeaderOf(in reading);
        MemoryMarshal.Write(bytes, in header);
        Fill(bytes.AsSpan(HeaderBytes), header.Seed);
        return bytes;
    }

    public static Reading Read(ReadOnlySpan<byte> bytes)
    {
        if (bytes.Length < HeaderBytes) return new Reading(-1, -1, -1, 0, bytes.Length, IsWhole: false);
        var header = MemoryMarshal.Read<Header>(bytes);
        var body = bytes[HeaderBytes..];
        var reading = new Reading(header.Key, header.Writer, header.Sequence, header.Lifetime, body.Length, IsWhole: false);
        return reading with { IsWhole = header.Equals(HeaderOf(in reading)) && IsBodyOf(body, header.Seed) };
    }

    private static Header HeaderOf(in Reading reading)
    {
        ulong seed = Mix((ulong)reading.Key + 1) ^ Mix((ulong)reading.Sequence + 0x1000_0000_0000) ^ Mix(((ulong)(uint)reading.Length << 32) | (uint)reading.Lifetime) ^ Mix((ulong)reading.Writer + 0x7000_0000_0000_0000);
        return new Header(Magic, reading.Key, reading.Writer, reading.Length, reading.Sequence, reading.Lifetime, 0, seed | 1);
    }

    private static void Fill(Span<byte> body, ulong seed)
    {
        var words = MemoryMarshal.Cast<byte, ulong>(body);
        for (int i = 0; i < words.Length; i++) words[i] = seed = Next(seed);
        for (int i = words.Length * sizeof(ulong); i < body.Length; i++) body[i] = (byte)(seed = Next(seed));
    }

    private static bool IsBodyOf(ReadOnlySpan<byte> body, ulong seed)
    {
        foreach (ulong word in MemoryMarshal.Cast<byte, ulong>(body))
        {
            if (word != (seed = Next(seed))) return false;
        }

        foreach (byte one in body[(body.Length / sizeof(ulong) * sizeof(ulong))..])
        {
            if (one != (byte)(seed = Next(seed))) return false;
        }

        return true;
    }

    private static ulong Next(ulong x)
    {
        x ^= x << 13;
        x ^= x >> 7;
        return x ^ (x << 17);
    }

    private static ulong Mix(ulong x)
    {
        x = (x ^ (x >> 30)) * 0xBF58_476D_1CE4_E5B9;
        x = (x ^ (x >> 27)) * 0x94D0_49BB_1331_11EB;
        return x ^ (x >> 31);
    }

    private readonly record struct Header(uint Magic, int Key, int Writer, int Length, long Sequence, int Lifetime, int Unused, ulong Seed);
}
