using System.Runtime.CompilerServices;
using System.Runtime.InteropServices;

namespace HybridCaching.Benchmarks.Workloads;

/// <summary>A payload behind a header of 8 bytes: as large as what the library keeps in its log for a payload.</summary>
[StructLayout(LayoutKind.Sequential)]
internal readonly struct HeadedPayload : IRecord<HeadedPayload>
{
    private readonly ulong _header;
    private readonly Payload _payload;

    private HeadedPayload(Payload payload)
    {
        _header = ulong.MaxValue;
        _payload = payload;
    }

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public static HeadedPayload For(long key) => new(Payload.For(key));

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public bool BelongsTo(long key) => _header == ulong.MaxValue && _payload.BelongsTo(key);

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public HeadedPayload Next() => new(_payload.Next());
}
