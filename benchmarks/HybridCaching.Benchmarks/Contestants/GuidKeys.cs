using System.Runtime.CompilerServices;

namespace HybridCaching.Benchmarks.Contestants;

/// <summary>Keys of 16 scattered bytes, as random identifiers are.</summary>
internal readonly struct GuidKeys : IKeyKind<Guid>
{
    private const ulong GoldenRatio = 0x9E37_79B9_7F4A_7C15;

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public static Guid Of(long number)
    {
        ulong low = ((ulong)number + 1) * GoldenRatio;
        var words = new UInt128(low ^ (low >> 29), (low >> 32) * low);
        return Unsafe.BitCast<UInt128, Guid>(words);
    }
}
