using System.Runtime.CompilerServices;

namespace HybridCaching.HitRate.Replay;

/// <summary>Two parts in a row, for values of any length.</summary>
[InlineArray(2)]
internal struct Two<T>
    where T : unmanaged
{
    private T _first;
}
