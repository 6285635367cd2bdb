using HybridCaching.Tests.Concurrency;
using HybridCaching.Tests.Support;

namespace HybridCaching.Tests.Store;

/// <summary>The index of a log that is turned over again and again: chains of buckets are shortened, and nobody notices.</summary>
public sealed class BucketCompactionTests : IDisposable
{
    private readonly TestDirectory _directory = new();
    private readonly FasterCache<long, long> _cache;

    public BucketCompactionTests() => _cache = new FasterCache<long, long>(
        new FasterCacheOptions { Directory = _directory.Path, Name = StampCache.Name, MemoryBudget = "12MB", DiskBudget = "16MB", DiskTimeout = Until.Deadline });

    /// <summary>Every bucket has had to hold the most entries at some time; never given back, they would be a multiple of this.</summary>
    [Fact]
    public void Index_LogTurnedOverManyTimes_DoesNotGrow()
    {
        SetScattered(0, 1_000_000);
        long once = _cache.GetMemoryUsage().Index;

        SetScattered(1_000_000, 5_000_000);

        Assert.InRange(_cache.GetMemoryUsage().Index, 0, once * 1.1);
    }

    [Fact]
    public void TryGet_KeysThatTheDiskHolds_AreFoundWhileBucketsMove()
    {
        const int Kept = 20_000;
        SetScattered(0, Kept);
        long set = Kept - 1;
        long missed = 0;
        Crew.Run(3, me =>
        {
            if (me == 0)
            {
                SetScattered(Kept, 1_500_000, key => Volatile.Write(ref set, key));
                Volatile.Write(ref set, -1);
                return;
            }

            var random = new Random(me);
            while (Volatile.Read(ref set) is var newest and >= 0)
            {
                long key = newest - random.Next(Kept);
                if (!_cache.TryGet(Scattered(key), out long value) || value != key) Interlocked.Increment(ref missed);
            }
        });

        Assert.Equal(0, missed);
    }

    [Fact]
    public void TryGet_AfterManyTurnovers_FindsWhatTheDiskHolds()
    {
        const int Keys = 2_000_000;
        SetScattered(0, Keys);
        int kept = (int)(_cache.EstimatedCount * 0.9);

        int found = Enumerable.Range(Keys - kept, kept).Count(key => _cache.TryGet(Scattered(key), out long value) && value == key);

        Assert.InRange(found, kept * 0.999, kept); // whoever removes an outdated word of the settled index takes another key's along now and then
    }

    [Fact]
    public void TryGet_AfterManyTurnoversAndARestart_FindsWhatTheDiskHolds()
    {
        const int Keys = 2_000_000;
        SetScattered(0, Keys);
        int kept = (int)(_cache.EstimatedCount * 0.9);
        _cache.Dispose();
        using var again = new FasterCache<long, long>(
            new FasterCacheOptions { Directory = _directory.Path, Name = StampCache.Name, MemoryBudget = "12MB", DiskBudget = "16MB", DiskTimeout = Until.Deadline });

        int found = Enumerable.Range(Keys - kept, kept).Count(key => again.TryGet(Scattered(key), out long value) && value == key);

        Assert.InRange(found, kept * 0.999, kept); // whoever removes an outdated word of the settled index takes another key's along now and then
    }

    public void Dispose()
    {
        _cache.Dispose();
        _directory.Dispose();
    }

    /// <summary>An odd factor: as many keys as numbers, in no order.</summary>
    private static long Scattered(long number) => unchecked(number * -7046029254386353131);

    private void SetScattered(long first, long end, Action<long>? done = null)
    {
        for (long number = first; number < end; number++)
        {
            _cache.Set(Scattered(number), number);
            done?.Invoke(number);
        }
    }
}
