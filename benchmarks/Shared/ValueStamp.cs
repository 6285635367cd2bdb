using System.Buffers.Binary;

namespace HybridCaching.Benchmarks.Shared;

/// <summary>Marks values with the number of their key, in the first and the last word: a wrong or torn value shows. One of a single word has but the number.</summary>
internal static class ValueStamp
{
    /// <summary>The least with room for both words.</summary>
    public const int LeastBytes = 2 * sizeof(long);

    /// <summary>Makes this the value of a number.</summary>
    public static void Put(long number, Span<byte> value)
    {
        BinaryPrimitives.WriteInt64LittleEndian(value, number);
        if (value.Length >= LeastBytes) BinaryPrimitives.WriteInt64LittleEndian(value[^sizeof(long)..], ~number);
    }

    /// <summary>Ends the measurement if this is not the value of the number.</summary>
    public static void Check(long number, ReadOnlySpan<byte> value)
    {
        if (value.Length < sizeof(long) || BinaryPrimitives.ReadInt64LittleEndian(value) != number) Verdict.WrongValue(number);
        if (value.Length >= LeastBytes && BinaryPrimitives.ReadInt64LittleEndian(value[^sizeof(long)..]) != ~number) Verdict.WrongValue(number);
    }
}
