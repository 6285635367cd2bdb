using System.Runtime.InteropServices;
using Microsoft.Win32.SafeHandles;

namespace HybridCaching.Devices;

/// <summary>Reads what the kernel already has in memory, without ever waiting for the disk: preadv2 with RWF_NOWAIT, Linux only.</summary>
/// <remarks>Such a read costs about a microsecond on the caller's thread; handing it to an I/O thread and being woken by it costs ten.</remarks>
internal static partial class PageCache
{
    private const int NoWait = 8;

    private static volatile bool _isSupported = OperatingSystem.IsLinux();

    /// <summary>Reads all the bytes; false if some would have to come from the disk, or the system cannot tell.</summary>
    public static unsafe bool TryRead(SafeFileHandle handle, long offset, Span<byte> bytes)
    {
        if (!_isSupported) return false;
        bool referenced = false;
        try
        {
            handle.DangerousAddRef(ref referenced);
            fixed (byte* start = bytes)
            {
                var vector = new IoVector { Start = start, Length = (nuint)bytes.Length };
                return PReadV2((int)handle.DangerousGetHandle(), &vector, 1, (nint)offset, NoWait) == bytes.Length;
            }
        }
        catch (ObjectDisposedException)
        {
            return false; // the segment was removed in between
        }
        catch (Exception e) when (e is EntryPointNotFoundException or DllNotFoundException)
        {
            _isSupported = false; // an older C library
            return false;
        }
        finally
        {
            if (referenced) handle.DangerousRelease();
        }
    }

    [LibraryImport("libc", EntryPoint = "preadv2")]
    private static unsafe partial nint PReadV2(int file, IoVector* vectors, int count, nint offset, int flags);

    private unsafe struct IoVector
    {
        public byte* Start;
        public nuint Length;
    }
}
