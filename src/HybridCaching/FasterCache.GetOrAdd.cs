using HybridCaching.SingleFlight;

namespace HybridCaching;

public sealed partial class FasterCache<TKey, TValue>
{
    /// <summary>Looks a key up, and if it is missing makes a value and stores it. However many callers ask at once, one of them makes the value and all get it.</summary>
    /// <param name="key">The key.</param>
    /// <param name="factory">Makes the value, outside every lock. If it throws, every waiting caller gets the exception and nothing is stored. It must not ask for the same key, nor for one whose factory asks for this one: on one thread that is an exception, on several they would wait for each other for ever.</param>
    /// <param name="timeToLive">How long the new entry lives; see <see cref="Set"/>.</param>
    /// <returns>The value found or made.</returns>
    /// <remarks>If the key is set or removed while the value is being made, the value goes to those who wait for it but is not stored. A present value that the disk does not deliver in time counts as none, and is replaced.</remarks>
    /// <exception cref="ArgumentNullException"><paramref name="factory"/> is null.</exception>
    /// <exception cref="ArgumentOutOfRangeException"><paramref name="timeToLive"/> is zero or less.</exception>
    /// <exception cref="InvalidOperationException">The factory asks for the key that it makes the value of, itself or by way of another one's.</exception>
    /// <exception cref="ObjectDisposedException">The cache was disposed.</exception>
    public TValue GetOrAdd(TKey key, Func<TKey, TValue> factory, TimeSpan? timeToLive = null)
    {
        ArgumentNullException.ThrowIfNull(factory);
        CheckTimeToLive(timeToLive);
        if (TryGet(key, out var value)) return value;
        var flight = _flights.Join(key, out bool isPilot);
        if (isPilot) Fly(flight, key, factory, timeToLive);
        else if (flight.PilotThread == Environment.CurrentManagedThreadId) throw new InvalidOperationException($"A factory of cache {_tiers.Settings.Name} asks by GetOrAdd for the key that it is to make the value of.");
        return flight.Result.GetAwaiter().GetResult();
    }

    /// <summary>Looks a key up, and if it is missing makes a value and stores it. However many callers ask at once, one factory runs and all get its value.</summary>
    /// <param name="key">The key.</param>
    /// <param name="factory">
    /// Makes the value, outside every lock. Its token is cancelled once every waiting caller has given up. If it throws, all of them get the exception and nothing is stored.
    /// It must not ask for the same key, nor for one whose factory asks for this one: they would wait for each other until a token ends that.
    /// </param>
    /// <param name="timeToLive">How long the new entry lives; see <see cref="Set"/>.</param>
    /// <param name="cancellationToken">Ends this caller's wait only.</param>
    /// <returns>The value found or made. A hit in memory completes synchronously and allocates nothing.</returns>
    /// <remarks>If the key is set or removed while the value is being made, the value goes to those who wait for it but is not stored.</remarks>
    /// <exception cref="ArgumentNullException"><paramref name="factory"/> is null.</exception>
    /// <exception cref="ArgumentOutOfRangeException"><paramref name="timeToLive"/> is zero or less.</exception>
    /// <exception cref="OperationCanceledException"><paramref name="cancellationToken"/> was cancelled.</exception>
    /// <exception cref="ObjectDisposedException">The cache was disposed.</exception>
    public ValueTask<TValue> GetOrAddAsync(TKey key, Func<TKey, CancellationToken, ValueTask<TValue>> factory, TimeSpan? timeToLive = null, CancellationToken cancellationToken = default)
    {
        ArgumentNullException.ThrowIfNull(factory);
        return GetOrAddAsync(key, factory, static (k, make, token) => make(k, token), timeToLive, cancellationToken);
    }

    /// <inheritdoc cref="GetOrAddAsync(TKey, Func{TKey, CancellationToken, ValueTask{TValue}}, TimeSpan?, CancellationToken)"/>
    /// <typeparam name="TState">The type of the state.</typeparam>
    /// <param name="key">The key.</param>
    /// <param name="state">Handed to the factory, so that it need not capture anything.</param>
    /// <param name="factory">As above.</param>
    /// <param name="timeToLive">How long the new entry lives; see <see cref="Set"/>.</param>
    /// <param name="cancellationToken">Ends this caller's wait only.</param>
    public ValueTask<TValue> GetOrAddAsync<TState>(
        TKey key, TState state, Func<TKey, TState, CancellationToken, ValueTask<TValue>> factory, TimeSpan? timeToLive = null, CancellationToken cancellationToken = default)
    {
        ArgumentNullException.ThrowIfNull(factory);
        CheckTimeToLive(timeToLive);
        var read = _tiers.GetAsync(key, cancellationToken);
        if (!read.IsCompletedSuccessfully) return AwaitAndAddAsync(read, key, state, factory, timeToLive, cancellationToken);
        return read.Result is { } hit ? new ValueTask<TValue>(hit) : AddAsync(key, state, factory, timeToLive, cancellationToken);
    }

    private async ValueTask<TValue> AwaitAndAddAsync<TState>(
        ValueTask<TValue?> read, TKey key, TState state, Func<TKey, TState, CancellationToken, ValueTask<TValue>> factory, TimeSpan? timeToLive, CancellationToken cancellationToken) =>
        await read.ConfigureAwait(false) ?? await AddAsync(key, state, factory, timeToLive, cancellationToken).ConfigureAwait(false);

    private ValueTask<TValue> AddAsync<TState>(
        TKey key, TState state, Func<TKey, TState, CancellationToken, ValueTask<TValue>> factory, TimeSpan? timeToLive, CancellationToken cancellationToken)
    {
        var flight = _flights.Join(key, out bool isPilot);
        if (isPilot) _ = FlyAsync(flight, key, state, factory, timeToLive);
        return flight.WaitAsync(cancellationToken);
    }

    private void Fly(Flight<TValue> flight, TKey key, Func<TKey, TValue> factory, TimeSpan? timeToLive)
    {
        flight.PilotThread = Environment.CurrentManagedThreadId;
        TValue value = default;
        bool isMade = false;
        try
        {
            // An earlier flight may have landed between our miss and our take-off.
            isMade = _tiers.TryPeek(in key, out value);
            if (!isMade)
            {
                value = factory(key);
                isMade = true;
                _tiers.SetUnless(in key, in value, timeToLive, () => flight.IsStale);
            }

            _flights.Close(key, flight);
            flight.Land(value);
        }
        catch (ThreadInterruptedException) when (isMade)
        {
            _flights.Close(key, flight);
            flight.Land(value); // others have the value: it was not their thread
            throw;
        }
        catch (Exception e)
        {
            _flights.Close(key, flight);
            flight.Crash(e);
        }
    }

    private async Task FlyAsync<TState>(Flight<TValue> flight, TKey key, TState state, Func<TKey, TState, CancellationToken, ValueTask<TValue>> factory, TimeSpan? timeToLive)
    {
        try
        {
            var found = await _tiers.PeekAsync(key).ConfigureAwait(false);
            var value = found ?? await factory(key, state, flight.Abandoned).ConfigureAwait(false);
            if (found is null) await _tiers.SetUnlessAsync(key, value, timeToLive, () => flight.IsStale).ConfigureAwait(false);
            _flights.Close(key, flight);
            flight.Land(value);
        }
        catch (Exception e)
        {
            _flights.Close(key, flight);
            flight.Crash(e);
        }
    }
}
