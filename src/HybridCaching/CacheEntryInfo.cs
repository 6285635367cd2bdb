namespace HybridCaching;

/// <summary>What a <see cref="FasterDistributedCache"/> knows of an entry beside its value.</summary>
public readonly record struct CacheEntryInfo
{
    /// <summary>Where it was found.</summary>
    public CacheTier Tier { get; init; }

    /// <summary>Bytes of the value.</summary>
    public int Length { get; init; }

    /// <summary>How long ago it was stored, in whole seconds.</summary>
    public TimeSpan Age { get; init; }

    /// <summary>How long it has to live unless it is read before; null for ever.</summary>
    public TimeSpan? TimeLeft { get; init; }
}
