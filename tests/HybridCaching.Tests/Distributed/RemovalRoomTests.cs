using HybridCaching.Devices;
using HybridCaching.Tests.Concurrency;
using HybridCaching.Tests.Support;

namespace HybridCaching.Tests.Distributed;

/// <summary>Removals while memory is full and is being divided anew: a disk that works is no reason to clear the cache.</summary>
public sealed class RemovalRoomTests : IDisposable
{
    private const int Threads = 3;
    private const int Rounds = 4;
    private const int CallsPerRound = 40_000;

    private readonly TestDirectory _directory = new();

    public void Dispose() => _directory.Dispose();

    [Fact]
    public void Remove_HotTierOfBytesGrows_ClearsNothing()
    {
        for (int round = 0; round < Rounds; round++)
        {
            using var directory = new TestDirectory();
            using var cache = BytesCache.Open(directory.Path, "32MB", "512MB");
            long hotTier = cache.GetMemoryUsage().HotTier;
            Crew.Run(Threads, me =>
            {
                var random = new Random((round * Threads) + me);
                for (int i = 0; i < CallsPerRound; i++)
                {
                    string key = $"{random.Next(300)}";
                    if (i % 4 == 0) cache.Remove(key);
                    else cache.Set(key, new byte[BytesValue.AnyLength(random, most: random.Next(30) == 0 ? BytesCache.LargestValue : 2_000)], BytesCache.ForEver);
                }
            });

            Assert.True(cache.GetMemoryUsage().HotTier > hotTier, "the hot tier has grown");
            Assert.Equal(0, cache.GetStatistics().ClearedEntries);
        }
    }

    [Fact]
    public void Remove_HotTierOfTypedGrows_ClearsNothing()
    {
        for (int round = 0; round < Rounds; round++)
        {
            using var directory = new TestDirectory();
            using var cache = StampCache.Open(directory.Path, change: o => (o.MemoryBudget, o.DiskBudget) = ("16MB", "256MB"));
            long hotTier = cache.GetMemoryUsage().HotTier;
            Crew.Run(Threads, me =>
            {
                var random = new Random((round * Threads) + me);
                for (int i = 0; i < 5 * CallsPerRound; i++)
                {
                    long key = random.Next(1_000_000);
                    if (i % 4 == 0) cache.Remove(key);
                    else cache.Set(key, Stamp.Of(key, 1));
                }
            });

            Assert.True(cache.GetMemoryUsage().HotTier > hotTier, "the hot tier has grown");
            Assert.Equal(0, cache.GetStatistics().ClearedEntries);
        }
    }

    [Fact]
    public void Remove_WritesHangForLessThanDiskTimeout_ClearsNothing()
    {
        const int Entries = 40_000;
        using var cache = BytesCache.Open(_directory.Path, "16MB", "256MB");
        for (int key = 0; key < Entries; key++) cache.Set(LongKey(key), new byte[200], BytesCache.ForEver);
        using var gate = new DiskGate(cache.Tiers.Device!, IoKind.Write);
        gate.Close();
        int removed = 0;
        Crew.Run(
            () =>
            {
                for (int key = Entries - 1; key >= 0; key--)
                {
                    cache.Remove(LongKey(key));
                    Interlocked.Increment(ref removed);
                }
            },
            () =>
            {
                gate.AwaitHeld();
                long start = System.Diagnostics.Stopwatch.GetTimestamp();
                Until.True(() => Volatile.Read(ref removed) == Entries || cache.GetStatistics().ClearedEntries > 0 || System.Diagnostics.Stopwatch.GetElapsedTime(start) > TimeSpan.FromSeconds(1), "the disk hangs a while");
                gate.Open();
            });

        Assert.Equal(0, cache.GetStatistics().ClearedEntries);
    }

    private static string LongKey(int key) => $"{key:D200}";

    [Fact]
    public void Clear_SomeEntries_CountsThem()
    {
        using var cache = StampCache.Open(_directory.Path);
        cache.Fill(0, 1_000, version: 1);
        cache.Clear();
        cache.Fill(0, 500, version: 2);
        cache.Clear();

        Assert.Equal(1_500, cache.GetStatistics().ClearedEntries);
        Assert.Equal(0, cache.EstimatedCount);
    }
}
