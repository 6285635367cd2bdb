using System.Buffers;
using HybridCaching.Records;
using Microsoft.Extensions.Caching.Distributed;

namespace HybridCaching;

public sealed partial class FasterDistributedCache
{
    /// <summary>Stores a value. It replaces the older one and all of its expiration.</summary>
    /// <param name="key">The key.</param>
    /// <param name="value">The value; copied.</param>
    /// <param name="options">
    /// When it expires. Without anything said, <see cref="FasterCacheOptions.DefaultTimeToLive"/> and <see cref="FasterDistributedCacheOptions.DefaultSlidingExpiration"/> apply; if anything is said, neither does. Of a relative and an absolute
    /// expiration the relative one counts. One that slides is prolonged by reads, once an eighth of its time has passed.
    /// </param>
    /// <exception cref="ArgumentNullException">An argument is null.</exception>
    /// <exception cref="ArgumentOutOfRangeException">The absolute expiration is in the past.</exception>
    /// <exception cref="ObjectDisposedException">The cache was disposed.</exception>
    /// <remarks>
    /// A write goes to memory. Only where that is full and the disk does not keep up the caller is blocked, no longer than <see cref="FasterCacheOptions.DiskTimeout"/>. What is too large, or finds no room in that time, is dropped and
    /// counted (<see cref="CacheStatistics.DroppedWrites"/>), and the older value is removed.
    /// </remarks>
    public void Set(string key, byte[] value, DistributedCacheEntryOptions options)
    {
        ArgumentNullException.ThrowIfNull(key);
        ArgumentNullException.ThrowIfNull(value);
        Set(key, new ReadOnlySequence<byte>(value), options);
    }

    /// <inheritdoc cref="Set(string, byte[], DistributedCacheEntryOptions)"/>
    /// <param name="key">The key.</param>
    /// <param name="value">The value; copied.</param>
    /// <param name="options">When it expires.</param>
    /// <param name="token">Looked at before anything is done.</param>
    /// <exception cref="OperationCanceledException"><paramref name="token"/> was cancelled.</exception>
    public Task SetAsync(string key, byte[] value, DistributedCacheEntryOptions options, CancellationToken token = default)
    {
        ArgumentNullException.ThrowIfNull(key);
        ArgumentNullException.ThrowIfNull(value);
        return TrySet(key, new ReadOnlySequence<byte>(value), options, token) ? Task.CompletedTask : Task.FromCanceled(token);
    }

    /// <inheritdoc cref="Set(string, byte[], DistributedCacheEntryOptions)"/>
    public void Set(string key, ReadOnlySequence<byte> value, DistributedCacheEntryOptions options)
    {
        ArgumentNullException.ThrowIfNull(key);
        TrySet(key, value, options, CancellationToken.None);
    }

    /// <inheritdoc cref="SetAsync(string, byte[], DistributedCacheEntryOptions, CancellationToken)"/>
    public ValueTask SetAsync(string key, ReadOnlySequence<byte> value, DistributedCacheEntryOptions options, CancellationToken token = default)
    {
        ArgumentNullException.ThrowIfNull(key);
        return TrySet(key, value, options, token) ? ValueTask.CompletedTask : ValueTask.FromCanceled(token);
    }

    /// <summary>Prolongs the life of an entry whose expiration slides; does nothing for others. Blocks the caller if the entry is on the disk.</summary>
    /// <param name="key">The key.</param>
    /// <exception cref="ArgumentNullException"><paramref name="key"/> is null.</exception>
    /// <exception cref="ObjectDisposedException">The cache was disposed.</exception>
    public void Refresh(string key)
    {
        ArgumentNullException.ThrowIfNull(key);
        _tiers.RefreshAsync(key, isAsync: false, CancellationToken.None).GetAwaiter().GetResult();
    }

    /// <summary>Prolongs the life of an entry whose expiration slides; does nothing for others.</summary>
    /// <param name="key">The key.</param>
    /// <param name="token">Ends the wait for the disk.</param>
    /// <exception cref="ArgumentNullException"><paramref name="key"/> is null.</exception>
    /// <exception cref="OperationCanceledException"><paramref name="token"/> was cancelled.</exception>
    /// <exception cref="ObjectDisposedException">The cache was disposed.</exception>
    public Task RefreshAsync(string key, CancellationToken token = default)
    {
        ArgumentNullException.ThrowIfNull(key);
        if (token.IsCancellationRequested) return Task.FromCanceled(token);
        return _tiers.RefreshAsync(key, isAsync: true, token).AsTask();
    }

    /// <summary>Stores a value unless the call was cancelled before; errors of the arguments come first.</summary>
    private bool TrySet(string key, in ReadOnlySequence<byte> value, DistributedCacheEntryOptions options, CancellationToken token)
    {
        ArgumentNullException.ThrowIfNull(options);
        long now = _clock.GetUtcNow().UtcTicks;
        var lifetime = LifetimeOf(options, now);
        if (token.IsCancellationRequested) return false;
        _tiers.Set(key, in value, lifetime, now);
        return true;
    }

    /// <summary>When an entry expires that is stored now.</summary>
    private Lifetime LifetimeOf(DistributedCacheEntryOptions options, long now)
    {
        if (options.AbsoluteExpiration is { } absolute && absolute.UtcTicks <= now)
            throw new ArgumentOutOfRangeException(nameof(options.AbsoluteExpiration), absolute, "The absolute expiration value must be in the future.");
        if (options is { AbsoluteExpiration: null, AbsoluteExpirationRelativeToNow: null, SlidingExpiration: null }) return LifetimeOf(_defaultTimeToLive, null, _defaultSliding, now);
        return LifetimeOf(options.AbsoluteExpirationRelativeToNow, options.AbsoluteExpiration, options.SlidingExpiration, now);
    }

    private static Lifetime LifetimeOf(TimeSpan? relative, DateTimeOffset? absolute, TimeSpan? sliding, long now) =>
        Lifetime.From(now, relative is { } lifetime ? Lifetime.After(now, lifetime.Ticks) : absolute?.UtcTicks ?? 0, sliding?.Ticks ?? 0);
}
