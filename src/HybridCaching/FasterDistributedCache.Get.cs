using System.Buffers;
using HybridCaching.Records;
using HybridCaching.Tiering;

namespace HybridCaching;

public sealed partial class FasterDistributedCache
{
    /// <summary>Reads a value, and prolongs its life if its expiration slides. Blocks the caller on a disk hit.</summary>
    /// <param name="key">The key.</param>
    /// <returns>A copy of the value, the caller's own; null if there is none.</returns>
    /// <exception cref="ArgumentNullException"><paramref name="key"/> is null.</exception>
    /// <exception cref="ObjectDisposedException">The cache was disposed.</exception>
    public byte[]? Get(string key)
    {
        ArgumentNullException.ThrowIfNull(key);
        if (IsTooLong(key)) return CountTooLong<byte[]?>(null);
        var array = default(ArrayDestination);
        return _tiers.TryRead(key, ref array) ? array.Bytes : null;
    }

    /// <summary>Reads a value, and prolongs its life if its expiration slides. Completes synchronously on a memory hit.</summary>
    /// <param name="key">The key.</param>
    /// <param name="token">Can end the wait for the disk before <see cref="FasterCacheOptions.DiskTimeout"/> does; with one that can be cancelled, that counts for each answer to a value in pieces.</param>
    /// <returns>A copy of the value, the caller's own; null if there is none.</returns>
    /// <exception cref="ArgumentNullException"><paramref name="key"/> is null.</exception>
    /// <exception cref="OperationCanceledException"><paramref name="token"/> was cancelled.</exception>
    /// <exception cref="ObjectDisposedException">The cache was disposed.</exception>
    public Task<byte[]?> GetAsync(string key, CancellationToken token = default)
    {
        ArgumentNullException.ThrowIfNull(key);
        if (token.IsCancellationRequested) return Task.FromCanceled<byte[]?>(token);
        if (IsTooLong(key)) return CountTooLong(Task.FromResult<byte[]?>(null));
        var array = default(ArrayDestination);
        var reading = _tiers.ReadAsync(key, ref array, token);
        if (!reading.IsCompletedSuccessfully) return WaitAsync(reading);
        var read = reading.Result;
        return Task.FromResult(read.IsHit ? read.Buffer.Array ?? array.Bytes : null);

        static async Task<byte[]?> WaitAsync(ValueTask<BytesRead> reading)
        {
            var read = await reading.ConfigureAwait(false);
            return read.IsHit ? read.Buffer.Array : null;
        }
    }

    /// <summary>Reads a value into a buffer, and prolongs its life if its expiration slides. Blocks the caller on a disk hit.</summary>
    /// <param name="key">The key.</param>
    /// <param name="destination">Where the value goes; nothing is written without one. What it throws reaches the caller.</param>
    /// <returns>Whether there is a value.</returns>
    /// <exception cref="ArgumentNullException"><paramref name="key"/> or <paramref name="destination"/> is null.</exception>
    /// <exception cref="ObjectDisposedException">The cache was disposed.</exception>
    public bool TryGet(string key, IBufferWriter<byte> destination)
    {
        ArgumentNullException.ThrowIfNull(key);
        ArgumentNullException.ThrowIfNull(destination);
        if (IsTooLong(key)) return CountTooLong(false);
        var writer = new WriterDestination(destination);
        return _tiers.TryRead(key, ref writer);
    }

    /// <summary>Reads a value into a buffer, and prolongs its life if its expiration slides. Completes synchronously on a memory hit.</summary>
    /// <param name="key">The key.</param>
    /// <param name="destination">Where the value goes; nothing is written without one, nor after the call has ended. What it throws reaches the caller.</param>
    /// <param name="token">Can end the wait for the disk before <see cref="FasterCacheOptions.DiskTimeout"/> does; with one that can be cancelled, that counts for each answer to a value in pieces.</param>
    /// <returns>Whether there is a value.</returns>
    /// <exception cref="ArgumentNullException"><paramref name="key"/> or <paramref name="destination"/> is null.</exception>
    /// <exception cref="OperationCanceledException"><paramref name="token"/> was cancelled.</exception>
    /// <exception cref="ObjectDisposedException">The cache was disposed.</exception>
    public ValueTask<bool> TryGetAsync(string key, IBufferWriter<byte> destination, CancellationToken token = default)
    {
        ArgumentNullException.ThrowIfNull(key);
        ArgumentNullException.ThrowIfNull(destination);
        if (token.IsCancellationRequested) return ValueTask.FromCanceled<bool>(token);
        if (IsTooLong(key)) return CountTooLong(new ValueTask<bool>(false));
        var writer = new WriterDestination(destination);
        var reading = _tiers.ReadAsync(key, ref writer, token);
        if (!reading.IsCompletedSuccessfully) return WaitAsync(reading, writer);
        var read = reading.Result;
        return new ValueTask<bool>(Accept(ref read, writer));

        static async ValueTask<bool> WaitAsync(ValueTask<BytesRead> reading, WriterDestination writer)
        {
            var read = await reading.ConfigureAwait(false);
            return Accept(ref read, writer);
        }

        static bool Accept(ref BytesRead read, WriterDestination writer)
        {
            if (!read.IsHit || read.Buffer.IsFilled) writer.Accept(ref read); // a hit of the hot tier is there already
            return read.IsHit;
        }
    }

