using System.Buffers.Binary;

namespace HybridCaching.Benchmarks.Workloads;

/// <summary>Text keys and byte values for the numbers that workloads draw, made beforehand. A value's first and last word tell its number: a wrong or torn value shows.</summary>
internal sealed class ByteEntries
{
    private readonly string[] _keys;
    private readonly byte[][] _values;

    public ByteEntries(int count, int valueBytes)
    {
        ValueBytes = valueBytes;
        _keys = new string[count];
        _values = new byte[count][];
        for (int number = 0; number < count; number++)
        {
            _keys[number] = KeyOf(number);
            _values[number] = new byte[valueBytes];
            Stamp(number, _values[number]);
        }
    }

    public int Count => _keys.Length;

    public int ValueBytes { get; }

    public static string KeyOf(long number) => $"something_key:{number}";

    /// <summary>Makes this the value of a number. For at least 16 bytes.</summary>
    public static void Stamp(long number, Span<byte> value)
    {
        BinaryPrimitives.WriteInt64LittleEndian(value, number);
        BinaryPrimitives.WriteInt64LittleEndian(value[^sizeof(long)..], ~number);
    }

    /// <summary>Ends the measurement if this is not the value of the number.</summary>
    public static void Check(long number, ReadOnlySpan<byte> value)
    {
        if (value.Length < 2 * sizeof(long) || BinaryPrimitives.ReadInt64LittleEndian(value) != number || BinaryPrimitives.ReadInt64LittleEndian(value[^sizeof(long)..]) != ~number) Verdict.WrongValue(number);
    }

    public string Key(long number) => _keys[number];

    public byte[] Value(long number) => _values[number];
}
