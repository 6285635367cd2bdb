namespace HybridCaching.Benchmarks.Workloads;

/// <summary>Text keys and byte values for the numbers that workloads draw, made beforehand. Values carry a <see cref="ValueStamp"/>.</summary>
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
            ValueStamp.Put(number, _values[number]);
        }
    }

    public int Count => _keys.Length;

    /// <summary>All keys, two bytes a character, and all values.</summary>
    public long DataBytes => _keys.Sum(static key => (long)key.Length * sizeof(char)) + ((long)Count * ValueBytes);

    public int ValueBytes { get; }

    /// <summary>The longest key, of plain letters, and a value.</summary>
    public int EntryBytes => _keys.Max(static key => key.Length) + ValueBytes;

    public static string KeyOf(long number) => $"something_key:{number}";

    public string Key(long number) => _keys[number];

    public byte[] Value(long number) => _values[number];
}
