using System.Runtime.CompilerServices;

namespace HybridCaching.Throughput.Contestants;

/// <summary>A value of 1,000 bytes, for what is typed.</summary>
[InlineArray(Length)]
internal struct Value1000
{
    public const int Length = 1000;

    private byte _first;
}
