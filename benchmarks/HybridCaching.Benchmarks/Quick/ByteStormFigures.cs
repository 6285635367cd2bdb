using System.Diagnostics;
using System.Globalization;
using HybridCaching.Benchmarks.Contestants;
using HybridCaching.Benchmarks.Workloads;

namespace HybridCaching.Benchmarks.Quick;

/// <summary>A storm of sets, reads and removals of all sizes: do the budgets of memory and disk hold?</summary>
internal static class ByteStormFigures
{
    private const long MemoryBudget = 64 << 20;
    private const long DiskBudget = 256 << 20;
    private const int Window = 1 << 16;
    private const int Windows = 16;

    private static readonly TimeSpan Duration = TimeSpan.FromSeconds(30);

    public static IEnumerable<Figure> Measure(WorkerTeam eight)
    {
        var keys = new KeyWindows(Keys.Scattered(Windows * Window), Window);
        using (var first = new StormContestant(MemoryBudget, DiskBudget, eight.Workers)) eight.Run(first, Operations.Mix, keys.Next());
        Heap.GiveBack();
        long before = ProcessMemory.InMemoryOnly();
        using var storm = new StormContestant(MemoryBudget, DiskBudget, eight.Workers);
        long operations = 0;
        var watch = new StormWatch(storm.Cache.GetMemoryUsage, storm.Folder, before);
        using (watch)
        {
            for (long start = Stopwatch.GetTimestamp(); Stopwatch.GetElapsedTime(start) < Duration; operations += Window)
            {
                eight.Run(storm, Operations.Mix, keys.Next());
                GC.Collect(0); // how much of it may pile up is the runtime's decision, by the processor's caches
            }
        }

        var statistics = storm.Cache.GetStatistics();
        string what = string.Create(CultureInfo.InvariantCulture, $"storm of {Duration.TotalSeconds:F0} s, 50 B to 300 kB, 8t, 64 MiB and 256 MiB");
        yield return new Figure($"{what}: memory above the budget, by the cache's account", "0", Excess(watch.MostBeyond));
        yield return new Figure($"{what}: memory of the process beyond the budget, young garbage collected about once a second", "≤ 64 MiB", Excess(watch.MostGrowth - MemoryBudget));
        yield return new Figure($"{what}: disk above the budget", "0", Excess(watch.MostDisk - DiskBudget));
        yield return new Figure($"{what}: samples, operations, sets dropped, hits", "", string.Create(CultureInfo.InvariantCulture, $"{watch.Samples:N0}, {operations:N0}, {statistics.DroppedWrites:N0}, {statistics.HitRatio:P0}"));
    }

    private static string Excess(long bytes) => bytes <= 0 ? string.Create(CultureInfo.InvariantCulture, $"0 ({-bytes / 1024:N0} KiB below)") : string.Create(CultureInfo.InvariantCulture, $"{(bytes + 1023) / 1024:N0} KiB");
}
