using System.Runtime.CompilerServices;

namespace HybridCaching.Benchmarks.Contestants;

/// <summary>Keys of two numbers: a thousand items for each tenant.</summary>
internal readonly struct PairKeys : IKeyKind<PairKey>
{
    private const int Items = 1000;

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public static PairKey Of(long number) => new((int)(number / Items), (int)(number % Items));
}
