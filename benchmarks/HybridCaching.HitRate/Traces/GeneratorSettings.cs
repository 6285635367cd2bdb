namespace HybridCaching.HitRate.Traces;

/// <summary>How large generated traces are, and which of the possible ones they are.</summary>
/// <param name="Keys">How many keys there are to draw from.</param>
/// <param name="Requests">How many requests there are.</param>
/// <param name="Seed">The same seed gives the same requests.</param>
internal sealed record GeneratorSettings(int Keys, int Requests, int Seed);
