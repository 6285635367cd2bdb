using System.Runtime.InteropServices;

namespace HybridCaching.Throughput.Native;

/// <summary>struct cachestat: pages of a file.</summary>
[StructLayout(LayoutKind.Sequential)]
internal struct CacheCounts
{
    public ulong Cached;
    public ulong Dirty;
    public ulong InWriting;
    public ulong Evicted;
    public ulong RecentlyEvicted;
}
