using System.Diagnostics;
using HybridCaching.Benchmarks.Contestants;
using HybridCaching.Benchmarks.Workloads;
using Microsoft.Extensions.Caching.Distributed;

namespace HybridCaching.Benchmarks.Quick;

/// <summary>One mask over 100,000 keys, beside SCAN MATCH of a Redis server on the same machine, which gives keys only.</summary>
internal static class ScanCells
{
    private const int Entries = 100_000;
    private const int Masks = 20;
    private const int ValueBytes = 100;
    private const long MemoryBudget = 128 << 20;
    private const double Target = 0.1;
    private const string Redis = "Redis SCAN MATCH";

    public static IEnumerable<Cell> Measure(RedisServer redis)
    {
        using var cache = DistributedContestant.New(directory: null, MemoryBudget, FasterCacheOptions.DefaultDiskBudget, ValueBytes, ValueBytes);
        var entries = new ByteEntries(Entries, ValueBytes);
        for (int number = 0; number < Entries; number++) cache.Set(entries.Key(number), entries.Value(number), new DistributedCacheEntryOptions());
        redis.Set(Enumerable.Range(0, Entries).Select(number => (entries.Key(number), entries.Value(number))));
        string[] endings = [.. Keys.Uniform(Entries, Masks).Select(number => $"{number}")];
        int[] expected = [.. endings.Select(ending => Enumerable.Range(0, Entries).Count(number => $"{number}".EndsWith(ending, StringComparison.Ordinal)))];

        double[][] figures = Paired.Measure(
            () => Scan(redis.CountKeys),
            () => Scan(mask => cache.ScanKeysAsync(mask).ToBlockingEnumerable().Count()),
            () => Scan(mask => cache.ScanAsync(mask).ToBlockingEnumerable().Count()));
        return
        [
            new Cell("one mask over 100,000 keys, keys", Threads: 1, Redis, figures[1], figures[0], Target),
            new Cell("one mask over 100,000 keys, keys and values", Threads: 1, Redis, figures[2], figures[0], Target),
        ];

        Outcome Scan(Func<string, int> count)
        {
            long start = Stopwatch.GetTimestamp();
            int[] counts = [.. endings.Select(ending => count($"s*{ending}"))];
            var outcome = new Outcome(Stopwatch.GetElapsedTime(start), Masks, counts.Zip(expected).Count(pair => pair.First == pair.Second));
            return outcome.EnsureComplete("scan");
        }
    }
}
