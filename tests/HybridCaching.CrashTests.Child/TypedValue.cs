using System.Runtime.InteropServices;

namespace HybridCaching.CrashTests.Child;

/// <summary>The same as <see cref="BytesValue"/>, of one size.</summary>
internal unsafe struct TypedValue
{
    private const int Size = 96;

    private fixed byte _bytes[Size];

    public static TypedValue Of(in Reading reading)
    {
        TypedValue value = default;
        BytesValue.Make(reading with { Length = Size - BytesValue.HeaderBytes }).CopyTo(MemoryMarshal.AsBytes(new Span<TypedValue>(ref value)));
        return value;
    }

    public readonly Reading Read()
    {
        fixed (byte* bytes = _bytes) return BytesValue.Read(new ReadOnlySpan<byte>(bytes, Size));
    }
}
