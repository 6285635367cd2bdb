namespace HybridCaching;

public sealed partial class FasterCache<TKey, TValue>
{
    /// <summary>Looks a key up in memory, then on the disk.</summary>
    /// <param name="key">The key.</param>
    /// <param name="value">The value; default when there is none.</param>
    /// <returns>Whether there is one. False also when the disk did not answer within <see cref="FasterCacheOptions.DiskTimeout"/>, for which the caller is blocked at most.</returns>
    /// <exception cref="ObjectDisposedException">The cache was disposed.</exception>
    public bool TryGet(TKey key, out TValue value) => _tiers.TryGet(in key, out value);

    /// <summary>Looks a key up in memory only; never touches the disk.</summary>
    /// <param name="key">The key.</param>
    /// <param name="value">The value; default when memory holds none.</param>
    /// <returns>Whether memory holds one.</returns>
    /// <exception cref="ObjectDisposedException">The cache was disposed.</exception>
    public bool TryGetFromMemory(TKey key, out TValue value) => _tiers.TryGetFromMemory(in key, out value);

    /// <summary>Looks a key up in memory, then on the disk, without blocking a thread. Completes synchronously, and without allocating, unless the disk is needed.</summary>
    /// <param name="key">The key.</param>
    /// <param name="cancellationToken">Can end the wait for the disk before <see cref="FasterCacheOptions.DiskTimeout"/> does.</param>
    /// <returns>The value, or null for a miss.</returns>
    /// <exception cref="OperationCanceledException"><paramref name="cancellationToken"/> was cancelled.</exception>
    /// <exception cref="ObjectDisposedException">The cache was disposed.</exception>
    public ValueTask<TValue?> GetAsync(TKey key, CancellationToken cancellationToken = default) => _tiers.GetAsync(key, cancellationToken);

    /// <summary>Whether a read of the key would hit. Does not count as a read; looks at the disk if need be.</summary>
    /// <param name="key">The key.</param>
    /// <returns>Whether it would. False also when the disk did not answer within <see cref="FasterCacheOptions.DiskTimeout"/>, for which the caller is blocked at most.</returns>
    /// <exception cref="ObjectDisposedException">The cache was disposed.</exception>
    public bool ContainsKey(TKey key) => _tiers.Contains(in key);
}
