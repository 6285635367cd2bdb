using Microsoft.Extensions.Options;

namespace HybridCaching;

/// <summary>Settings of a <see cref="FasterDistributedCache"/>. They are read once, by the constructor of the cache.</summary>
public sealed class FasterDistributedCacheOptions : FasterCacheOptions, IOptions<FasterDistributedCacheOptions>
{
    /// <summary>The default of <see cref="MaximumValueBytes"/>: 16 MiB.</summary>
    public const long DefaultMaximumValueBytes = 16L << 20;

    /// <summary>The default of <see cref="TypicalEntryBytes"/>: 512 bytes.</summary>
    public const long DefaultTypicalEntryBytes = 512;

    /// <summary>The longest value that is stored. A longer one is dropped, counted and logged, and what was stored under its key before is removed.</summary>
    /// <value>
    /// Default 16 MiB; from 1 byte to 1 GiB. A value that the budgets cannot hold is dropped, too: with a <see cref="FasterCacheOptions.Directory"/> one of nearly half of <see cref="FasterCacheOptions.DiskBudget"/> and more; without one,
    /// of more than half of <see cref="FasterCacheOptions.MemoryBudget"/> (two thirds of a large one; less with a larger <see cref="FasterCacheOptions.HotTierShare"/>).
    /// </value>
    public ByteSize MaximumValueBytes { get; set; } = DefaultMaximumValueBytes;

    /// <summary>For entries stored without an expiration of their own: how long they live after they were read last. It begins anew with a read once an eighth of it has passed.</summary>
    /// <value>Default null: reading does not matter; <see cref="Timeout.InfiniteTimeSpan"/> also means that. Otherwise more than zero; together with <see cref="FasterCacheOptions.DefaultTimeToLive"/>, that is the limit.</value>
    public TimeSpan? DefaultSlidingExpiration { get; set; }

    /// <summary>For experts: how long key and value are together in a usual entry. The division of memory between index, log and hot tier is made for it; any other length works, too.</summary>
    /// <value>Default 512 bytes; from 16 bytes to 64 KiB. Too small costs memory for an index that stays empty, too large cuts the number of entries that fit on the disk.</value>
    public ByteSize TypicalEntryBytes { get; set; } = DefaultTypicalEntryBytes;

    /// <inheritdoc/>
    FasterDistributedCacheOptions IOptions<FasterDistributedCacheOptions>.Value => this;
}
