namespace HybridCaching.Benchmarks.Contestants;

/// <summary>Where a session puts the outcome of an operation that had to wait for the disk, and counts where its reads were answered.</summary>
internal sealed class ReadSink<TRecord>
    where TRecord : unmanaged
{
    public bool Found;
    public TRecord Record;
    public long FromDisk;

    private long _found;
    private long _missed;

    public TierHits Hits => new(_found - FromDisk, FromDisk, _missed);

    public void Count(int found, int missed)
    {
        _found += found;
        _missed += missed;
    }
}
