namespace HybridCaching;

public sealed partial class FasterCache<TKey, TValue>
{
    /// <summary>Stores a value, whether or not the key has one.</summary>
    /// <param name="key">The key.</param>
    /// <param name="value">The value; it is copied.</param>
    /// <param name="timeToLive">
    /// How long the entry lives: more than zero, to the millisecond, no longer than until 2109; null is <see cref="FasterCacheOptions.DefaultTimeToLive"/>, <see cref="Timeout.InfiniteTimeSpan"/> is for ever.
    /// </param>
    /// <remarks>
    /// A write goes to memory. Only where that is full and the disk does not keep up the caller is blocked, no longer than <see cref="FasterCacheOptions.DiskTimeout"/>; if there is no room then, the value is dropped and counted
    /// (<see cref="CacheStatistics.DroppedWrites"/>), and the older value is removed. So it is with all members that store.
    /// </remarks>
    /// <exception cref="ArgumentOutOfRangeException"><paramref name="timeToLive"/> is zero or less.</exception>
    /// <exception cref="ObjectDisposedException">The cache was disposed.</exception>
    public void Set(TKey key, in TValue value, TimeSpan? timeToLive = null)
    {
        CheckTimeToLive(timeToLive);
        _tiers.Set(in key, in value, timeToLive);
    }

    /// <summary>As <see cref="Set"/>, on the caller's thread: it completes synchronously, and may block as that does.</summary>
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

    /// <summary>Stores a value unless the key has one that has not expired. A present value that the disk does not deliver in time counts as none.</summary>
    /// <inheritdoc cref="Set" path="/param"/>
    /// <returns>Whether the value was stored. False if the key has one, and also if there was no room for it in time (see <see cref="Set"/>).</returns>
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
    /// <param name="timeToLive">How long the entry lives from now on, also one that was there; see <see cref="Set"/>.</param>
    /// <returns>The value that was made last. It is stored, unless there was no room for it in time (see <see cref="Set"/>).</returns>
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
    /// <returns>Whether it has. False if the key is not present, or the disk did not answer within <see cref="FasterCacheOptions.DiskTimeout"/>, for which the caller is blocked at most; and if there was no room in time: then the entry is gone (see <see cref="Set"/>).</returns>
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
