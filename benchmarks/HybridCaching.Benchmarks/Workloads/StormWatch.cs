namespace HybridCaching.Benchmarks.Workloads;

/// <summary>Looks every 10 ms at what a cache takes, until it is disposed.</summary>
internal sealed class StormWatch : IDisposable
{
    private static readonly TimeSpan Interval = TimeSpan.FromMilliseconds(10);

    private readonly Func<MemoryUsage> _memory;
    private readonly string? _folder;
    private readonly long _memoryBefore;
    private readonly ManualResetEventSlim _over = new();
    private readonly Thread _thread;

    /// <param name="memory">What the cache says of itself.</param>
    /// <param name="folder">The folder to look at; null for none.</param>
    /// <param name="memoryBefore">The memory of the process before there was a cache.</param>
    public StormWatch(Func<MemoryUsage> memory, string? folder, long memoryBefore)
    {
        _memory = memory;
        _folder = folder;
        _memoryBefore = memoryBefore;
        _thread = new Thread(Watch) { IsBackground = true, Name = nameof(StormWatch) };
        _thread.Start();
    }

    public int Samples { get; private set; }

    /// <summary>Samples whose total was above the budget.</summary>
    public int Above { get; private set; }

    /// <summary>The largest total beyond the budget; negative if none reached it.</summary>
    public long MostBeyond { get; private set; } = long.MinValue;

    /// <summary>The most by which the process has grown.</summary>
    public long MostGrowth { get; private set; }

    /// <summary>The most that the folder took.</summary>
    public long MostDisk { get; private set; }

    /// <summary>Ends the watch; the figures stay.</summary>
    public void Dispose()
    {
        _over.Set();
        _thread.Join();
        _over.Dispose();
    }

    private void Watch()
    {
        while (!_over.Wait(Interval))
        {
            var memory = _memory();
            Samples++;
            if (memory.Total > memory.Budget) Above++;
            MostBeyond = Math.Max(MostBeyond, memory.Total - memory.Budget);
            MostGrowth = Math.Max(MostGrowth, ProcessMemory.InMemoryOnly() - _memoryBefore);
            if (_folder is not null) MostDisk = Math.Max(MostDisk, FolderUse.Of(_folder));
        }
    }
}
