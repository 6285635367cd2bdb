using HybridCaching.Benchmarks.Contestants;
using HybridCaching.Benchmarks.Workloads;
using HybridCaching.Tests;

namespace HybridCaching.Benchmarks.Quick;

/// <summary>65,536 keys that somebody has chosen with care, or an innocent counter made, set and read once each; beside random ones.</summary>
internal static class HostileCells
{
    private const double Target = 3;

    /// <summary>The pattern that takes longest.</summary>
    public static IEnumerable<Cell> Measure(WorkerTeam one)
    {
        string[] patterns = [.. HostileKeys.Names];
        long[] random = HostileKeys.OfRandom(seed: 1);
        double[][] figures = Paired.Measure([() => SetAndGet(random), .. patterns.Select(pattern => HostileKeys.Of(pattern)).Select(keys => (Func<Outcome>)(() => SetAndGet(keys)))]);
        var cells = patterns.Select((pattern, i) => new Cell($"set and get keys: {pattern}", one.Workers, "random keys", figures[i + 1], figures[0], Target));
        return [cells.MaxBy(cell => cell.Ratio)!];

        Outcome SetAndGet(long[] keys)
        {
            using var cache = LongCache.At(HostileKeys.Count, MemoryShare.Parse(MemoryShare.MemoryOnlyText));
            var set = one.Run(cache, Operations.Add, keys).EnsureComplete(cache.Name);
            var get = one.Run(cache, Operations.Read, keys).EnsureComplete(cache.Name);
            return set with { Elapsed = set.Elapsed + get.Elapsed };
        }
    }
}
