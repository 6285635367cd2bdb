using HybridCaching.Throughput.Cells;
using HybridCaching.Throughput.Contestants;
using HybridCaching.Throughput.Workloads;

namespace HybridCaching.Throughput;

/// <summary>Turns what the user asked for into processes to start, in the order in which they take turns.</summary>
/// <param name="options">What was asked for.</param>
/// <param name="origin">The working copy, the machine, the folder for files.</param>
/// <param name="present">Who can take part on this machine.</param>
internal sealed class PlanMaker(ThroughputOptions options, string origin, IReadOnlyList<Contender> present)
{
    /// <summary>Where there are many.</summary>
    public const int ClientsPerCore = 4;

    private const int FewThreads = 2;
    private const int HalfThreads = 6;
    private const double HalfInMemory = 2;

    /// <summary>Beside caches that use no disk there is enough for a log that is overwritten all the time.</summary>
    private const double PlentyOfDisk = 3;

    /// <summary>Many clients store so much that with the usual disk the oldest would go: what is not found has not to be read.</summary>
    private const double DiskOfMany = 1.8;

    /// <summary>At a fixed rate a thousandth of the operations has to be many.</summary>
    private const int OpenDurations = 5;
    private const string ScanWorkload = "E";

    private static readonly string[] UsualWorkloads = ["A", "B", "C", "F", "D"];
    private static readonly string[] InLarger = [Contender.Bytes, Contender.Typed, Contender.Faster, Contender.RocksDb, Contender.LevelDb, Contender.Sqlite, Contender.Lmdb, Contender.Bound];
    private static readonly string[] InMany = [Contender.Bytes, Contender.Typed, Contender.Faster, Contender.RocksDb, Contender.Bound];
    private static readonly string[] InHalf = [Contender.Bytes, Contender.Typed, Contender.Dictionary, Contender.Memory, Contender.Bound];
    private static readonly string[] AtFixedRate = [Contender.Bytes, Contender.RocksDb];

    /// <summary>What needs no earlier result.</summary>
    public IEnumerable<CellPlan> Closed()
    {
        foreach (string part in options.Parts)
        {
            if (part is Part.Larger or Part.Many)
            {
                var (usual, threads) = part == Part.Larger ? (InLarger, FewThreads) : (InMany, ClientsPerCore * Environment.ProcessorCount);
                foreach (double ratio in options.Ratios)
                {
                    foreach (var plan in Plans(part, usual, ratio, threads, options.Workloads ?? UsualWorkloads, options.Repeats))
                        yield return part == Part.Many ? plan with { Conditions = plan.Conditions with { DiskTimesData = DiskOfMany } } : plan;
                }
            }
            else if (part == Part.Half)
            {
                foreach (var plan in Plans(part, InHalf, HalfInMemory, HalfThreads, options.Workloads ?? ["A"], options.Repeats))
                {
                    yield return plan with { Conditions = plan.Conditions with { DiskTimesData = PlentyOfDisk } };
                }
            }
            else if (options.Rate is null)
            {
                foreach (var plan in Plans(Part.Peak, AtFixedRate, options.Ratios[0], FewThreads, OpenWorkloads, options.Repeats)) yield return plan;
            }
        }
    }

    /// <summary>Loops at a fixed rate: that of the options, or half of the lowest peak.</summary>
    public IEnumerable<CellPlan> Open(IReadOnlyList<Measurement> closed)
    {
        if (!options.Parts.Contains(Part.Open)) yield break;
        foreach (string workload in OpenWorkloads)
        {
            double[] peaks = [.. closed.Where(each => each.Part == Part.Peak && each.Workload == workload).GroupBy(each => each.Contender).Select(repeats => Spread.Of(repeats.Select(each => each.PerSecond)).Median)];
            if ((options.Rate ?? (peaks.Length > 0 ? peaks.Min() / 2 : null)) is not { } rate) continue;
            foreach (var plan in Plans(Part.Open, AtFixedRate, options.Ratios[0], FewThreads, [workload], Odd(options.Repeats)))
            {
                yield return plan with { Rate = rate, IsRateAsked = options.Rate is not null, Conditions = plan.Conditions with { Seconds = OpenDurations * options.Seconds } };
            }
        }
    }

    /// <summary>Of an odd number of repeats one is in the middle, and a single one that meets a stall of the disk is not: it alone would be the highest percentiles.</summary>
    private static int Odd(int repeats) => repeats | 1;

    /// <summary>Scans are for some contestants only: at a fixed rate they have to be asked for.</summary>
    private IReadOnlyList<string> OpenWorkloads => options.OpenWorkloads ?? [.. (options.Workloads ?? ["B"]).Where(workload => workload != ScanWorkload)];

    private IEnumerable<CellPlan> Plans(string part, string[] usual, double ratio, int threads, IReadOnlyList<string> workloads, int repeats)
    {
        var conditions = new Conditions
        {
            ValueBytes = options.ValueBytes,
            Memory = options.Memory.Bytes,
            Ratio = ratio,
            Threads = options.Threads ?? threads,
            Seconds = options.Seconds,
            WarmUpSeconds = options.WarmUpSeconds,
            PageCache = options.PageCache,
        };
        Contender[] contenders = [.. (options.Contenders ?? [.. usual.Select(Contender.Named)]).Where(present.Contains)];
        for (int repeat = 0; repeat < repeats; repeat++)
        {
            foreach (var contender in contenders.Skip(repeat).Concat(contenders.Take(repeat))) // somebody else begins each time
            {
                string[] fitting = [.. Mix.All.Where(mix => workloads.Contains(mix.Name) && contender.Fits(mix)).Select(mix => mix.Name)];
                if (fitting.Length > 0) yield return new CellPlan { Part = part, Contender = contender.Name, Conditions = conditions, Workloads = fitting, Repeat = repeat, Origin = origin };
            }
        }
    }
}
