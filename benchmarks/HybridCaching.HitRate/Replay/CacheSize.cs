namespace HybridCaching.HitRate.Replay;

/// <summary>How large a cache is for a trace, and by which entries.</summary>
/// <param name="Kind">The cache.</param>
/// <param name="Capacity">The weight that the total holds, as that of the references.</param>
/// <param name="UnitBytes">Bytes of key and value for each unit of weight.</param>
internal sealed record CacheSize(CacheKind Kind, long Capacity, long UnitBytes)
{
    /// <summary>Memory and disk together. All that keys and values of the capacity take, and nothing for what a cache needs beside them.</summary>
    public long TotalBytes => Capacity * UnitBytes;

    /// <summary>Divides the total.</summary>
    public CacheBudgets At(double memoryPercent, long typicalEntryBytes)
    {
        long memory = (long)(TotalBytes * (decimal)memoryPercent / 100);
        return new CacheBudgets(memory, TotalBytes - memory, typicalEntryBytes);
    }
}
