namespace HybridCaching.Throughput.Contestants;

/// <summary>A cache or a key-value store that is open, and empty at first.</summary>
internal interface IContestant : IDisposable
{
    /// <summary>How it is set up, for the page of results.</summary>
    public string Settings { get; }

    /// <summary>The memory that it says it takes; null if it does not say.</summary>
    public long? MemoryInUse { get; }

    /// <summary>A client for the use of one thread. All are disposed before the contestant.</summary>
    public IClient NewClient();
}
