using System.Runtime.InteropServices;

namespace HybridCaching.Devices;

/// <summary>The longest file this process may write (<c>ulimit -f</c>): Unix sends SIGXFSZ to whoever writes beyond it, which ends the process.</summary>
/// <remarks>So every file is measured before it is written. To ignore the signal instead would change what the whole process does.</remarks>
internal static partial class FileSizeLimit
{
    private const int FileSize = 1;

    private static volatile bool _isSupported = Environment.Is64BitProcess && (OperatingSystem.IsLinux() || OperatingSystem.IsMacOS());

    /// <summary>Refuses what would end the process.</summary>
    /// <param name="end">How long the file would be.</param>
    /// <exception cref="IOException">That is longer than it may be.</exception>
    public static void ThrowIfBeyond(long end)
    {
        if (Current is { } limit && (ulong)end > limit) throw new IOException($"this process may not write files longer than {limit} bytes (ulimit -f)");
    }

    /// <summary>Whether a file may be so long.</summary>
    public static bool Allows(long end) => Current is not { } limit || (ulong)end <= limit;

    /// <summary>Read anew each time, which takes a fraction of a microsecond: others may change it while we run.</summary>
    private static ulong? Current
    {
        get
        {
            if (!_isSupported) return null;
            try
            {
                return GetLimit(FileSize, out var limit) == 0 ? limit.Soft : null;
            }
            catch (Exception e) when (e is EntryPointNotFoundException or DllNotFoundException)
            {
                _isSupported = false;
                return null;
            }
        }
    }

    [LibraryImport("libc", EntryPoint = "getrlimit")]
    private static partial int GetLimit(int resource, out Limit limit);

    [StructLayout(LayoutKind.Sequential)]
    private readonly struct Limit
    {
        public readonly ulong Soft;
        public readonly ulong Hard;
    }
}
