using HybridCaching.Benchmarks.Workloads;

namespace HybridCaching.Benchmarks.Quick;

/// <summary>Measures contestants in turns, A B C A B C ..., so that whatever else the machine does meets all of them.</summary>
internal static class Paired
{
    private const int Repetitions = 3;

    /// <summary>The same for several threads: begins when the cores are near each other, and tells how far apart they were, before or afterwards.</summary>
    public static double[][] Measure(int threads, out double? handOver, params Func<Outcome>[] contestants)
    {
        handOver = null;
        if (threads == 1) return Measure(contestants);
        HandOver.AwaitNear();
        double before = HandOver.Measure();
        double[][] figures = Measure(contestants);
        handOver = Math.Max(before, HandOver.Measure());
        return figures;
    }

    /// <summary>Nanoseconds per operation: a list per contestant, a figure per repetition.</summary>
    public static double[][] Measure(params Func<Outcome>[] contestants)
    {
        var figures = contestants.Select(static _ => new double[Repetitions]).ToArray();
        for (int repetition = 0; repetition < Repetitions; repetition++)
        {
            for (int i = 0; i < contestants.Length; i++)
            {
                Heap.Collect();
                figures[i][repetition] = contestants[i]().NanosecondsPerOperation;
            }
        }

        return figures;
    }
}
