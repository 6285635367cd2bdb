namespace HybridCaching.Throughput.Contestants;

/// <summary>What a read of the disk brought to a session.</summary>
internal sealed class FasterOutcome<TValue>
{
    public bool Found;
    public TValue Value = default!;
}
