using HybridCaching.Configuration;
using HybridCaching.Devices;
using Microsoft.Win32.SafeHandles;

namespace HybridCaching.Tests.Devices;

/// <summary>Reads of a single block of a file.</summary>
internal static class BlockRead
{
    public static RecordRead Of(SafeFileHandle file, int block)
    {
        var read = new RecordRead(MemoryPlan.BlockBytes) { File = file };
        read.Begin(0, (long)block * MemoryPlan.BlockBytes, new uint[1]);
        return read;
    }
}
