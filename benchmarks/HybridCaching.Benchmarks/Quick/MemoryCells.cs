using HybridCaching.Benchmarks.Contestants;
using HybridCaching.Benchmarks.Workloads;

namespace HybridCaching.Benchmarks.Quick;

/// <summary>The memory in use after adding, managed and native, beside that of a dictionary.</summary>
internal static class MemoryCells
{
    public const int Entries = 2_000_000;

    public static IEnumerable<Figure> Measure(WorkerTeam one)
    {
        long dictionary = LongDictionary.MeasureMemory(Entries);
        long[] keys = Keys.All(Entries, KeyOrder.Random);
        foreach (var (share, target) in new[] { ("10%", 0.40), ("25%", 0.40), ("50%", 0.75) })
        {
            using var cache = LongCache.At(Entries, MemoryShare.Parse(share));
            one.Run(cache, Operations.Add, keys).EnsureComplete(cache.Name);
            yield return Figure.Of($"memory after adding 2 M, {share} / CD()", cache.MemoryInUse!.Value / (double)dictionary, target);
        }
    }
}
