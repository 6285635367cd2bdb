using HybridCaching.HitRate.Traces;

namespace HybridCaching.HitRate.Replay;

/// <summary>A trace, and the cache it goes through.</summary>
/// <param name="Trace">The requests.</param>
/// <param name="Size">The cache's size.</param>
/// <param name="MemoryPercent">How much of its total is memory.</param>
/// <param name="Budgets">Its budgets.</param>
internal sealed record ReplayPlan(Trace Trace, CacheSize Size, double MemoryPercent, CacheBudgets Budgets)
{
    public string Name => FormattableString.Invariant($"{Trace.Name}, memory {MemoryPercent:0.##} %");

    /// <summary>The bytes that requests ask for, for a guess of how long it takes.</summary>
    public double RequestedBytes => Trace.Requests.Sum(id => (double)Trace.Weights[id]) * Size.UnitBytes;
}
