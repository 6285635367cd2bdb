namespace HybridCaching.HitRate.References;

/// <summary>What a policy reaches on a whole trace at one size.</summary>
/// <param name="Percent">The size, in percent of the distinct keys' weight.</param>
/// <param name="Capacity">The size.</param>
/// <param name="Policy">The name of the policy.</param>
/// <param name="Hits">Its hits.</param>
internal sealed record CurvePoint(double Percent, long Capacity, string Policy, long Hits);
