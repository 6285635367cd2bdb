namespace HybridCaching.HitRate.Replay;

/// <summary>A cache of the library, used as an application would: get, and set what was not there.</summary>
internal interface IReplayedCache : IDisposable
{
    /// <summary>Reads the whole value of an id, and checks it.</summary>
    public bool TryGet(int id);

    public void Set(int id);

    /// <summary>What its log takes at least, whatever the budget.</summary>
    public long SmallestLogBytes { get; }

    public CacheStatistics GetStatistics();

    public MemoryUsage GetMemoryUsage();
}
