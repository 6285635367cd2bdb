using System.Diagnostics;

namespace HybridCaching.HitRate.Replay;

/// <summary>Sends the requests of a plan through its cache, one after the other.</summary>
internal sealed class CacheReplay(ReplayPlan plan, WarningCollector warnings)
{
    private const int Looks = 200;

    private int _done;
    private long _mostMemory;
    private long _mostDisk;

    /// <summary>How many requests are over.</summary>
    public int Done => Volatile.Read(ref _done);

    /// <exception cref="InvalidOperationException">The cache answered wrongly, or counts wrongly.</exception>
    /// <exception cref="OperationCanceledException">It was cancelled.</exception>
    public ReplayResult Run(CancellationToken cancellationToken)
    {
        var (trace, size) = (plan.Trace, plan.Size);
        using var directory = new WorkDirectory();
        using var cache = size.Kind.Open(trace, size.UnitBytes, plan.Budgets, directory, warnings);
        var empty = cache.GetMemoryUsage();
        int step = Math.Max(1, trace.Requests.Length / Looks);
        long hits = 0;
        long setBytes = 0;
        long start = Stopwatch.GetTimestamp();
        for (int i = 0; i < trace.Requests.Length; i++)
        {
            int id = trace.Requests[i];
            if (cache.TryGet(id))
            {
                hits++;
            }
            else
            {
                cache.Set(id);
                setBytes += trace.Weights[id] * size.UnitBytes;
            }

            if (i % step == 0) Look(cache, directory, cancellationToken);
            Volatile.Write(ref _done, i + 1);
        }

        var elapsed = Stopwatch.GetElapsedTime(start);
        Look(cache, directory, cancellationToken);
        var statistics = cache.GetStatistics();
        if (statistics.MemoryHits + statistics.DiskHits != hits || statistics.Misses != trace.Requests.Length - hits)
            throw new InvalidOperationException($"{plan.Name}: the cache counts {statistics.MemoryHits} + {statistics.DiskHits} hits and {statistics.Misses} misses, there were {hits} and {trace.Requests.Length - hits}.");

        return new ReplayResult
        {
            Statistics = statistics,
            SetBytes = setBytes,
            FixedBytes = empty.Index + empty.Buffers,
            SmallestLogBytes = cache.SmallestLogBytes,
            MostMemory = _mostMemory,
            HotTier = cache.GetMemoryUsage().HotTier,
            MostDisk = _mostDisk,
            Elapsed = elapsed,
        };
    }

    private void Look(IReplayedCache cache, WorkDirectory directory, CancellationToken cancellationToken)
    {
        cancellationToken.ThrowIfCancellationRequested();
        _mostMemory = Math.Max(_mostMemory, cache.GetMemoryUsage().Total);
        _mostDisk = Math.Max(_mostDisk, FolderUse.Of(directory.Path));
    }
}
