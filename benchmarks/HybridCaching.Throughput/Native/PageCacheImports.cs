using System.Runtime.InteropServices;

namespace HybridCaching.Throughput.Native;

/// <summary>What Linux is told and asked about its page cache.</summary>
internal static unsafe partial class PageCacheImports
{
    /// <summary>POSIX_FADV_DONTNEED: clean pages that nobody maps may go.</summary>
    public const int DontNeed = 4;

    /// <summary>MADV_RANDOM: nothing is read ahead.</summary>
    public const int Random = 1;

    /// <summary>MADV_PAGEOUT: pages of a mapping go.</summary>
    public const int PageOut = 21;

    /// <summary>SYNC_FILE_RANGE_WRITE: begin to write what is dirty.</summary>
    public const uint BeginWriting = 2;

    private const string Library = "libc";
    private const long CacheStatNumber = 451; // the same on all architectures

    /// <summary>cachestat(2), since Linux 6.5.</summary>
    /// <returns>0, or -1.</returns>
    public static long CacheStat(int file, CacheRange* range, CacheCounts* counts) => SystemCall(CacheStatNumber, file, range, counts, 0);

    [LibraryImport(Library, EntryPoint = "posix_fadvise")]
    public static partial int AdviseFile(int file, long offset, long length, int advice);

    [LibraryImport(Library, EntryPoint = "madvise")]
    public static partial int AdviseMemory(nint address, nuint length, int advice);

    [LibraryImport(Library, EntryPoint = "sync_file_range")]
    public static partial int SyncFileRange(int file, long offset, long length, uint flags);

    [LibraryImport(Library, EntryPoint = "syscall")]
    private static partial long SystemCall(long number, long file, CacheRange* range, CacheCounts* counts, long flags);
}
