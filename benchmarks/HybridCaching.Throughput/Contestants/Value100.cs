using System.Runtime.CompilerServices;

namespace HybridCaching.Throughput.Contestants;

/// <summary>A value of 100 bytes, for what is typed.</summary>
[InlineArray(Length)]
internal struct Value100
{
    public const int Length = 100;

    private byte _first;
}
