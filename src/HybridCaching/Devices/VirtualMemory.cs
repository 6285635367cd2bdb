using System.Runtime.InteropServices;
using Microsoft.Win32.SafeHandles;

namespace HybridCaching.Devices;

/// <summary>Advice to the operating system on blocks of memory outside the reach of the GC, and what is mapped from files. Where it does not take advice, nothing happens.</summary>
internal static unsafe partial class VirtualMemory
{
    /// <summary>Bytes of a huge page where there are any.</summary>
    public const int HugePageBytes = 2 << 20;

    private const int MadviseDontNeed = 4;
    private const int MadviseRemove = 9;
    private const int MadviseDontFork = 10;
    private const int MadviseHugePage = 14;
    private const int MadviseNoHugePage = 15;

    private const int ReadAndWrite = 3;
    private const int Shared = 1;
    private const int Private = 2;
    private const int Anonymous = 0x20;
    private const int NoReserve = 0x4000;
    private const int MayMove = 1;
    private const int Fixed = 2;
    private const nint Failed = -1;

    /// <summary>Maps memory that nobody has used, and nothing beside it, from a multiple of a power of two on.</summary>
    /// <returns>Null where there is none to be had, or the system is another.</returns>
    public static byte* TryMap(nuint bytes, nuint alignment)
    {
        if (!OperatingSystem.IsLinux()) return null;
        try
        {
            nint all = Map(0, bytes + alignment, ReadAndWrite, Private | Anonymous | NoReserve, -1, 0); // not all of it may get used
            if (all == Failed) return null;
            nuint start = RoundUp((nuint)all, alignment);
            nuint end = RoundUp(start + bytes, (nuint)Environment.SystemPageSize);
            if (start > (nuint)all) _ = UnmapAt(all, start - (nuint)all);
            if ((nuint)all + bytes + alignment > end) _ = UnmapAt((nint)end, (nuint)all + bytes + alignment - end);
            return (byte*)start;
        }
        catch (Exception e) when (e is EntryPointNotFoundException or DllNotFoundException)
        {
            return null; // another C library
        }
    }

    /// <summary>Asks for huge pages: random access over tens of megabytes otherwise waits for page tables, and each 4 KiB costs a fault when first used.</summary>
    public static void UseHugePages(void* start, nuint bytes) => Advise((nuint)start, (nuint)start + bytes, MadviseHugePage);

    /// <summary>Asks for small pages, where only what is used shall be taken.</summary>
    public static void UseSmallPages(void* start, nuint bytes) => Advise((nuint)start, (nuint)start + bytes, MadviseNoHugePage);

    /// <summary>Gives memory back to the system: what was there is lost, the addresses stay.</summary>
    public static void Discard(void* start, nuint bytes) => Advise((nuint)start, (nuint)start + bytes, MadviseDontNeed);

    /// <summary>The same for memory that is mapped from a file of the system's memory.</summary>
    public static void DiscardShared(void* start, nuint bytes) => Advise((nuint)start, (nuint)start + bytes, MadviseRemove);

    /// <summary>Has the system take memory for a part of a file of its memory now, instead of when it is first written to: then it would end the process if there were none.</summary>
    /// <returns>0, or the number of the error.</returns>
    public static int Reserve(SafeFileHandle file, long offset, long bytes)
    {
        const int Interrupted = 4;
        int error;
        do error = PosixFallocate(file, offset, bytes);
        while (error == Interrupted);
        return error;
    }

    /// <summary>Maps all of a file of the system's memory. Processes that are started do not have it.</summary>
    /// <exception cref="IOException">There are no addresses for it.</exception>
    public static byte* MapShared(SafeFileHandle file, long bytes)
    {
        bool referenced = false;
        try
        {
            file.DangerousAddRef(ref referenced);
            nint start = Map(0, (nuint)bytes, ReadAndWrite, Shared, (int)file.DangerousGetHandle(), 0);
            if (start == Failed) throw UnixFile.ErrorOf(Marshal.GetLastPInvokeError());
            Advise((nuint)start, (nuint)start + (nuint)bytes, MadviseDontFork);
            return (byte*)start;
        }
        finally
        {
            if (referenced) file.DangerousRelease();
        }
    }

    /// <summary>Maps a part of a file that is the kernel's, whole pages of it. Processes that are started do not have it.</summary>
    /// <returns>Null if that cannot be.</returns>
    public static byte* TryMapShared(SafeFileHandle file, nuint bytes, nint offset)
    {
        nint start = Map(0, bytes, ReadAndWrite, Shared, (int)file.DangerousGetHandle(), offset);
        if (start == Failed) return null;
        Advise((nuint)start, RoundUp((nuint)start + bytes, (nuint)Environment.SystemPageSize), MadviseDontFork);
        return (byte*)start;
    }

    /// <summary>Puts zeros in the place of what is mapped, in one step: who reads or writes there meanwhile meets the one or the other.</summary>
    /// <returns>False if there is no memory for that; then it stays.</returns>
    public static bool TryReplace(byte* start, nuint bytes)
    {
        nint zeros = Map(0, bytes, ReadAndWrite, Private | Anonymous | NoReserve, -1, 0);
        if (zeros == Failed) return false;
        if (Remap(zeros, bytes, bytes, MayMove | Fixed, (nint)start) != Failed) return true;
        _ = UnmapAt(zeros, bytes);
        return false;
    }

    /// <summary>Ends what is mapped there.</summary>
    public static void Unmap(byte* start, nuint bytes) => _ = UnmapAt((nint)start, bytes);

    /// <summary>Only whole pages can be advised on.</summary>
    private static void Advise(nuint start, nuint end, int advice)
    {
        if (!OperatingSystem.IsLinux()) return;
        nuint page = (nuint)Environment.SystemPageSize;
        start = RoundUp(start, page);
        end = end / page * page;
        if (end <= start) return;
        try
        {
            _ = Madvise((void*)start, end - start, advice);
        }
        catch (Exception e) when (e is EntryPointNotFoundException or DllNotFoundException)
        {
            // Another C library: it is only advice.
        }
    }

    private static nuint RoundUp(nuint value, nuint multiple) => (value + multiple - 1) / multiple * multiple;

    [LibraryImport("libc", EntryPoint = "posix_fallocate")]
    private static partial int PosixFallocate(SafeFileHandle file, long offset, long length);

    [LibraryImport("libc", EntryPoint = "mmap", SetLastError = true)]
    private static partial nint Map(nint start, nuint length, int protection, int flags, int file, nint offset);

    [LibraryImport("libc", EntryPoint = "mremap")]
    private static partial nint Remap(nint start, nuint length, nuint newLength, int flags, nint newStart);

    [LibraryImport("libc", EntryPoint = "munmap")]
    private static partial int UnmapAt(nint start, nuint length);

    [LibraryImport("libc", EntryPoint = "madvise")]
    private static partial int Madvise(void* start, nuint length, int advice);
}
