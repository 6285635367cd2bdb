using System.Runtime.CompilerServices;
using FASTER.core;

namespace HybridCaching.Store;

/// <summary>Keys are the same when their bytes are.</summary>
internal sealed class BytesComparer(KeyHasher hasher) : IFasterEqualityComparer<SpanByte>
{
    public long GetHashCode64(ref SpanByte key) => (long)hasher.Hash(key.AsReadOnlySpan());

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public bool Equals(ref SpanByte left, ref SpanByte right) => left.AsReadOnlySpan().SequenceEqual(right.AsReadOnlySpan());
}
