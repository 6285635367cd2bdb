namespace HybridCaching.Configuration;

/// <summary>What the options of the bytes cache say beyond those of every cache, checked and completed.</summary>
internal sealed record BytesSettings
{
    private const long MaximumValueLimit = 1L << 30;
    private const long LeastTypicalBytes = 16;
    private const long MostTypicalBytes = 64 << 10;

    public required long MaximumValueBytes { get; init; }

    public required TimeSpan? DefaultSlidingExpiration { get; init; }

    /// <summary>Bytes of a usual key and value together.</summary>
    public required int TypicalEntryBytes { get; init; }

    /// <summary>Checks every option.</summary>
    /// <param name="options">What the user asked for.</param>
    /// <param name="name">The name of the cache.</param>
    /// <exception cref="ArgumentException">An option cannot work; the message names it and its value.</exception>
    public static BytesSettings From(FasterDistributedCacheOptions options, string name)
    {
        ArgumentNullException.ThrowIfNull(options);
        CacheSettings.CheckRange(name, nameof(options.MaximumValueBytes), options.MaximumValueBytes, 1, MaximumValueLimit);
        CacheSettings.CheckRange(name, nameof(options.TypicalEntryBytes), options.TypicalEntryBytes, LeastTypicalBytes, MostTypicalBytes);
        var window = CacheSettings.LimitOf(name, nameof(options.DefaultSlidingExpiration), options.DefaultSlidingExpiration);
        return new BytesSettings
        {
            MaximumValueBytes = options.MaximumValueBytes.Bytes,
            DefaultSlidingExpiration = window,
            TypicalEntryBytes = (int)options.TypicalEntryBytes.Bytes,
        };
    }
}
