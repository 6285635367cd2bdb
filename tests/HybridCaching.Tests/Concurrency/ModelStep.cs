namespace HybridCaching.Tests.Concurrency;

/// <summary>One call of a random sequence, or something that happens to the cache.</summary>
/// <param name="Call">Which.</param>
/// <param name="Key">On which key.</param>
/// <param name="Number">The value, or the seconds that pass or that an entry lives; 0 stands for ever.</param>
public readonly record struct ModelStep(ModelCall Call, int Key, int Number)
{
    /// <summary>How long an entry lives that is stored.</summary>
    public TimeSpan TimeToLive => Number == 0 ? Timeout.InfiniteTimeSpan : TimeSpan.FromSeconds(Number);

    /// <summary>How much time passes.</summary>
    public TimeSpan Pause => TimeSpan.FromMilliseconds(500 * Number);
}
