using HybridCaching.Configuration;
using HybridCaching.Tiering;

namespace HybridCaching.Tests.Support;

/// <summary>What the garbage collector says of a cache.</summary>
internal static class MeasuredHeap
{
    /// <summary>The first two pages of overflow buckets of FASTER's index, which are in its heap but not in memory before they are in use.</summary>
    private static long UntouchedBytes => OperatingSystem.IsLinux() ? 2L * IndexSizing.OverflowPageBuckets * IndexSizing.BucketBytes : 0;

    /// <summary>Its size now, without what earlier tests have left to their finalizers.</summary>
    public static long Bytes()
    {
        GC.Collect();
        GC.WaitForPendingFinalizers();
        return GC.GetTotalMemory(forceFullCollection: true);
    }

    /// <summary>Fails if the heap stays larger by more than a budget, though housekeeping has had ten seconds.</summary>
    /// <param name="before">Its size before there was the cache.</param>
    /// <param name="budget">The budget.</param>
    /// <param name="housekeeping">The clock of the cache's housekeeping.</param>
    /// <param name="cache">The cache, which has to live so long.</param>
    public static void AssertWithin(long before, long budget, ManualTimeProvider housekeeping, object cache)
    {
        long grown = 0;
        for (int tick = 0; tick < 40; tick++)
        {
            housekeeping.Advance(Housekeeper.Tick);
            grown = GC.GetTotalMemory(forceFullCollection: true) - before;
            if (grown <= budget + UntouchedBytes) break;
        }

        Assert.InRange(grown, long.MinValue, budget + UntouchedBytes); // what earlier tests have left may go meanwhile
        GC.KeepAlive(cache);
    }
}
