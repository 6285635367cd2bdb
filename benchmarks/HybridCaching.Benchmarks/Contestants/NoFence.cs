using System.Runtime.CompilerServices;

namespace HybridCaching.Benchmarks.Contestants;

/// <summary>None: FASTER's own order, whose announcement of the epoch may still sit in the store buffer during the operation.</summary>
internal readonly struct NoFence : IFence
{
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public static void Issue() { }
}
