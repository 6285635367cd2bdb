namespace HybridCaching.Throughput.Scale;

/// <summary>What so many clients get done together.</summary>
/// <param name="Clients">How many, each on a thread of its own.</param>
/// <param name="MixedPerSecond">Gets per second, one of ten among all entries.</param>
/// <param name="HotPerSecond">Gets per second of what is in memory.</param>
internal sealed record ClientFigures(int Clients, double MixedPerSecond, double HotPerSecond);
