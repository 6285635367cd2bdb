using HybridCaching.Tests.Support;

namespace HybridCaching.Tests.Concurrency;

public sealed class TornValueTests
{
    private const int Threads = 8;
    private const int FillerKeys = 100_000;

    /// <summary>The first filler key; hot keys lie below it.</summary>
    private const long Filler = 1_000_000;

    [Fact]
    public void TryGet_OneKeyOverwrittenByAll_IsNeverTorn() => Run(hotKeys: 1, fillerShare: 0, Duration.Of(1));

    [Fact]
    public void TryGet_ManyKeysOverwrittenByAll_IsNeverTorn() => Run(hotKeys: 64, fillerShare: 0, Duration.Of(1));

    [Fact]
    public void TryGet_OverwrittenInEveryRegionOfTheLog_IsNeverTorn() => Run(hotKeys: 64, fillerShare: 50, Duration.Of(1.5));

    [Fact]
    [Trait("Category", "Soak")]
    public void TryGet_OverwrittenForLong_IsNeverTorn() => Run(hotKeys: 16, fillerShare: 30, Duration.OfSoak());

    private static void Run(int hotKeys, int fillerShare, Duration duration)
    {
        using var directory = new TestDirectory();
        using var cache = new FasterCache<long, Quint>(new FasterCacheOptions { Directory = directory.Path, MemoryBudget = "12MB", DiskBudget = "32MB", DiskTimeout = Until.Deadline });
        long hits = 0;
        Crew.Run(Threads, me =>
        {
            var random = new Random(me);
            long mine = 0;
            for (long sequence = 0; !duration.IsOver; sequence++)
            {
                long key = random.Next(100) < fillerShare ? Filler + random.Next(FillerKeys) : random.Next(hotKeys);
                if (random.Next(2) == 0)
                {
                    cache.Set(key, Quint.Of(key, me, sequence));
                    continue;
                }

                // Half of the hot keys are read wherever they are, half only in memory.
                if (!((sequence & 1) == 0 ? cache.TryGet(key, out var value) : cache.TryGetFromMemory(key, out value))) continue;
                Assert.True(value.IsWhole && value.Key == key, $"torn or mixed up: {value} under {key}");
                mine++;
            }

            Interlocked.Add(ref hits, mine);
        });
        Assert.True(hits > 1000, $"only {hits} hits");
        Assert.Equal(0, cache.GetStatistics().CorruptEntries);
    }
}
