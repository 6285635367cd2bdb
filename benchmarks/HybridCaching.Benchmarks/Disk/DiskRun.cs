using System.Globalization;
using HybridCaching.Benchmarks.Quick;

namespace HybridCaching.Benchmarks.Disk;

/// <summary>Cold gets past the page cache beside what fio gets from the same disk, in <c>benchmarks/results/disk.md</c>.</summary>
internal sealed class DiskRun(ResultFiles results)
{
    public const string Command = "disk";

    private const int Repetitions = 5;

    /// <returns>0; 1 when a value was wrong. Without fio what it is compared with is not measured.</returns>
    public int Run()
    {
        string sizes = string.Create(
            CultureInfo.InvariantCulture,
            $"{ColdGets.Entries:N0} values of {ColdGets.ValueBytes:N0} bytes by text key (GetMany: by number, the typed cache), no hot tier, DiskIo.Direct; fio: randread of 4 KiB, libaio, depth 32, direct, on the same file system, and in the same way as the cache is asked with 8 KiB (a record with its header lies in two blocks); without a cache: a program of .NET that reads 8 KiB in the same way and does nothing with it; in turns, {Repetitions} times, {ColdGets.Duration.TotalSeconds} s each; median of the ratios [min-max]");
        var page = new QuickPage("Cold gets", Command, sizes);
        page.Collect(Measure);
        return page.TryWrite(results) ? 0 : 1;
    }

