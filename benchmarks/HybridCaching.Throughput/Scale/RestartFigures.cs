namespace HybridCaching.Throughput.Scale;

/// <summary>What it takes to close a cache and to open it again, once.</summary>
/// <param name="CloseSeconds">The call of Dispose.</param>
/// <param name="FirstHitSeconds">From the call of the constructor until the first hit.</param>
/// <param name="FoundShare">Of random keys after the restart.</param>
internal sealed record RestartFigures(double CloseSeconds, double FirstHitSeconds, double FoundShare);
