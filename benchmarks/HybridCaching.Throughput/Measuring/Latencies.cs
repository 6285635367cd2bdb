using System.Diagnostics;
using HdrHistogram;

namespace HybridCaching.Throughput.Measuring;

/// <summary>How long operations took, to three digits. For one thread; those of several are added up at the end.</summary>
internal sealed class Latencies
{
    private const int Digits = 3;
    private const double NanosecondsPerMicrosecond = 1000;

    private static readonly long Longest = TimeSpan.FromMinutes(2).Ticks * TimeSpan.NanosecondsPerTick;
    private static readonly double NanosecondsPerTick = 1e9 / Stopwatch.Frequency;

    private readonly LongHistogram _histogram = new(1, Longest, Digits);

    public long Count => _histogram.TotalCount;

    /// <summary>Adds an operation that took so many ticks of <see cref="Stopwatch"/>.</summary>
    public void Add(long ticks) => _histogram.RecordValue(Math.Clamp((long)(ticks * NanosecondsPerTick), 1, Longest));

    public void Add(Latencies other) => _histogram.Add(other._histogram);

    public void Clear() => _histogram.Reset();

    public LatencyFigures Figures() => Count == 0 ? new LatencyFigures() : new LatencyFigures
    {
        Count = Count,
        P50 = At(50),
        P99 = At(99),
        P999 = At(99.9),
        Max = _histogram.GetMaxValue() / NanosecondsPerMicrosecond,
    };

    private double At(double percentile) => _histogram.GetValueAtPercentile(percentile) / NanosecondsPerMicrosecond;
}
