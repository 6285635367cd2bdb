namespace HybridCaching;

public sealed partial class FasterCache<TKey, TValue>
{
    /// <summary>Stores a value, whether or not the key has one.</summary>
    /// <param name="key">The key.</param>
    /// <param name="value">The value; it is copied.</param>
    /// <param name="timeToLive">
    /// How long the entry lives: more than zero, to the millisecond; null is <see cref="FasterCacheOptions.DefaultTimeToLive"/>, <see cref="Timeout.InfiniteTimeSpan"/> is for ever.
    /// </param>
    /// <exception cref="ArgumentOutOfRangeException"><paramref name="timeToLive"/> is zero or less.</exception>
    /// <exception cref="ObjectDisposedException">The cache was disposed.</exception>
    public void Set(TKey key, in TValue value, TimeSpan? timeToLive = null)
    {
        CheckTimeToLive(timeToLive);
        _tiers.Set(in key, in value, timeToLive);
    }

    /// <summary>As <see cref="Set"/>. Completes synchronously: a write goes to memory.</summary>
    /// <param name="key">The key.</param>
    /// <param name="value">The value; it is copied.</param>
    /// <param name="timeToLive">How long the entry lives; see <see cref="Set"/>.</param>
    /// <param name="cancellationToken">Looked at before the value is stored.</param>
    /// <exception cref="ArgumentOutOfRangeException"><paramref name="timeToLive"/> is zero or less.</exception>
    /// <exception cref="OperationCanceledException"><paramref name="cancellationToken"/> was cancelled.</exception>
    /// <exception cref="ObjectDisposedException">The cache was disposed.</exception>
    public ValueTask SetAsync(TKey key, TValue value, TimeSpan? timeToLive = null, CancellationToken cancellationToken = default)
    {
        CheckTimeToLive(timeToLive);
        if (cancellationToken.IsCancellationRequested) return ValueTask.FromCanceled(cancellationToken);
        Set(key, in value, timeToLive);
        return ValueTask.CompletedTask;
    }

    /// <summary>Stores a value unless the key has one that has not expired.</summary>
    /// <inheritdoc cref="Set" path="/param"/>
    /// <returns>Whether the value was stored.</returns>
    /// <exception cref="ArgumentOutOfRangeException"><paramref name="timeToLive"/> is zero or less.</exception>
    /// <exception cref="ObjectDisposedException">The cache was disposed.</exception>
    public bool TryAdd(TKey key, in TValue value, TimeSpan? timeToLive = null)
    {
        CheckTimeToLive(timeToLive);
        return _tiers.TryAdd(in key, in value, timeToLive);
    }

    /// <summary>Stores a value that depends on whether the key has one, and which.</summary>
    /// <param name="key">The key.</param>
    /// <param name="add">Makes the value of a key that has none.</param>
    /// <param name="update">Makes the new value from the present one.</param>
    /// <param name="timeToLive">How long the entry lives; see <see cref="Set"/>.</param>
    /// <returns>The value stored.</returns>
    /// <remarks>
    /// The delegates run outside every lock and perhaps more than once, as in <see cref="System.Collections.Concurrent.ConcurrentDictionary{TKey, TValue}"/>; only the result of the last run is stored,
    /// and no update by another thread gets lost in between. A present value that the disk does not deliver in time counts as none.
    /// </remarks>
    /// <exception cref="ArgumentNullException">A delegate is null.</exception>
    /// <exception cref="ArgumentOutOfRangeException"><paramref name="timeToLive"/> is zero or less.</exception>
    /// <exception cref="ObjectDisposedException">The cache was disposed.</exception>
    public TValue AddOrUpdate(TKey key, Func<TKey, TValue> add, Func<TKey, TValue, TValue> update, TimeSpan? timeToLive = null)
    {
        ArgumentNullException.ThrowIfNull(add);
        ArgumentNullException.ThrowIfNull(update);
        CheckTimeToLive(timeToLive);
        return _tiers.AddOrUpdate(in key, add, update, timeToLive);
    }

    /// <summary>Gives a present entry another time to live, counted from now.</summary>
    /// <param name="key">The key.</param>
    /// <param name="timeToLive">More than zero, to the millisecond; <see cref="Timeout.InfiniteTimeSpan"/> is for ever.</param>
    /// <returns>Whether the key was present.</returns>
    /// <exception cref="ArgumentOutOfRangeException"><paramref name="timeToLive"/> is zero or less.</exception>
    /// <exception cref="ObjectDisposedException">The cache was disposed.</exception>
    public bool Touch(TKey key, TimeSpan timeToLive)
    {
        CheckTimeToLive(timeToLive);
        return _tiers.Touch(in key, timeToLive);
    }

    private static void CheckTimeToLive(TimeSpan? timeToLive)
    {
        if (timeToLive is { } lifetime && lifetime <= TimeSpan.Zero && lifetime != Timeout.InfiniteTimeSpan)
            throw new ArgumentOutOfRangeException(nameof(timeToLive), lifetime, "The time to live must be more than zero, null for the default, or Timeout.InfiniteTimeSpan for ever.");
    }
}
