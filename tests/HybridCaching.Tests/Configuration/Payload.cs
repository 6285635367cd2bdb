using System.Runtime.CompilerServices;
using System.Runtime.InteropServices;
using HybridCaching.Tests.Support;

namespace HybridCaching.Tests.Configuration;

/// <summary>A value of 1 KiB, so that budgets fill quickly; every word is made from the key.</summary>
[InlineArray(Words)]
internal struct Payload
{
    private const int Words = 128;
    private ulong _first;

    public static Payload Of(long key)
    {
        Payload payload = default;
        for (int i = 0; i < Words; i++) payload[i] = Stamp.Of(key, i).First;
        return payload;
    }

    public static bool IsOf(in Payload payload, long key)
    {
        var expected = Of(key);
        return MemoryMarshal.AsBytes(new ReadOnlySpan<Payload>(in payload)).SequenceEqual(MemoryMarshal.AsBytes(new ReadOnlySpan<Payload>(in expected)));
    }
}
