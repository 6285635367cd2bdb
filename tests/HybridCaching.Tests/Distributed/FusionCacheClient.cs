using System.Buffers.Binary;
using System.Collections.Concurrent;
using System.Text;
using Microsoft.Extensions.Caching.Distributed;

namespace HybridCaching.Tests.Distributed;

/// <summary>
/// Makes the calls that FusionCache makes of its second level, synchronous and asynchronous ones, and no others: with fail-safe, so that entries live longer than they are good for;
/// with soft timeouts, so that calls are abandoned; and with a circuit breaker, which any exception opens. It has no first level, so that every read arrives.
/// </summary>
/// <param name="cache">The second level.</param>
/// <param name="clock">The clock of both.</param>
internal sealed class FusionCacheClient(IDistributedCache cache, TimeProvider clock)
{
    private const string KeyPrefix = "v2:";
    private const string TagPrefix = "__fc:t:";
    private const string ClearTag = "!";
    private const int HeaderBytes = 20;

    public static readonly TimeSpan FailSafeMaxDuration = TimeSpan.FromDays(1);

    private static readonly TimeSpan TagDuration = TimeSpan.FromDays(10);
    private static readonly TimeSpan CircuitBreakerDuration = TimeSpan.FromMinutes(1);

    private readonly ConcurrentQueue<Task> _abandoned = new();
    private long _openUntilTicks;

    /// <summary>What has opened the circuit breaker.</summary>
    public ConcurrentQueue<Exception> Failures { get; } = new();

    public bool IsCircuitClosed => clock.GetUtcNow().UtcTicks >= Volatile.Read(ref _openUntilTicks);

    public int Abandoned => _abandoned.Count;

    /// <summary>The value, or null; a value that is no longer good is given if it is asked for.</summary>
    public byte[]? Get(string key, bool allowStale = false)
    {
        byte[]? payload = null;
        Guard(() => payload = cache.Get(KeyPrefix + key));
        if (!TryParse(payload, allowStale, out long created, out string[] tags, out byte[] value)) return null;
        foreach (string tag in tags.Append(ClearTag))
        {
            byte[]? marker = null;
            Guard(() => marker = cache.Get(KeyPrefix + TagPrefix + tag));
            if (TryParse(marker, allowStale: true, out long removed, out _, out _) && created <= removed) return null;
        }

        return value;
    }

    /// <inheritdoc cref="Get"/>
    public async Task<byte[]?> GetAsync(string key, bool allowStale = false, CancellationToken token = default)
    {
        byte[]? payload = null;
        await GuardAsync(async () => payload = await cache.GetAsync(KeyPrefix + key, token), token);
        if (!TryParse(payload, allowStale, out long created, out string[] tags, out byte[] value)) return null;
        foreach (string tag in tags.Append(ClearTag))
        {
            byte[]? marker = null;
            await GuardAsync(async () => marker = await cache.GetAsync(KeyPrefix + TagPrefix + tag, token), token);
            if (TryParse(marker, allowStale: true, out long removed, out _, out _) && created <= removed) return null;
        }

        return value;
    }

    public void Set(string key, byte[] value, TimeSpan duration, params string[] tags) =>
        Guard(() => cache.Set(KeyPrefix + key, Frame(duration, tags, value), LongerThan(duration)));

    public Task SetAsync(string key, byte[] value, TimeSpan duration, string[]? tags = null, CancellationToken token = default) =>
        GuardAsync(() => cache.SetAsync(KeyPrefix + key, Frame(duration, tags ?? [], value), LongerThan(duration), token), token);

    public void Remove(string key) => Guard(() => cache.Remove(KeyPrefix + key));

    public Task RemoveAsync(string key, CancellationToken token = default) => GuardAsync(() => cache.RemoveAsync(KeyPrefix + key, token), token);

    public void RemoveByTag(string tag) => Set(TagPrefix + tag, [], TagDuration);

    public Task RemoveByTagAsync(string tag) => SetAsync(TagPrefix + tag, [], TagDuration);

    public Task ClearAsync() => RemoveByTagAsync(ClearTag);

