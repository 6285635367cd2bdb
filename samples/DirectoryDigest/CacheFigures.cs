using HybridCaching;

namespace DirectoryDigest;

/// <summary>What the cache says about itself at the end of a run, kept for after it is closed.</summary>
internal sealed record CacheFigures(CacheStatistics Statistics, MemoryUsage Memory)
{
    public static CacheFigures Of(FasterCache<ChunkKey, ChunkDigest> cache) => new(cache.GetStatistics(), cache.GetMemoryUsage());
}
