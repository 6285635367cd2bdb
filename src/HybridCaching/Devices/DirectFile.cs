using System.Runtime.InteropServices;
using Microsoft.Win32.SafeHandles;

namespace HybridCaching.Devices;

/// <summary>Files past the system's page cache: O_DIRECT, Linux only. Addresses, offsets and lengths then have to be multiples of a block.</summary>
internal static partial class DirectFile
{
    private const int ReadWrite = 2;
    private const int CloseOnExec = 0x80000;
    private const int Interrupted = 4;
    private const int InvalidArgument = 22;
    private const int NotSupported = 95;

    private static readonly int Direct = RuntimeInformation.ProcessArchitecture is Architecture.Arm64 or Architecture.Arm ? 0x10000 : 0x4000;

    /// <summary>O_NOFOLLOW.</summary>
    public static readonly int NoFollow = RuntimeInformation.ProcessArchitecture is Architecture.Arm64 or Architecture.Arm ? 0x8000 : 0x20000;

    /// <summary>Opens a file that exists; null if the system or its file system cannot do that.</summary>
    /// <exception cref="IOException">It cannot be opened now, which says nothing of others: there are too many open files, say.</exception>
    public static SafeFileHandle? TryOpen(string path)
    {
        if (!OperatingSystem.IsLinux()) return null;
        try
        {
            while (true)
            {
                int file = Open(path, ReadWrite | CloseOnExec | Direct | NoFollow);
                if (file >= 0) return new SafeFileHandle(file, ownsHandle: true);
                int error = Marshal.GetLastPInvokeError();
                if (error is InvalidArgument or NotSupported) return null;
                if (error != Interrupted) throw UnixFile.ErrorOf(error);
            }
        }
        catch (Exception e) when (e is EntryPointNotFoundException or DllNotFoundException)
        {
            return null;
        }
    }

    [LibraryImport("libc", EntryPoint = "open", SetLastError = true, StringMarshalling = StringMarshalling.Utf8)]
    private static partial int Open(string path, int flags);
}
