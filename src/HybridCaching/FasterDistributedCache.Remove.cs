namespace HybridCaching;

public sealed partial class FasterDistributedCache
{
    /// <summary>Removes a key. It stays removed, whatever the disk does.</summary>
    /// <param name="key">The key.</param>
    /// <exception cref="ArgumentNullException"><paramref name="key"/> is null.</exception>
    /// <exception cref="ObjectDisposedException">The cache was disposed.</exception>
    public void Remove(string key)
    {
        ArgumentNullException.ThrowIfNull(key);
        _tiers.Remove(key);
    }

    /// <inheritdoc cref="Remove"/>
    /// <param name="key">The key.</param>
    /// <param name="token">Looked at before anything is done.</param>
    /// <exception cref="OperationCanceledException"><paramref name="token"/> was cancelled.</exception>
    public Task RemoveAsync(string key, CancellationToken token = default)
    {
        ArgumentNullException.ThrowIfNull(key);
        if (token.IsCancellationRequested) return Task.FromCanceled(token);
        _tiers.Remove(key);
        return Task.CompletedTask;
    }

    /// <summary>Removes all entries whose keys begin alike. Walks all keys; entries stored while it runs may stay.</summary>
    /// <param name="prefix">How the keys begin; "" for all of them.</param>
    /// <param name="cancellationToken">Ends the removal half-way.</param>
    /// <returns>How many there were.</returns>
    /// <exception cref="ArgumentNullException"><paramref name="prefix"/> is null.</exception>
    /// <exception cref="OperationCanceledException"><paramref name="cancellationToken"/> was cancelled.</exception>
    /// <exception cref="ObjectDisposedException">The cache was disposed.</exception>
    public ValueTask<long> RemoveByPrefixAsync(string prefix, CancellationToken cancellationToken = default)
    {
        ArgumentNullException.ThrowIfNull(prefix);
        return cancellationToken.IsCancellationRequested ? ValueTask.FromCanceled<long>(cancellationToken) : _tiers.RemoveByPrefixAsync(prefix, cancellationToken);
    }

    /// <summary>Removes every entry stored before the call. Takes no longer for a large cache than for a small one; the space is freed in the background.</summary>
    /// <exception cref="ObjectDisposedException">The cache was disposed.</exception>
    public void Clear() => _tiers.Clear();

    /// <inheritdoc cref="Clear"/>
    /// <param name="cancellationToken">Looked at before anything is done.</param>
    /// <exception cref="OperationCanceledException"><paramref name="cancellationToken"/> was cancelled.</exception>
    public ValueTask ClearAsync(CancellationToken cancellationToken = default)
    {
        if (cancellationToken.IsCancellationRequested) return ValueTask.FromCanceled(cancellationToken);
        _tiers.Clear();
        return ValueTask.CompletedTask;
    }

    /// <summary>Writes everything stored so far to the disk and waits until it is there. Without a <see cref="FasterCacheOptions.Directory"/> there is nothing to do.</summary>
    /// <param name="cancellationToken">Ends the wait, not the writing.</param>
    /// <remarks>A disk that fails is no exception here either: what it did not take is missing, and counted (<see cref="CacheStatistics.DiskWriteErrors"/>).</remarks>
    /// <exception cref="OperationCanceledException"><paramref name="cancellationToken"/> was cancelled.</exception>
    /// <exception cref="ObjectDisposedException">The cache was disposed.</exception>
    public ValueTask FlushAsync(CancellationToken cancellationToken = default) => _tiers.FlushAsync(cancellationToken);
}
