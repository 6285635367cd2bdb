using System.Runtime.CompilerServices;
using System.Runtime.InteropServices;

namespace HybridCaching.Benchmarks.Workloads;

/// <summary>The value of 32 bytes that all suites store. Its first and last word tell the key: a wrong or torn value shows.</summary>
[StructLayout(LayoutKind.Sequential)]
internal readonly struct Payload : IRecord<Payload>
{
    private readonly long _key;
    private readonly long _count;
    private readonly long _spread;
    private readonly long _complement;

    private Payload(long key, long count)
    {
        _key = key;
        _count = count;
        _spread = key * -7046029254386353131;
        _complement = ~key;
    }

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public static Payload For(long key) => new(key, 0);

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public bool BelongsTo(long key) => _key == key && _complement == ~key;

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public Payload Next() => new(_key, _count + 1);
}
