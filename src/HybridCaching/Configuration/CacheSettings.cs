namespace HybridCaching.Configuration;

/// <summary>The options of a cache, checked and completed. Whoever holds one need not doubt it.</summary>
internal sealed record CacheSettings
{
    private const double MaximumHotTierShare = 0.95;
    private const double DefaultHotTierShare = 0.85;

    /// <summary>A memory budget of more than so many times what there is, is a slip of the unit, and would end in an OutOfMemoryException. Less may work out: not all of it may get used, or the machine may swap.</summary>
    private const int MostTimesTheMemory = 8;

    /// <summary>Without a disk the log has to hold everything.</summary>
    private const double DefaultHotTierShareWithoutDisk = 0.06;

    public required string Name { get; init; }

    /// <summary>The full path of the folder that is this cache's alone; null without a disk tier.</summary>
    public required string? Folder { get; init; }

    public required long MemoryBudget { get; init; }

    /// <summary>Bytes of memory that this process can have.</summary>
    public required long AvailableMemory { get; init; }

    /// <summary>Zero without a disk tier.</summary>
    public required long DiskBudget { get; init; }

    /// <summary>Bytes to be written to the disk in a second on average; null for any number.</summary>
    public required long? DiskWriteBudget { get; init; }

    /// <summary>Whether files are used past the system's page cache.</summary>
    public required bool IsDirect { get; init; }

    /// <summary>The hot tier's share once the data has outgrown memory.</summary>
    public required double HotTierShare { get; init; }

    public required TimeSpan? DefaultTimeToLive { get; init; }

    public required TimeSpan DiskTimeout { get; init; }

    public required TimeSpan CheckpointInterval { get; init; }

    public required bool ThrowWhenDirectoryUnavailable { get; init; }

    public required int SchemaVersion { get; init; }

    public required TimeProvider TimeProvider { get; init; }

