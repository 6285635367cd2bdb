using System.Runtime.CompilerServices;

namespace HybridCaching.Benchmarks.Disk;

/// <summary>A value of <see cref="ColdGets.ValueBytes"/>.</summary>
[InlineArray(ColdGets.ValueBytes / sizeof(long))]
internal struct FourKilobytes
{
    private long _first;
}
