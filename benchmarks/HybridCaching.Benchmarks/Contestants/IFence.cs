namespace HybridCaching.Benchmarks.Contestants;

/// <summary>The memory barrier between entering the epoch and the operation; closed over at compile time.</summary>
internal interface IFence
{
    public static abstract void Issue();
}