    private static IEnumerable<Figure> Measure()
    {
        if (!Fio.IsThere)
        {
            yield return new Figure("gets per second / fio's reads", "", "not measured: fio is missing");
            foreach (var figure in MeasureLargerThanMemory()) yield return figure;
            yield break;
        }

        using var directory = new WorkDirectory();
        using var gets = new ColdProcess(directory, "usual", isPoolQuiet: false, usesIoUring: false);
        using var quiet = new ColdProcess(directory, "quiet", isPoolQuiet: true, usesIoUring: false);
        using var ring = new ColdProcess(directory, "ring", isPoolQuiet: false, usesIoUring: true);
        ColdGets.Way[] ways = [ColdGets.Way.Async, ColdGets.Way.Threads, ColdGets.Way.Many, ColdGets.Way.ManyOnThread];
        var measured = ways.ToDictionary(way => way, _ => new List<Round>());
        for (int i = 0; i < Repetitions; i++)
        {
            foreach (var way in ways)
            {
                var fio = Fio.RandomRead(directory, "4k", Fio.Asking.Queue);
                var asking = AskingAs(way);
                measured[way].Add(new Round(gets.Run(way), UsesPool(way) ? quiet.Run(way) : default, fio, way is ColdGets.Way.Threads or ColdGets.Way.Many ? Fio.RandomRead(directory, "4k", asking) : fio, Fio.RandomRead(directory, "8k", asking))
                {
                    Bare = gets.RunBare(way),
                    QuietBare = UsesPool(way) ? quiet.RunBare(way) : default,
                    Ring = way == ColdGets.Way.Threads ? ring.Run(way) : default,
                    ByAio = way == ColdGets.Way.Threads ? Fio.RandomRead(directory, "8k", Fio.Asking.ThreadsByAio) : default,
                });
            }
        }

        foreach (var (way, rounds) in measured)
        {
            string what = way switch
            {
                ColdGets.Way.Async => "32 asynchronous callers",
                ColdGets.Way.Threads => "32 threads",
                ColdGets.Way.Many => "GetManyAsync, batches of 32",
                _ => "GetMany, batches of 32",
            };
            yield return Ratio($"{what}: gets per second / fio's reads", way == ColdGets.Way.Async ? "≥ 0.85" : "≥ 0.90", rounds, r => r.Ours.PerSecond, r => r.Fio.PerSecond, "N0");
            yield return Ratio($"{what}: gets per second / fio's reads of as many bytes in the same way", "", rounds, r => r.Ours.PerSecond, r => r.Same.PerSecond, "N0");
            string of = way is ColdGets.Way.Async or ColdGets.Way.Threads ? "" : " of a batch";
            yield return Ratio($"{what}: p98{of} in µs / fio's of a read", "", rounds, r => r.Ours.P98, r => r.Fio.P98, "N0");
            yield return Ratio($"{what}: p99{of} in µs / fio's of a read", "≤ 2", rounds, r => r.Ours.P99, r => r.Fio.P99, "N0");
            yield return Ratio($"{what}: p99{of} in µs / fio's with as many bytes in the same way", "", rounds, r => r.Ours.P99, r => r.Same.P99, "N0");

            yield return Ratio($"{what}: CPU seconds per million / fio's", "≤ 2", rounds, r => r.Ours.CpuPerMillion, r => r.Fio.CpuPerMillion, "N1");
            if (UsesPool(way))
            {
                yield return Ratio($"{what}, threads of the pool do not spin: CPU seconds per million / fio's", "≤ 2", rounds, r => r.Quiet.CpuPerMillion, r => r.Fio.CpuPerMillion, "N1");
                yield return Ratio($"{what}, threads of the pool do not spin: gets per second / fio's reads of as many bytes in the same way", "", rounds, r => r.Quiet.PerSecond, r => r.Same.PerSecond, "N0");
            }

            yield return Ratio($"{what}, without a cache: reads per second / fio's reads", "", rounds, r => r.Bare.PerSecond, r => r.Fio.PerSecond, "N0");
            yield return Ratio($"{what}, without a cache: p99{of} in µs / fio's of a read", "", rounds, r => r.Bare.P99, r => r.Fio.P99, "N0");
            yield return Ratio($"{what}, without a cache: CPU seconds per million / fio's", "", rounds, r => r.Bare.CpuPerMillion, r => r.Fio.CpuPerMillion, "N1");
            if (UsesPool(way)) yield return Ratio($"{what}, without a cache, threads of the pool do not spin: CPU seconds per million / fio's", "", rounds, r => r.QuietBare.CpuPerMillion, r => r.Fio.CpuPerMillion, "N1");
            if (way == ColdGets.Way.Threads)
            {
                yield return Ratio($"{what}, by io_uring / by AIO, the default: gets per second", "", rounds, r => r.Ring.PerSecond, r => r.Ours.PerSecond, "N0");
                yield return Ratio($"{what}, by io_uring / by AIO: p99 in µs", "", rounds, r => r.Ring.P99, r => r.Ours.P99, "N0");
                yield return Ratio($"{what}, by io_uring / by AIO: CPU seconds per million", "", rounds, r => r.Ring.CpuPerMillion, r => r.Ours.CpuPerMillion, "N1");
            }

            yield return new Figure($"{what}: reads of the disk per get", "≤ 1.05", Spread.Of(rounds.Select(r => r.Ours.ReadsPerGet)).Median.ToString("N2", CultureInfo.InvariantCulture));
        }

        foreach (var figure in MeasureLargerThanMemory()) yield return figure;
        foreach (var (way, rounds) in measured.Where(each => each.Key != ColdGets.Way.ManyOnThread))
        {
            string how = way switch
            {
                ColdGets.Way.Async => "from a queue of 32",
                ColdGets.Way.Threads => "by 32 threads that wait",
                _ => "in batches of 32",
            };
            if (way != ColdGets.Way.Async) yield return Ratio($"fio with 4 KiB {how} / fio with 4 KiB from a queue of 32, reads per second", "", rounds, r => r.SameWay.PerSecond, r => r.Fio.PerSecond, "N0");
            yield return Ratio($"fio with 8 KiB {how} / fio with 4 KiB from a queue of 32, reads per second", "", rounds, r => r.Same.PerSecond, r => r.Fio.PerSecond, "N0");
            yield return Ratio($"fio with 8 KiB {how} / fio with 4 KiB from a queue of 32, CPU seconds per million", "", rounds, r => r.Same.CpuPerMillion, r => r.Fio.CpuPerMillion, "N1");
            if (way != ColdGets.Way.Threads) continue;
            yield return Ratio("fio with 8 KiB by 32 threads that could give up (AIO) / fio with 4 KiB from a queue of 32, reads per second", "", rounds, r => r.ByAio.PerSecond, r => r.Fio.PerSecond, "N0");
            yield return Ratio("fio with 8 KiB by 32 threads that could give up (AIO) / fio with 4 KiB from a queue of 32, CPU seconds per million", "", rounds, r => r.ByAio.CpuPerMillion, r => r.Fio.CpuPerMillion, "N1");
        }
    }

