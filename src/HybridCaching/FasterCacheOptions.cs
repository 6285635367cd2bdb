using Microsoft.Extensions.Options;

namespace HybridCaching;

/// <summary>Settings of a <see cref="FasterCache{TKey, TValue}"/>. They are read once, by the constructor of the cache.</summary>
public class FasterCacheOptions : IOptions<FasterCacheOptions>
{
    /// <summary>The default of <see cref="MemoryBudget"/> where the machine has room for it: 128 MB.</summary>
    public const long DefaultMemoryBudget = 128L << 20;

    /// <summary>The default of <see cref="DiskBudget"/>: 1 GB.</summary>
    public const long DefaultDiskBudget = 1L << 30;

    /// <summary>Tells the caches that share a <see cref="Directory"/> apart: their files live in <c>Directory/Name</c>.</summary>
    /// <value>Default null: a stable short name made from the key and value types. Otherwise 1 to 64 of <c>A-Z a-z 0-9 . _ -</c> that begin with a letter or digit and do not end with a dot; no name of a device (<c>CON</c>, <c>NUL</c>, ...).</value>
    public string? Name { get; set; }

    /// <summary>The folder for the disk tier. One process at a time uses the cache of one <see cref="Name"/> in it.</summary>
    /// <value>Default null: no disk tier, the oldest entries leave when memory is full. A relative path is taken from the content root of a host where there is one, else from the current directory.</value>
    public string? Directory { get; set; }

    /// <summary>All the memory the cache may allocate: indexes, log pages, hot tier and I/O buffers.</summary>
    /// <value>Default 128 MB, but no more than a quarter of the memory available to the process, and 16 MB at least. The smallest budget that works is named when a smaller one is refused, and so is the memory there is when a budget is more than 8 times that. <c>Resize</c> changes it while the cache is open.</value>
    public ByteSize MemoryBudget { get; set; } = Math.Min(DefaultMemoryBudget, Math.Max(16L << 20, GC.GetGCMemoryInfo().TotalAvailableMemoryBytes / 4));

    /// <summary>All the disk blocks the folder of the cache may take. The oldest entries are dropped to hold it.</summary>
    /// <value>Default 1 GB, at most 1 TiB. Not used when <see cref="Directory"/> is null. <c>Resize</c> changes it while the cache is open.</value>
    public ByteSize DiskBudget { get; set; } = DefaultDiskBudget;

    /// <summary>How many bytes a second the cache writes to the disk on average, for the sake of a disk that wears out. While it writes less, nothing changes.</summary>
    /// <value>
    /// Default null: as many as there are. Otherwise more than zero; then the disk has to be large enough to keep what the log lets go, and the constructor names a size that is. When the writes would be more, of what leaves memory only entries reach the disk that were read there, or that had been stored before and
    /// come back; those are written even if they alone are more than the budget. <see cref="CacheStatistics.WithheldWrites"/> counts the others. Not used when <see cref="Directory"/> is null.
    /// </value>
    public ByteSize? DiskWriteBudget { get; set; }

    /// <summary>Whether files are read and written through the system's page cache, or past it.</summary>
    /// <value>Default <see cref="DiskIo.Buffered"/>. Not used when <see cref="Directory"/> is null.</value>
    public DiskIo DiskIo { get; set; } = DiskIo.Buffered;

    /// <summary>For experts: how much of the memory that index and buffers leave the hot tier gets once the data has outgrown memory; the log keeps the rest.</summary>
    /// <value>
    /// Default null: 0.85 with a <see cref="Directory"/>, 0.06 without. Otherwise from 0 (no hot tier) to 0.95. Much suits reading more than memory holds; little suits
    /// overwriting, since entries are overwritten in place in the memory of the log, and in the hot tier only where they are read often.
    /// </value>
    public double? HotTierShare { get; set; }

    /// <summary>For entries stored without a time to live of their own: how long they live.</summary>
    /// <value>Default null: for ever. Otherwise more than zero, no longer than until 2109 in a <see cref="FasterCache{TKey, TValue}"/>; <see cref="Timeout.InfiniteTimeSpan"/> also means for ever.</value>
    public TimeSpan? DefaultTimeToLive { get; set; }

    /// <summary>How often what was stored is written to the disk though there is still room for it in memory, so that it is there again after a sudden end of the process (<c>kill -9</c>, a crash).</summary>
    /// <value>Default 30 seconds; more than zero. Entries that are overwritten between two such times may then be missing, but are never out of date. On Linux; a loss of power leaves an empty cache.</value>
    public TimeSpan CheckpointInterval { get; set; } = TimeSpan.FromSeconds(30);

    /// <summary>How long a call waits for the disk before it becomes a miss; an asynchronous one no longer than until its token is cancelled. A call for many values or a long one may take longer with a token that can be cancelled, as long as the disk answers within each such time.</summary>
    /// <value>Default 1 second; more than zero, at most 24 days.</value>
    public TimeSpan DiskTimeout { get; set; } = TimeSpan.FromSeconds(1);

    /// <summary>What to do when the directory cannot be used.</summary>
    /// <value>Default <see cref="DirectoryUnavailable.MemoryOnly"/>.</value>
    public DirectoryUnavailable WhenDirectoryUnavailable { get; set; } = DirectoryUnavailable.MemoryOnly;

    /// <summary>The version of what you store. Change it when the meaning of keys or values changes: files of another version are not read, the cache starts empty.</summary>
    /// <value>Default 0. A change of the fields of the key or value type is noticed without it.</value>
    public int SchemaVersion { get; set; }

    /// <summary>The clock that decides when entries expire. Housekeeping does not use it. While it throws, it counts as standing still.</summary>
    /// <value>Default null: <see cref="TimeProvider.System"/>.</value>
    public TimeProvider? TimeProvider { get; set; }

    /// <inheritdoc/>
    FasterCacheOptions IOptions<FasterCacheOptions>.Value => this;
}
