using System.Diagnostics;
using HybridCaching.Benchmarks.Workloads;

namespace HybridCaching.Benchmarks.Disk;

/// <summary>What a run of reads came to.</summary>
/// <param name="PerSecond">Reads per second.</param>
/// <param name="P98">Microseconds that 98 of 100 reads took at most; of batches, where these were asked for.</param>
/// <param name="P99">The same of 99.</param>
/// <param name="CpuPerMillion">Seconds of processor time per million reads, user and system.</param>
/// <param name="ReadsPerGet">Reads of the disk per read.</param>
internal readonly record struct ColdResult(double PerSecond, double P98, double P99, double CpuPerMillion, double ReadsPerGet)
{
    /// <summary>Has somebody read, who says how many values that were and how many microseconds each call took, and takes what it cost.</summary>
    public static ColdResult Of(Func<long> reads, Func<long, (double Gets, IEnumerable<double> Times)> read)
    {
        Heap.Collect();
        long before = reads();
        var cpuBefore = Process.GetCurrentProcess().TotalProcessorTime;
        long start = Stopwatch.GetTimestamp();
        var (gets, times) = read(start);
        double seconds = Stopwatch.GetElapsedTime(start).TotalSeconds;
        double cpu = (Process.GetCurrentProcess().TotalProcessorTime - cpuBefore).TotalSeconds;
        double[] sorted = [.. times.Order()];
        return new ColdResult(gets / seconds, sorted[(int)(sorted.Length * 0.98)], sorted[(int)(sorted.Length * 0.99)], cpu / gets * 1e6, (reads() - before) / gets);
    }
}
