using System.Runtime.CompilerServices;

namespace HybridCaching.HitRate.Replay;

/// <summary>Eight parts in a row, for values of any length.</summary>
[InlineArray(8)]
internal struct Eight<T>
    where T : unmanaged
{
    private T _first;
}
