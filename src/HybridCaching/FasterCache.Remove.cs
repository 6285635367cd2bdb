namespace HybridCaching;

public sealed partial class FasterCache<TKey, TValue>
{
    /// <summary>Removes a key. It stays removed, whatever the disk does.</summary>
    /// <param name="key">The key.</param>
    /// <returns>Whether there was an entry that a read would have returned; to know that, the disk may have to be read, for <see cref="FasterCacheOptions.DiskTimeout"/> at most. False if it did not answer in time; the key is removed all the same.</returns>
    /// <exception cref="ObjectDisposedException">The cache was disposed.</exception>
    public bool Remove(TKey key) => _tiers.Remove(in key);

    /// <summary>Removes every entry stored before the call. Takes no longer for a large cache than for a small one; the space is freed in the background.</summary>
    /// <exception cref="ObjectDisposedException">The cache was disposed.</exception>
    public void Clear() => _tiers.Clear();

    /// <summary>Writes everything stored so far to the disk and waits until it is there. Without a <see cref="FasterCacheOptions.Directory"/> there is nothing to do.</summary>
    /// <param name="cancellationToken">Ends the wait, not the writing.</param>
    /// <remarks>A disk that fails is no exception here either: what it did not take is missing, and counted (<see cref="CacheStatistics.DiskWriteErrors"/>).</remarks>
    /// <exception cref="OperationCanceledException"><paramref name="cancellationToken"/> was cancelled.</exception>
    /// <exception cref="ObjectDisposedException">The cache was disposed.</exception>
    public ValueTask FlushAsync(CancellationToken cancellationToken = default) => _tiers.FlushAsync(cancellationToken);
}
