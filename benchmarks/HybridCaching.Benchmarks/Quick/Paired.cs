using HybridCaching.Benchmarks.Workloads;

namespace HybridCaching.Benchmarks.Quick;

/// <summary>Measures contestants in turns, A B C A B C ..., so that whatever else the machine does meets all of them.</summary>
internal static class Paired
{
    private const int Attempts = 3;

    /// <summary>How often each contestant has its turn. Set once, before the first measurement.</summary>
    public static int Repetitions { get; set; } = 3;

    /// <summary>Whether everything is measured once only, and as soon as it can be.</summary>
    public static bool IsQuick => Repetitions == 1;

    /// <summary>The same for several threads: while the cores are near each other, or else after some tries whatever they are.</summary>
    /// <param name="threads">How many threads the contestants use.</param>
    /// <param name="handOver">How far apart the cores were, before or afterwards; null for one thread.</param>
    /// <param name="contestants">What to measure.</param>
    public static double[][] Measure(int threads, out double? handOver, params Func<Outcome>[] contestants)
    {
        handOver = null;
        if (threads == 1 || Environment.ProcessorCount == 1) return Measure(contestants);
        for (int attempt = 1; ; attempt++)
        {
            if (!IsQuick) HandOver.AwaitNear();
            double before = HandOver.Measure();
            double[][] figures = Measure(contestants);
            handOver = Math.Max(before, HandOver.Measure());
            if (handOver <= HandOver.Far || attempt == Attempts || IsQuick) return figures;
        }
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
