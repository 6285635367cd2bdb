namespace HybridCaching.Benchmarks.Contestants;

/// <summary>Where a session puts the outcome of an operation that had to wait for the disk.</summary>
internal sealed class ReadSink<TRecord>
    where TRecord : unmanaged
{
    public bool Found;
    public TRecord Record;
}
