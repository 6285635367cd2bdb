namespace HybridCaching.Store;

/// <summary>Room in a log that was promised for long records and may not be used yet. For any number of callers.</summary>
internal sealed class PromisedRoom
{
    private long _bytes;

    public long Bytes => Interlocked.Read(ref _bytes);

    /// <summary>Promises so many bytes more, or fewer.</summary>
    /// <returns>How many are promised now.</returns>
    public long Add(long bytes) => Interlocked.Add(ref _bytes, bytes);
}