    /// <summary>Checks every option.</summary>
    /// <param name="options">What the user asked for.</param>
    /// <param name="defaultName">The name of a cache whose options and surroundings give none.</param>
    /// <param name="surroundings">Where it is used.</param>
    /// <exception cref="ArgumentException">An option cannot work; the message names it and its value.</exception>
    public static CacheSettings From(FasterCacheOptions options, string defaultName, Surroundings? surroundings = null)
    {
        ArgumentNullException.ThrowIfNull(options);
        surroundings ??= new Surroundings();
        string name = options.Name ?? surroundings.DefaultName ?? defaultName;
        if (!CacheName.IsValid(name)) throw new ArgumentException($"{nameof(options.Name)} '{name}' {CacheName.Rule}.", nameof(options.Name));
        if (options.MemoryBudget.Bytes <= 0) throw Invalid(name, nameof(options.MemoryBudget), options.MemoryBudget, "must be more than zero");
        if (options.MemoryBudget.Bytes > (double)surroundings.AvailableMemory * MostTimesTheMemory)
            throw Invalid(name, nameof(options.MemoryBudget), options.MemoryBudget, $"is more than {MostTimesTheMemory} times the {new ByteSize(surroundings.AvailableMemory):H} of memory there are");
        var timeToLive = LimitOf(name, nameof(options.DefaultTimeToLive), options.DefaultTimeToLive);
        if (options.CheckpointInterval <= TimeSpan.Zero) throw Invalid(name, nameof(options.CheckpointInterval), options.CheckpointInterval, "must be more than zero");
        if (options.DiskTimeout <= TimeSpan.Zero || options.DiskTimeout.TotalMilliseconds > int.MaxValue)
            throw Invalid(name, nameof(options.DiskTimeout), options.DiskTimeout, "must be more than zero and at most 24 days");
        if (!Enum.IsDefined(options.WhenDirectoryUnavailable))
            throw Invalid(name, nameof(options.WhenDirectoryUnavailable), options.WhenDirectoryUnavailable, "must be MemoryOnly or Throw");
        if (!Enum.IsDefined(options.DiskIo)) throw Invalid(name, nameof(options.DiskIo), options.DiskIo, "must be Buffered or Direct");
        if (options.HotTierShare is { } share && !(share is >= 0 and <= MaximumHotTierShare)) throw Invalid(name, nameof(options.HotTierShare), share, $"must be from 0 to {MaximumHotTierShare}");
        bool hasDisk = options.Directory is not null;
        if (hasDisk && options.DiskBudget.Bytes <= 0) throw Invalid(name, nameof(options.DiskBudget), options.DiskBudget, "must be more than zero when Directory is set");
        if (hasDisk && options.DiskBudget.Bytes > MemoryPlan.MostDiskBytes) throw Invalid(name, nameof(options.DiskBudget), options.DiskBudget, $"must be at most {new ByteSize(MemoryPlan.MostDiskBytes)}");
        if (options.DiskWriteBudget is { Bytes: <= 0 } writes) throw Invalid(name, nameof(options.DiskWriteBudget), writes, "must be more than zero, or null for as many bytes a second as there are");

        return new CacheSettings
        {
            Name = name,
            Folder = hasDisk ? FolderOf(options.Directory!, name, surroundings.ContentRoot) : null,
            MemoryBudget = options.MemoryBudget.Bytes,
            AvailableMemory = surroundings.AvailableMemory,
            DiskBudget = hasDisk ? options.DiskBudget.Bytes : 0,
            DiskWriteBudget = hasDisk ? options.DiskWriteBudget?.Bytes : null,
            IsDirect = options.DiskIo == DiskIo.Direct,
            HotTierShare = options.HotTierShare ?? (hasDisk ? DefaultHotTierShare : DefaultHotTierShareWithoutDisk),
            DefaultTimeToLive = timeToLive,
            DiskTimeout = options.DiskTimeout,
            CheckpointInterval = options.CheckpointInterval,
            ThrowWhenDirectoryUnavailable = options.WhenDirectoryUnavailable == DirectoryUnavailable.Throw,
            SchemaVersion = options.SchemaVersion,
            TimeProvider = ForgivingClock.Of(options.TimeProvider ?? surroundings.Clock),
        };
    }

    private static string FolderOf(string directory, string name, string? contentRoot)
    {
        if (string.IsNullOrWhiteSpace(directory)) throw Invalid(name, nameof(FasterCacheOptions.Directory), $"'{directory}'", "must be a path, or null for a cache without a disk tier");
        try
        {
            return Path.Combine(contentRoot is null ? Path.GetFullPath(directory) : Path.GetFullPath(directory, Path.GetFullPath(contentRoot)), name);
        }
        catch (Exception e) when (e is ArgumentException or NotSupportedException or PathTooLongException)
        {
            throw Invalid(name, nameof(FasterCacheOptions.Directory), $"'{directory}'", $"is not a path: {e.Message}");
        }
    }

    /// <summary>A limit of time; null for none.</summary>
    /// <exception cref="ArgumentException">It is not more than zero.</exception>
    public static TimeSpan? LimitOf(string name, string option, TimeSpan? value)
    {
        if (value == Timeout.InfiniteTimeSpan) return null;
        if (value <= TimeSpan.Zero) throw Invalid(name, option, value, "must be more than zero, null or Timeout.InfiniteTimeSpan");
        return value;
    }

    /// <exception cref="ArgumentException">The value is too small or too large.</exception>
    public static void CheckRange(string name, string option, ByteSize value, long least, long most)
    {
        if (value.Bytes < least || value.Bytes > most) throw Invalid(name, option, value, $"must be from {new ByteSize(least)} to {new ByteSize(most)}");
    }

    /// <summary>What says that an option of a cache cannot work.</summary>
    public static ArgumentException Invalid(string name, string option, object value, string rule) => new($"Cache {name}: {option} {value} {rule}.", option);
}
