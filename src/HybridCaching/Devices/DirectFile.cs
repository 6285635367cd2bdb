using System.Runtime.InteropServices;
using Microsoft.Win32.SafeHandles;

namespace HybridCaching.Devices;

/// <summary>Files past the system's page cache: O_DIRECT, Linux only. Addresses, offsets and lengths then have to be multiples of a block.</summary>
internal static class DirectFile
{
    private static readonly int Direct = RuntimeInformation.ProcessArchitecture is Architecture.Arm64 or Architecture.Arm ? 0x10000 : 0x4000;

    /// <summary>Opens a file that exists; null if the system or its file system cannot do that.</summary>
    /// <exception cref="IOException">It cannot be opened now, which says nothing of others: there are too many open files, say.</exception>
    public static SafeFileHandle? TryOpen(string path)
    {
        if (!OperatingSystem.IsLinux()) return null;
        try
        {
            if (UnixFile.TryOpen(path, UnixFile.ReadWrite | Direct, out int error) is { } file) return file;
            return UnixFile.IsUnknown(error) ? null : throw UnixFile.ErrorOf(error);
        }
        catch (Exception e) when (e is EntryPointNotFoundException or DllNotFoundException)
        {
            return null;
        }
    }
}
