using System.Runtime.InteropServices;

namespace HybridCaching.SoakTests;

/// <summary>A value that describes itself: a header with key, number, lifetime and length, and a body that follows from these.</summary>
/// <param name="Key">Under which it was stored.</param>
/// <param name="Number">Which operation on the key has stored it.</param>
/// <param name="LifetimeTicks">How long it lives; zero for ever.</param>
/// <param name="Length">All of it, in bytes.</param>
/// <param name="Check">What follows from the others.</param>
internal readonly record struct SoakValue(long Key, long Number, long LifetimeTicks, long Length, ulong Check)
{
    public static int HeaderBytes { get; } = Marshal.SizeOf<SoakValue>();

    public static SoakValue Of(int key, long number, TimeSpan? lifetime, int length)
    {
        long ticks = lifetime?.Ticks ?? 0;
        return new SoakValue(key, number, ticks, length, Mix(Mix(Mix((ulong)key + 1) + (ulong)number) + (ulong)ticks) ^ (ulong)length);
    }

    public void WriteTo(Span<byte> bytes)
    {
        MemoryMarshal.Write(bytes, in this);
        var words = MemoryMarshal.Cast<byte, ulong>(bytes[HeaderBytes..]);
        for (int i = 0; i < words.Length; i++) words[i] = WordAt(i);
        for (int i = HeaderBytes + (words.Length * sizeof(ulong)); i < bytes.Length; i++) bytes[i] = (byte)WordAt(i);
    }

    /// <summary>What these bytes say of themselves.</summary>
    /// <returns>False if they are not what they say, or it is another key's.</returns>
    public static bool TryRead(ReadOnlySpan<byte> bytes, int key, out SoakValue value)
    {
        value = default;
        if (bytes.Length < HeaderBytes) return false;
        value = MemoryMarshal.Read<SoakValue>(bytes);
        return value == Of(key, value.Number, value.LifetimeTicks == 0 ? null : TimeSpan.FromTicks(value.LifetimeTicks), bytes.Length) && value.IsBody(bytes[HeaderBytes..]);
    }

    private bool IsBody(ReadOnlySpan<byte> body)
    {
        var words = MemoryMarshal.Cast<byte, ulong>(body);
        ulong wrong = 0;
        for (int i = 0; i < words.Length; i++) wrong |= words[i] ^ WordAt(i);
        for (int i = words.Length * sizeof(ulong); i < body.Length; i++) wrong |= (byte)(body[i] ^ (byte)WordAt(HeaderBytes + i));
        return wrong == 0;
    }

    private ulong WordAt(int index)
    {
        ulong x = (Check + (ulong)index) * 0x9E37_79B9_7F4A_7C15;
        return x ^ (x >> 29);
    }

    private static ulong Mix(ulong x)
    {
        x = (x ^ (x >> 30)) * 0xBF58_476D_1CE4_E5B9;
        x = (x ^ (x >> 27)) * 0x94D0_49BB_1331_11EB;
        return x ^ (x >> 31);
    }
}
