namespace HybridCaching.Throughput.Measuring;

/// <summary>How long operations took, in microseconds.</summary>
internal readonly record struct LatencyFigures
{
    public long Count { get; init; }

    public double P50 { get; init; }

    public double P99 { get; init; }

    public double P999 { get; init; }

    public double Max { get; init; }
}
