namespace HybridCaching.HitRate.Replay;

/// <summary>What a cache is opened with.</summary>
/// <param name="Memory">Its memory budget.</param>
/// <param name="Disk">Its disk budget.</param>
/// <param name="TypicalEntryBytes">What the cache of bytes is told of its entries' length, unless they are shorter.</param>
internal sealed record CacheBudgets(long Memory, long Disk, long TypicalEntryBytes)
{
    /// <summary>A machine that is busy with something else must not turn hits into misses.</summary>
    private static readonly TimeSpan DiskTimeout = TimeSpan.FromMinutes(1);

    /// <summary>What it may write to the disk in a second; null for as much as it likes.</summary>
    public ByteSize? DiskWrites { get; init; }

    /// <summary>Fills in what all caches are opened with.</summary>
    public TOptions Apply<TOptions>(TOptions options, WorkDirectory directory)
        where TOptions : FasterCacheOptions
    {
        options.Name = "hit-rate";
        options.Directory = directory.Path;
        options.MemoryBudget = Memory;
        options.DiskBudget = Disk;
        options.DiskWriteBudget = DiskWrites;
        options.DiskTimeout = DiskTimeout;
        options.WhenDirectoryUnavailable = DirectoryUnavailable.Throw;
        return options;
    }
}
