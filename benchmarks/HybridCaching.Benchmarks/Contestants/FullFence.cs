using System.Runtime.CompilerServices;

namespace HybridCaching.Benchmarks.Contestants;

/// <summary>A full fence: the epoch is visible to reclaiming threads before the operation reads.</summary>
internal readonly struct FullFence : IFence
{
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public static void Issue() => Interlocked.MemoryBarrier();
}
