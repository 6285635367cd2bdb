using System.Runtime.CompilerServices;

namespace HybridCaching.Benchmarks.Workloads;

/// <summary>A record of 8 bytes: its key, the bits turned over and mixed, so that no zeroed or half-written one passes.</summary>
internal readonly struct Eight : IRecord<Eight>
{
    private const long Odd = -7046029254386353131;

    private readonly long _mixed;

    private Eight(long mixed) => _mixed = mixed;

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public static Eight For(long key) => new(~key * Odd);

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public bool BelongsTo(long key) => _mixed == ~key * Odd;

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public Eight Next() => this;
}
