using System.Runtime.InteropServices;

namespace HybridCaching.Throughput.Native;

/// <summary>struct cachestat_range: all of a file when both are 0.</summary>
[StructLayout(LayoutKind.Sequential)]
internal struct CacheRange
{
    public ulong Offset;
    public ulong Length;
}