    /// <summary>Begins a read and waits for it no longer than it takes to begin it: then its token is cancelled and nobody waits for it.</summary>
    public void GetAndAbandon(string key)
    {
        var timeout = new CancellationTokenSource();
        Abandon(cache.GetAsync(KeyPrefix + key, timeout.Token), timeout);
    }

    /// <summary>Begins a write, cancels its token and does not wait for it.</summary>
    public void SetAndAbandon(string key, byte[] value, TimeSpan duration)
    {
        var timeout = new CancellationTokenSource();
        Abandon(cache.SetAsync(KeyPrefix + key, Frame(duration, [], value), LongerThan(duration), timeout.Token), timeout);
    }

    /// <summary>Waits until all that was abandoned has ended, and returns what failed otherwise than by its own cancellation.</summary>
    public async Task<List<Exception>> EndOfAbandonedAsync()
    {
        var failures = new List<Exception>();
        while (_abandoned.TryDequeue(out var task))
        {
            try
            {
                await task.WaitAsync(Support.Until.Deadline);
            }
            catch (OperationCanceledException)
            {
                // That is what its token asked for.
            }
            catch (Exception e)
            {
                failures.Add(e);
            }
        }

        return failures;
    }

    private void Abandon(Task task, CancellationTokenSource timeout)
    {
        timeout.Cancel();
        _abandoned.Enqueue(task);
    }

    private void Guard(Action call)
    {
        if (!IsCircuitClosed) return;
        try
        {
            call();
        }
        catch (Exception e)
        {
            Open(e);
        }
    }

    private async Task GuardAsync(Func<Task> call, CancellationToken token)
    {
        if (!IsCircuitClosed) return;
        try
        {
            await call();
        }
        catch (OperationCanceledException) when (token.IsCancellationRequested)
        {
            throw;
        }
        catch (Exception e)
        {
            Open(e);
        }
    }

    private void Open(Exception e)
    {
        Failures.Enqueue(e);
        Volatile.Write(ref _openUntilTicks, (clock.GetUtcNow() + CircuitBreakerDuration).UtcTicks);
    }

    /// <summary>Entries are kept as long as fail-safe may need them.</summary>
    private DistributedCacheEntryOptions LongerThan(TimeSpan duration) =>
        new() { AbsoluteExpiration = clock.GetUtcNow() + (duration > FailSafeMaxDuration ? duration : FailSafeMaxDuration) };

    private byte[] Frame(TimeSpan duration, string[] tags, byte[] value)
    {
        long now = clock.GetUtcNow().UtcTicks;
        byte[] tagBytes = Encoding.UTF8.GetBytes(string.Join('\n', tags));
        byte[] payload = new byte[HeaderBytes + tagBytes.Length + value.Length];
        BinaryPrimitives.WriteInt64LittleEndian(payload, now);
        BinaryPrimitives.WriteInt64LittleEndian(payload.AsSpan(8), now + duration.Ticks);
        BinaryPrimitives.WriteInt32LittleEndian(payload.AsSpan(16), tagBytes.Length);
        tagBytes.CopyTo(payload, HeaderBytes);
        value.CopyTo(payload, HeaderBytes + tagBytes.Length);
        return payload;
    }

    /// <summary>A payload that cannot be read is an exception, as that of a serializer, and opens the circuit breaker.</summary>
    private bool TryParse(byte[]? payload, bool allowStale, out long created, out string[] tags, out byte[] value)
    {
        (created, tags, value) = (0, [], []);
        if (payload is null) return false;
        try
        {
            created = BinaryPrimitives.ReadInt64LittleEndian(payload);
            if (!allowStale && clock.GetUtcNow().UtcTicks >= BinaryPrimitives.ReadInt64LittleEndian(payload.AsSpan(8))) return false;
            int tagBytes = BinaryPrimitives.ReadInt32LittleEndian(payload.AsSpan(16));
            tags = Encoding.UTF8.GetString(payload, HeaderBytes, tagBytes).Split('\n', StringSplitOptions.RemoveEmptyEntries);
            value = payload[(HeaderBytes + tagBytes)..];
            return true;
        }
        catch (ArgumentException e)
        {
            Open(e);
            return false;
        }
    }
}
