using System.Runtime.CompilerServices;

namespace HybridCaching.HitRate.Replay;

/// <summary>Three parts in a row, for values of any length.</summary>
[InlineArray(3)]
internal struct Three<T>
    where T : unmanaged
{
    private T _first;
}
