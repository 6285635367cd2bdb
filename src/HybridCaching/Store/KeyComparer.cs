using System.Runtime.CompilerServices;
using System.Runtime.InteropServices;
using FASTER.core;

namespace HybridCaching.Store;

/// <summary>Keys are the same when their bytes are.</summary>
internal sealed class KeyComparer<TStored>(KeyHasher hasher) : IFasterEqualityComparer<TStored>
    where TStored : unmanaged
{
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public long GetHashCode64(ref TStored key) => (long)hasher.Hash(in key);

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public bool Equals(ref TStored left, ref TStored right)
    {
        if (Unsafe.SizeOf<TStored>() == sizeof(ulong)) return Unsafe.As<TStored, ulong>(ref left) == Unsafe.As<TStored, ulong>(ref right);
        return MemoryMarshal.AsBytes(new ReadOnlySpan<TStored>(in left)).SequenceEqual(MemoryMarshal.AsBytes(new ReadOnlySpan<TStored>(in right)));
    }
}
