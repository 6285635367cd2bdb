using System.Globalization;
using HybridCaching.Benchmarks.Quick;

namespace HybridCaching.Benchmarks.Disk;

/// <summary>Cold gets past the page cache beside what fio gets from the same disk, in <c>benchmarks/results/disk.md</c>.</summary>
internal sealed class DiskRun(ResultFiles results)
{
    public const string Command = "disk";

    private const int Repetitions = 5;

    /// <returns>0; 1 when a value was wrong or fio is missing.</returns>
    public int Run()
    {
        string sizes = string.Create(
            CultureInfo.InvariantCulture,
            $"{ColdGets.Entries:N0} values of {ColdGets.ValueBytes:N0} bytes by text key, no hot tier, DiskIo.Direct; fio: randread of 4 KiB, and of 8 KiB blocks (a record with its header lies in two), libaio, depth 32, direct, on the same file system; in turns, {Repetitions} times, {ColdGets.Duration.TotalSeconds} s each; median of the ratios [min-max]");
        var page = new QuickPage("Cold gets", Command, sizes);
        page.Collect(Measure);
        return page.TryWrite(results) ? 0 : 1;
    }

    private static IEnumerable<Figure> Measure()
    {
        using var directory = new WorkDirectory();
        using var gets = new ColdGets(directory);
        ColdGets.Way[] ways = [ColdGets.Way.Async, ColdGets.Way.Threads, ColdGets.Way.Many];
        var measured = ways.ToDictionary(way => way, _ => new List<Round>());
        for (int i = 0; i < Repetitions; i++)
        {
            foreach (var way in ways) measured[way].Add(new Round(gets.Run(way), Fio.RandomRead(directory, "4k"), Fio.RandomRead(directory, "8k", inBatches: way == ColdGets.Way.Many)));
        }

        foreach (var (way, rounds) in measured)
        {
            string what = way switch
            {
                ColdGets.Way.Async => "32 asynchronous callers",
                ColdGets.Way.Threads => "32 threads",
                _ => "GetManyAsync, batches of 32",
            };
            yield return Ratio($"{what}: gets per second / fio's reads", way == ColdGets.Way.Async ? "≥ 0.85" : "≥ 0.90", rounds, r => r.PerSecond, "N0");
            double[] same = [.. rounds.Select(r => r.Ours.PerSecond / r.Same.PerSecond)];
            yield return new Figure($"{what}: gets per second / fio's reads of as many bytes in the same way", "", string.Create(CultureInfo.InvariantCulture, $"{Median(same):N2} [{same.Min():N2}-{same.Max():N2}] ({Median(rounds.Select(r => r.Same.PerSecond)):N0})"));
            if (way != ColdGets.Way.Many) yield return Ratio($"{what}: p99 in µs / fio's", "≤ 2", rounds, r => r.P99, "N0");
            yield return Ratio($"{what}: CPU seconds per million / fio's", "≤ 2", rounds, r => r.CpuPerMillion, "N1");
            yield return new Figure($"{what}: reads of the disk per get", "≤ 1.05", Median(rounds.Select(r => r.Ours.ReadsPerGet)).ToString("N2", CultureInfo.InvariantCulture));
        }

        foreach (var figure in MeasureLargerThanMemory()) yield return figure;
        yield return Share("fio with 8 KiB / fio with 4 KiB, reads per second", measured[ColdGets.Way.Async]);
        yield return Share("fio with 8 KiB in batches of 32 / fio with 4 KiB, reads per second", measured[ColdGets.Way.Many]);
    }

    /// <summary>The first round is for warming up.</summary>
    private static IEnumerable<Figure> MeasureLargerThanMemory()
    {
        using var contest = new LargerThanMemory();
        contest.Run(round: 0);
        (double Ours, double Raw)[] rounds = [.. Enumerable.Range(1, Repetitions).Select(contest.Run)];
        double[] ratios = [.. rounds.Select(r => r.Ours / r.Raw)];
        yield return new Figure(
            $"{LargerThanMemory.Entries:N0} records of 1 KiB, a tenth of that as memory, buffered, Zipf {LargerThanMemory.Skew}, 95 % reads, 2 threads: operations per second / raw FasterKV with its own device and read cache",
            "≥ 2",
            string.Create(CultureInfo.InvariantCulture, $"{Median(ratios):N2} [{ratios.Min():N2}-{ratios.Max():N2}] ({Median(rounds.Select(r => r.Ours)):N0} / {Median(rounds.Select(r => r.Raw)):N0})"));
    }

    private static Figure Share(string what, List<Round> rounds) => new(what, "", Median(rounds.Select(r => r.Same.PerSecond / r.Fio.PerSecond)).ToString("N2", CultureInfo.InvariantCulture));

    private static Figure Ratio(string what, string target, List<Round> rounds, Func<ColdResult, double> figure, string format)
    {
        double[] ratios = [.. rounds.Select(r => figure(r.Ours) / figure(r.Fio))];
        string ours = Median(rounds.Select(r => figure(r.Ours))).ToString(format, CultureInfo.InvariantCulture);
        string fio = Median(rounds.Select(r => figure(r.Fio))).ToString(format, CultureInfo.InvariantCulture);
        return new Figure(what, target, string.Create(CultureInfo.InvariantCulture, $"{Median(ratios):N2} [{ratios.Min():N2}-{ratios.Max():N2}] ({ours} / {fio})"));
    }

    private static double Median(IEnumerable<double> values)
    {
        double[] sorted = [.. values.Order()];
        return sorted[sorted.Length / 2];
    }

    /// <summary>One after the other.</summary>
    /// <param name="Ours">The cache.</param>
    /// <param name="Fio">fio with 4 KiB.</param>
    /// <param name="Same">fio with what a get reads, and asking as the caller does.</param>
    private readonly record struct Round(ColdResult Ours, ColdResult Fio, ColdResult Same);
}
