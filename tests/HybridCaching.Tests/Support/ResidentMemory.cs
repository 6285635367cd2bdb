using System.Runtime.InteropServices;

namespace HybridCaching.Tests.Support;

/// <summary>What of some memory the system has really given.</summary>
internal static unsafe partial class ResidentMemory
{
    /// <summary>Bytes of the whole pages from one place on that are in memory. Skips the test where the system does not tell.</summary>
    public static long In(void* start, long bytes)
    {
        Assert.SkipUnless(OperatingSystem.IsLinux(), "the system does not take memory back");
        long page = Environment.SystemPageSize;
        long first = ((long)start + page - 1) / page;
        byte[] states = new byte[(((long)start + bytes) / page) - first];
        fixed (byte* state = states) Assert.Equal(0, InCore((void*)(first * page), (nuint)(states.Length * page), state));
        return states.Count(state => (state & 1) != 0) * page;
    }

    [LibraryImport("libc", EntryPoint = "mincore")]
    private static partial int InCore(void* start, nuint length, byte* pages);
}
