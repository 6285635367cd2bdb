using System.Runtime.CompilerServices;

namespace HybridCaching.Throughput.Scale;

/// <summary>A small value: 16 bytes.</summary>
[InlineArray(Length)]
internal struct Value16
{
    public const int Length = 16;

    private byte _first;

    public static Value16 Of(long number)
    {
        Value16 value = default;
        ValueStamp.Put(number, value);
        return value;
    }
}
