namespace HybridCaching;

public sealed partial class FasterCache<TKey, TValue>
{
    /// <summary>Looks many keys up at once, faster than one by one: memory accesses and reads of the disk overlap.</summary>
    /// <param name="keys">The keys; one may occur more than once.</param>
    /// <param name="values">Receives the value of each key found; default for the others. At least as long as <paramref name="keys"/>.</param>
    /// <param name="found">Receives whether each key was found. At least as long as <paramref name="keys"/>.</param>
    /// <returns>How many keys were found.</returns>
    /// <remarks>Each key is looked up as by <see cref="TryGet"/>; all of them are not one atomic read. The caller is blocked while the disk is read, at most <see cref="FasterCacheOptions.DiskTimeout"/> per 32 keys.</remarks>
    /// <exception cref="ArgumentException"><paramref name="values"/> or <paramref name="found"/> is shorter than <paramref name="keys"/>.</exception>
    /// <exception cref="ObjectDisposedException">The cache was disposed.</exception>
    public int GetMany(ReadOnlySpan<TKey> keys, Span<TValue> values, Span<bool> found)
    {
        CheckLength(keys.Length, values.Length, nameof(values));
        CheckLength(keys.Length, found.Length, nameof(found));
        return _tiers.GetMany(keys, values, found);
    }

    /// <summary>As <see cref="GetMany"/>, without blocking a thread. Completes synchronously, and without allocating, unless the disk is needed.</summary>
    /// <param name="keys">The keys.</param>
    /// <param name="values">Receives the values. Memory that can be pinned, as arrays are and what is outside the heap.</param>
    /// <param name="found">Receives whether each key was found; likewise.</param>
    /// <param name="cancellationToken">Ends the wait for the disk; without one it ends after <see cref="FasterCacheOptions.DiskTimeout"/> per 32 keys.</param>
    /// <returns>How many keys were found.</returns>
    /// <exception cref="ArgumentException"><paramref name="values"/> or <paramref name="found"/> is shorter than <paramref name="keys"/>.</exception>
    /// <exception cref="OperationCanceledException"><paramref name="cancellationToken"/> was cancelled; what was read until then is in the buffers.</exception>
    /// <exception cref="ObjectDisposedException">The cache was disposed.</exception>
    public ValueTask<int> GetManyAsync(ReadOnlyMemory<TKey> keys, Memory<TValue> values, Memory<bool> found, CancellationToken cancellationToken = default)
    {
        CheckLength(keys.Length, values.Length, nameof(values));
        CheckLength(keys.Length, found.Length, nameof(found));
        return _tiers.GetManyAsync(keys, values, found, cancellationToken);
    }

    /// <summary>Stores many values at once, faster than one by one. Each is stored as by <see cref="Set"/>; all of them are not one atomic write.</summary>
    /// <param name="keys">The keys; of one that occurs more than once the last value stays.</param>
    /// <param name="values">The value of each key. As long as <paramref name="keys"/>.</param>
    /// <param name="timeToLive">How long the entries live; see <see cref="Set"/>.</param>
    /// <exception cref="ArgumentException"><paramref name="values"/> is not as long as <paramref name="keys"/>.</exception>
    /// <exception cref="ArgumentOutOfRangeException"><paramref name="timeToLive"/> is zero or less.</exception>
    /// <exception cref="ObjectDisposedException">The cache was disposed.</exception>
    public void SetMany(ReadOnlySpan<TKey> keys, ReadOnlySpan<TValue> values, TimeSpan? timeToLive = null)
    {
        CheckTimeToLive(timeToLive);
        if (values.Length != keys.Length) throw new ArgumentException($"There are {keys.Length} keys and {values.Length} values.", nameof(values));
        _tiers.SetMany(keys, values, timeToLive);
    }

    /// <summary>All entries, in no particular order, while others go on reading and writing.</summary>
    /// <param name="cancellationToken">Ends the enumeration.</param>
    /// <remarks>
    /// Weakly consistent: every entry that is alive throughout is returned at least once, perhaps more often if it is stored again meanwhile; one that comes, goes or changes meanwhile (also by <see cref="Touch"/>) may be returned or not,
    /// with a value it had at some moment in between. Reads the whole log on the disk once, waits for it as long as it takes, and does not count as reads of the entries.
    /// </remarks>
    /// <exception cref="OperationCanceledException"><paramref name="cancellationToken"/> was cancelled.</exception>
    /// <exception cref="ObjectDisposedException">The cache was disposed.</exception>
    public IAsyncEnumerable<KeyValuePair<TKey, TValue>> EnumerateAsync(CancellationToken cancellationToken = default) => _tiers.EnumerateAsync(cancellationToken);

    private static void CheckLength(int keys, int length, string parameter)
    {
        if (length < keys) throw new ArgumentException($"It has room for {length} of {keys} keys.", parameter);
    }
}
