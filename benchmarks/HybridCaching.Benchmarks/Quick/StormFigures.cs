using System.Globalization;
using HybridCaching.Benchmarks.Workloads;

namespace HybridCaching.Benchmarks.Quick;

/// <summary>A storm of writes on a disk that takes a millisecond for each: does the memory budget hold?</summary>
internal static class StormFigures
{
    private const long MemoryBudget = 64 << 20;
    private const long DiskBudget = 256 << 20;
    private const int Writes = 12_000_000;
    private const int MebiByte = 1 << 20;

    private static readonly TimeSpan Latency = TimeSpan.FromMilliseconds(1);

    public static IEnumerable<Figure> Measure(WorkerTeam six)
    {
        Heap.Collect();
        long[] keys = Keys.Scattered(Writes);
        long before = ProcessMemory.InMemoryOnly();
        using var cache = LongCache.OnDisk(MemoryBudget, DiskBudget);
        cache.Cache.Tiers.Device!.Fault = _ =>
        {
            Thread.Sleep(Latency);
            return false;
        };
        Outcome outcome;
        var watch = new StormWatch(cache.Cache.GetMemoryUsage, folder: null, before);
        using (watch) outcome = six.Run(cache, Operations.Add, keys);
        string storm = string.Create(CultureInfo.InvariantCulture, $"storm of {Writes / 1_000_000} M sets, 6t, 64 MiB, device of 1 ms");
        yield return new Figure($"{storm}: samples above the budget", "0", string.Create(CultureInfo.InvariantCulture, $"{watch.Above} of {watch.Samples}"));
        yield return new Figure($"{storm}: memory of the process beyond the budget", "≤ 64 MiB", string.Create(CultureInfo.InvariantCulture, $"{(watch.MostGrowth - MemoryBudget) / MebiByte} MiB"));
        yield return new Figure($"{storm}: sets dropped, ns per set", "", string.Create(CultureInfo.InvariantCulture, $"{cache.Cache.GetStatistics().DroppedWrites}, {outcome.NanosecondsPerOperation:F0}"));
    }
}
