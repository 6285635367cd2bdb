namespace HybridCaching;

/// <summary>How a cache reads and writes its files.</summary>
public enum DiskIo
{
    /// <summary>Through the system's page cache: what it has in memory it answers without the disk. That memory is the system's, not part of the cache's budget, but in a container it counts against the limit until the system needs it.</summary>
    Buffered,

    /// <summary>
    /// Past the system's page cache: no second copy in memory, and no memory but the budget's; every read asks the disk. For data that is much larger than memory, on fast disks. Reads need no thread of their own on Linux (kernel AIO; for calls that wait on their
    /// thread io_uring, where the switch <c>HybridCaching.UseIoUring</c> of <see cref="System.AppContext"/> is on when the cache is made and the system allows it). Where a file system refuses it, files are used as <see cref="Buffered"/>.
    /// </summary>
    Direct,
}
