using HybridCaching.Throughput.Cells;
using HybridCaching.Throughput.Contestants;

namespace HybridCaching.Throughput.Reporting;

/// <summary>What the library shall reach beside another contestant, in the same run.</summary>
/// <param name="Part">Where it is measured.</param>
/// <param name="Workloads">The letters for which it holds.</param>
/// <param name="Ours">Which of ours.</param>
/// <param name="Other">Beside whom.</param>
/// <param name="Limit">The least that the ratio of operations per second may be, or the most of the ratio of latencies.</param>
/// <param name="IsLatency">Whether the 99.9th percentile of reads is compared, instead of operations per second.</param>
internal sealed record Target(string Part, string Workloads, string Ours, string Other, double Limit, bool IsLatency = false)
{
    public static IReadOnlyList<Target> All { get; } =
    [
        new(Throughput.Part.Half, "A", Contender.Typed, Contender.Dictionary, 0.7),
        new(Throughput.Part.Larger, "ABCDF", Contender.Bytes, Contender.RocksDb, 3),
        new(Throughput.Part.Larger, "ABCDF", Contender.Bytes, Contender.LevelDb, 5),
        new(Throughput.Part.Larger, "ABCDF", Contender.Bytes, Contender.Sqlite, 20),
        new(Throughput.Part.Larger, "AF", Contender.Bytes, Contender.Lmdb, 1.5),
        new(Throughput.Part.Larger, "C", Contender.Bytes, Contender.Lmdb, 1),
        new(Throughput.Part.Larger, "ABCDF", Contender.Typed, Contender.Faster, 1.5),
        new(Throughput.Part.Many, "ABCDF", Contender.Bytes, Contender.RocksDb, 3),
        new(Throughput.Part.Many, "ABCDF", Contender.Typed, Contender.Faster, 1.5),
        new(Throughput.Part.Open, "ABC", Contender.Bytes, Contender.RocksDb, 0.5, IsLatency: true),
    ];

    /// <summary>All workloads, and filling before them.</summary>
    public const string AllWorkloads = $"ABCDEF{Measurement.Filling}";

    /// <summary>Who is compared with whom where nothing is aimed at.</summary>
    public static IReadOnlyList<(string Part, string Ours, string Other)> Rivals { get; } =
    [
        .. All.Where(target => !target.IsLatency).Select(target => (target.Part, target.Ours, target.Other)).Distinct(),
        (Throughput.Part.Half, Contender.Bytes, Contender.Memory),
    ];

    /// <summary>Whether there is a target for operations per second.</summary>
    public static bool Has(string part, string workload, string ours, string other) =>
        All.Any(target => !target.IsLatency && target.Part == part && target.Ours == ours && target.Other == other && target.Workloads.Contains(workload, StringComparison.Ordinal));

    public string Figure => IsLatency ? "p99.9 of reads" : "operations per second";

    public string Wanted => FormattableString.Invariant($"{(IsLatency ? "≤" : "≥")} {Limit}");

    public bool IsMet(Spread ratio) => IsLatency ? ratio.Median <= Limit : ratio.Median >= Limit;

    /// <summary>For each workload, ratio of data to memory and number of clients, the ratios of those repeats that both have.</summary>
    public IEnumerable<(string Workload, double DataRatio, int Clients, Spread Ratio)> Judge(IReadOnlyList<Measurement> measurements) =>
        from measurement in measurements
        where measurement.Part == Part && Workloads.Contains(measurement.Workload, StringComparison.Ordinal) && measurement.Contender == Ours
        join other in measurements.Where(each => each.Part == Part && each.Contender == Other) on (measurement.Workload, measurement.Repeat, measurement.Conditions) equals (other.Workload, other.Repeat, other.Conditions)
        group Value(measurement) / Value(other) by (measurement.Workload, measurement.Conditions.Ratio, measurement.Conditions.Threads) into ratios
        orderby ratios.Key.Ratio, ratios.Key.Threads, ratios.Key.Workload
        select (ratios.Key.Workload, ratios.Key.Ratio, ratios.Key.Threads, Spread.Of(ratios));

    /// <summary>The ratio that <see cref="Contender.Bound"/> has where ours was judged; null if it took no part.</summary>
    public Spread? BoundOf(IReadOnlyList<Measurement> measurements, string workload, double dataRatio, int clients) =>
        (this with { Ours = Contender.Bound }).Judge(measurements).Where(each => (each.Workload, each.DataRatio, each.Clients) == (workload, dataRatio, clients)).Select(each => (Spread?)each.Ratio).FirstOrDefault();

    /// <summary>Of ours, the percentage of gets that found nothing where it was judged.</summary>
    public double MissesOf(IReadOnlyList<Measurement> measurements, string workload, double dataRatio, int clients) =>
        Spread.Of(measurements.Where(each => (each.Part, each.Contender, each.Workload, each.Conditions.Ratio, each.Conditions.Threads) == (Part, Ours, workload, dataRatio, clients)).Select(each => each.MissPercent)).Median;

    private double Value(Measurement measurement) => IsLatency ? measurement.Reads.P999 : measurement.PerSecond;
}