    /// <summary>Reads a value into memory of the caller, and prolongs its life if its expiration slides. Blocks the caller on a disk hit.</summary>
    /// <param name="key">The key.</param>
    /// <param name="destination">Where the value goes. Nothing is copied if it is too short: call again with room for <paramref name="length"/> bytes.</param>
    /// <param name="length">Bytes of the value; 0 if there is none.</param>
    /// <returns>Whether there is a value, long or short.</returns>
    /// <exception cref="ArgumentNullException"><paramref name="key"/> is null.</exception>
    /// <exception cref="ObjectDisposedException">The cache was disposed.</exception>
    public unsafe bool TryGet(string key, Span<byte> destination, out int length)
    {
        ArgumentNullException.ThrowIfNull(key);
        fixed (byte* memory = destination)
        {
            var read = new BytesRead(ValueBuffer.At(memory, destination.Length));
            Read(key, ref read);
            length = read.IsHit ? read.Length : 0;
            if (read.IsHit && read.Found.Header.IsSliding && !read.HasStored) Refresh(key); // too short: who prolongs its life may need the value
            return read.IsHit;
        }
    }

    /// <summary>Tells what is known of an entry without reading its value. Prolongs nothing and is not counted as a read. Blocks the caller if the entry is on the disk.</summary>
    /// <param name="key">The key.</param>
    /// <param name="info">What is known.</param>
    /// <returns>Whether there is an entry.</returns>
    /// <exception cref="ArgumentNullException"><paramref name="key"/> is null.</exception>
    /// <exception cref="ObjectDisposedException">The cache was disposed.</exception>
    public bool TryGetEntryInfo(string key, out CacheEntryInfo info)
    {
        ArgumentNullException.ThrowIfNull(key);
        info = default;
        var read = new BytesRead(ValueBuffer.None, isQuiet: true);
        Read(key, ref read);
        if (!read.IsHit) return false;
        long now = _clock.GetUtcNow().UtcTicks;
        var header = read.Found.Header;
        info = new CacheEntryInfo
        {
            Tier = read.IsFromDisk ? CacheTier.Disk : CacheTier.Memory,
            Length = read.Length,
            Age = header.Age(now),
            TimeLeft = header.Deadline == 0 ? null : TimeSpan.FromTicks(Math.Max(0, header.Deadline - now)),
        };
        return true;
    }

    /// <summary>Reads many values; those on the disk are read side by side.</summary>
    /// <param name="keys">The keys. Repeated ones are read once.</param>
    /// <param name="cancellationToken">Ends the wait for the disk. A call without one waits no longer than <see cref="FasterCacheOptions.DiskTimeout"/> for 32 of those on the disk.</param>
    /// <returns>The values that there are, under their keys.</returns>
    /// <exception cref="ArgumentNullException"><paramref name="keys"/> or one of them is null.</exception>
    /// <exception cref="OperationCanceledException"><paramref name="cancellationToken"/> was cancelled.</exception>
    /// <exception cref="ObjectDisposedException">The cache was disposed.</exception>
    public async ValueTask<IReadOnlyDictionary<string, byte[]>> GetManyAsync(IEnumerable<string> keys, CancellationToken cancellationToken = default)
    {
        ArgumentNullException.ThrowIfNull(keys);
        string[] distinct = [.. keys.Distinct(StringComparer.Ordinal)];
        if (distinct.Contains(null!)) throw new ArgumentNullException(nameof(keys), "One of the keys is null.");
        cancellationToken.ThrowIfCancellationRequested();
        _tiers.ThrowIfDisposed();
        string[] storable = Array.FindAll(distinct, key => !IsTooLong(key));
        for (int i = storable.Length; i < distinct.Length; i++) _tiers.CountMiss();
        byte[]?[] found = await _tiers.ReadManyAsync(storable, cancellationToken).ConfigureAwait(false);
        var values = new Dictionary<string, byte[]>(StringComparer.Ordinal);
        for (int i = 0; i < storable.Length; i++)
        {
            if (found[i] is { } value) values.Add(storable[i], value);
        }

        return values;
    }

    private void Read(string key, ref BytesRead read)
    {
        if (!IsTooLong(key)) _tiers.Read(key, ref read);
        else if (!read.IsQuiet) read.State = CountTooLong(BytesReadState.Miss);
        else _tiers.ThrowIfDisposed();
    }

    /// <summary>Counts a read of a key that is too long to be stored.</summary>
    private T CountTooLong<T>(T result)
    {
        _tiers.CountMiss();
        return result;
    }
}
