using System.Runtime.InteropServices;
using Microsoft.Win32.SafeHandles;

namespace HybridCaching.Throughput.Native;

/// <summary>A file that is read past the page cache of Linux.</summary>
internal static partial class DirectFile
{
    private const int CloseOnExec = 0x80000;

    private static readonly int Direct = RuntimeInformation.ProcessArchitecture is Architecture.Arm64 or Architecture.Arm ? 0x10000 : 0x4000;

    /// <summary>Opens a file for reads of whole blocks into memory that begins at a multiple of a block; null if that cannot be done here.</summary>
    public static SafeFileHandle? TryOpen(string path) =>
        OperatingSystem.IsLinux() && Open(path, CloseOnExec | Direct) is >= 0 and var file ? new SafeFileHandle(file, ownsHandle: true) : null;

    [LibraryImport("libc", EntryPoint = "open", StringMarshalling = StringMarshalling.Utf8)]
    private static partial int Open(string path, int flags);
}
