namespace HybridCaching.Throughput.Scale;

/// <summary>What so many clients get done together, a figure for each repeat.</summary>
/// <param name="Clients">How many, each on a thread of its own.</param>
/// <param name="MixedPerSecond">Gets per second, one of ten among all entries.</param>
/// <param name="HotPerSecond">Gets per second of what is in memory.</param>
internal sealed record ClientFigures(int Clients, IReadOnlyList<double> MixedPerSecond, IReadOnlyList<double> HotPerSecond);
