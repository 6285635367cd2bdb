using System.Runtime.CompilerServices;

namespace HybridCaching.Benchmarks.Contestants;

/// <summary>The number is the key: the best case of a dictionary, which hashes it to itself.</summary>
internal readonly struct LongKeys : IKeyKind<long>
{
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public static long Of(long number) => number;
}