    private static Fio.Asking AskingAs(ColdGets.Way way) => way switch
    {
        ColdGets.Way.Async => Fio.Asking.Queue,
        ColdGets.Way.Threads => Fio.Asking.Threads,
        _ => Fio.Asking.Batches,
    };

    private static bool UsesPool(ColdGets.Way way) => way is ColdGets.Way.Async or ColdGets.Way.Many;

    /// <summary>The first round is for warming up.</summary>
    private static IEnumerable<Figure> MeasureLargerThanMemory()
    {
        using var contest = new LargerThanMemory();
        contest.Run(round: 0);
        (double Ours, double Direct, double Raw)[] rounds = [.. Enumerable.Range(1, Repetitions).Select(contest.Run)];
        yield return Ratio(
            $"{LargerThanMemory.Entries:N0} records of 1 KiB, a tenth of that as memory, files in the page cache, Zipf {LargerThanMemory.Skew}, 95 % reads, 2 threads: operations per second / raw FasterKV with its own device and read cache",
            "≥ 2",
            rounds,
            r => r.Ours,
            r => r.Raw,
            "N0");
        yield return Ratio("the same with DiskIo.Direct / with DiskIo.Buffered, the default, where all files fit into the page cache", "", rounds, r => r.Direct, r => r.Ours, "N0");
    }

    private static Figure Ratio<T>(string what, string target, IReadOnlyList<T> rounds, Func<T, double> ours, Func<T, double> theirs, string format)
    {
        string our = Spread.Of(rounds.Select(ours)).Median.ToString(format, CultureInfo.InvariantCulture);
        string their = Spread.Of(rounds.Select(theirs)).Median.ToString(format, CultureInfo.InvariantCulture);
        return new Figure(what, target, $"{Spread.OfRatios(rounds.Select(ours), rounds.Select(theirs))} ({our} / {their})");
    }

    /// <summary>One after the other.</summary>
    /// <param name="Ours">The cache.</param>
    /// <param name="Quiet">The cache, in a process whose pool does not spin; nothing where no pool takes part.</param>
    /// <param name="Fio">fio with 4 KiB from a queue.</param>
    /// <param name="SameWay">fio with 4 KiB, asking as the caller does; batches are asked for in one way, so for those of one thread it is not measured again, and not used.</param>
    /// <param name="Same">fio with what a get reads, and asking as the caller does.</param>
    private readonly record struct Round(ColdResult Ours, ColdResult Quiet, ColdResult Fio, ColdResult SameWay, ColdResult Same)
    {
        /// <summary>What a get reads, without a cache, in the same process.</summary>
        public ColdResult Bare { get; init; }

        /// <summary>The same in the process whose pool does not spin; nothing where no pool takes part.</summary>
        public ColdResult QuietBare { get; init; }

        /// <summary>The cache, in a process that uses io_uring; nothing where nobody waits on his thread for one read.</summary>
        public ColdResult Ring { get; init; }

        /// <summary>fio with what a get reads, by threads that each wait for the kernel's AIO; nothing but for threads.</summary>
        public ColdResult ByAio { get; init; }
    }
}
