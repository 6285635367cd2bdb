using System.Diagnostics;
using HdrHistogram;

namespace HybridCaching.Benchmarks.Workloads;

/// <summary>How long calls of one kind took, in nanoseconds, two digits of which count.</summary>
internal sealed class Latencies
{
    private const long Longest = 60_000_000_000;
    private static readonly double NanosecondsPerTick = 1e9 / Stopwatch.Frequency;

    private readonly LongHistogram _histogram = new(Longest, numberOfSignificantValueDigits: 2);

    public long Count => _histogram.TotalCount;

    public double MaxMicroseconds => Count == 0 ? 0 : _histogram.GetMaxValue() / 1000.0;

    public double Microseconds(double percentile) => Count == 0 ? 0 : _histogram.GetValueAtPercentile(percentile) / 1000.0;

    /// <summary>Adds a call that began at a time stamp and is over now.</summary>
    public void AddSince(long start) => _histogram.RecordValue(Math.Clamp((long)((Stopwatch.GetTimestamp() - start) * NanosecondsPerTick), 1, Longest));

    public void Add(Latencies other) => _histogram.Add(other._histogram);

    public void Clear() => _histogram.Reset();
}
