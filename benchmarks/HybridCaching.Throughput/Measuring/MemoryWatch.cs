namespace HybridCaching.Throughput.Measuring;

/// <summary>Looks at the memory of the process all the time, and remembers the most.</summary>
internal sealed class MemoryWatch : IDisposable
{
    private static readonly TimeSpan Interval = TimeSpan.FromMilliseconds(25);

    private readonly Timer _timer;
    private long _most;

    public MemoryWatch() => _timer = new Timer(_ => Look(), null, Interval, Interval);

    /// <summary>The most resident bytes since this was asked last.</summary>
    public long TakeMost()
    {
        Look();
        return Interlocked.Exchange(ref _most, 0);
    }

    public void Dispose() => _timer.Dispose();

    private void Look()
    {
        long resident = ProcessFigures.Resident();
        if (resident > Volatile.Read(ref _most)) Volatile.Write(ref _most, resident);
    }
}
