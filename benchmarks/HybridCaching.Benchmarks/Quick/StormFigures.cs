using System.Diagnostics;
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

    private static readonly TimeSpan SampleInterval = TimeSpan.FromMilliseconds(10);
    private static readonly TimeSpan Latency = TimeSpan.FromMilliseconds(1);

    public static IEnumerable<Figure> Measure(WorkerTeam six)
    {
        Heap.Collect();
        long[] keys = Keys.Scattered(Writes);
        long before = AnonymousMemory();
        using var cache = LongCache.OnDisk(MemoryBudget, DiskBudget);
        cache.Cache.Tiers.Device!.Fault = _ =>
        {
            Thread.Sleep(Latency);
            return false;
        };
        using var over = new ManualResetEventSlim();
        int samples = 0;
        int above = 0;
        long mostAnonymous = before;
        var sampler = new Thread(() =>
        {
            while (!over.Wait(SampleInterval))
            {
                samples++;
                if (cache.Cache.GetMemoryUsage().Total > MemoryBudget) above++;
                mostAnonymous = Math.Max(mostAnonymous, AnonymousMemory());
            }
        });
        sampler.Start();
        var outcome = six.Run(cache, Operations.Add, keys);
        over.Set();
        sampler.Join();
        string storm = string.Create(CultureInfo.InvariantCulture, $"storm of {Writes / 1_000_000} M sets, 6t, 64 MiB, device of 1 ms");
        yield return new Figure($"{storm}: samples above the budget", "0", string.Create(CultureInfo.InvariantCulture, $"{above} of {samples}"));
        yield return new Figure($"{storm}: RssAnon beyond the budget", "≤ 64 MiB", string.Create(CultureInfo.InvariantCulture, $"{(mostAnonymous - before - MemoryBudget) / MebiByte} MiB"));
        yield return new Figure($"{storm}: sets dropped, ns per set", "", string.Create(CultureInfo.InvariantCulture, $"{cache.Cache.GetStatistics().DroppedWrites}, {outcome.NanosecondsPerOperation:F0}"));
    }

    /// <summary>Memory that the process has for itself, as Linux tells; elsewhere its private bytes.</summary>
    private static long AnonymousMemory()
    {
        const string Status = "/proc/self/status";
        const string Field = "RssAnon:";
        if (!File.Exists(Status)) return Process.GetCurrentProcess().PrivateMemorySize64;
        string line = File.ReadLines(Status).First(line => line.StartsWith(Field, StringComparison.Ordinal));
        return 1024 * long.Parse(line.AsSpan(Field.Length).TrimEnd("kB"), CultureInfo.InvariantCulture);
    }
}
