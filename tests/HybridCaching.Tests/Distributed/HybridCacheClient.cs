using System.Buffers;
using System.Buffers.Binary;
using System.Collections.Concurrent;
using System.Text;
using Microsoft.Extensions.Caching.Distributed;

namespace HybridCaching.Tests.Distributed;

/// <summary>Makes the calls that Microsoft's HybridCache makes of its second level, and no others. It has no first level, so that every read arrives.</summary>
internal sealed class HybridCacheClient
{
    private const string TagPrefix = "__MSFT_HCT__";
    private const ushort Sentinel = 0x4D48;
    private const byte Overwritten = 0xEE;

    private static readonly TimeSpan TagReadTimeout = TimeSpan.FromSeconds(4);
    private static readonly DistributedCacheEntryOptions TagOptions = new() { AbsoluteExpirationRelativeToNow = TimeSpan.FromDays(1000) };

    private readonly IBufferDistributedCache _cache;
    private readonly TimeProvider _clock;
    private readonly int _maximumPayloadBytes;
    private readonly ConcurrentDictionary<string, Task<long>> _tagTimes = new();
    private readonly ConcurrentDictionary<TimeSpan, DistributedCacheEntryOptions> _options = new();

    public HybridCacheClient(IDistributedCache cache, TimeProvider clock, int maximumPayloadBytes = 1 << 20)
    {
        _cache = Assert.IsType<IBufferDistributedCache>(cache, exactMatch: false);
        _clock = clock;
        _maximumPayloadBytes = maximumPayloadBytes;
        _tagTimes["*"] = ReadTagTimeAsync("*");
    }

    /// <summary>What it would have logged.</summary>
    public ConcurrentQueue<Exception> Logged { get; } = new();

    public int Created { get; private set; }

    /// <summary>Payloads that were not what had been stored under their key.</summary>
    public int InvalidData { get; private set; }

    public int SynchronousReads { get; private set; }

    public int AsynchronousReads { get; private set; }

    /// <summary>The objects that are given to every Set of the same duration.</summary>
    public IEnumerable<KeyValuePair<TimeSpan, DistributedCacheEntryOptions>> SharedOptions => _options;

    public async Task<byte[]> GetOrCreateAsync(string key, Func<byte[]> create, TimeSpan duration, string[]? tags = null, CancellationToken token = default)
    {
        if (await TryReadAsync(key, token) is { } found) return found;
        Created++;
        byte[] value = create();
        await WriteAsync(key, value, duration, tags ?? [], token);
        return value;
    }

    /// <summary>What fails reaches the caller, other than in reads and writes.</summary>
    public async Task RemoveAsync(string key, CancellationToken token = default) => await _cache.RemoveAsync(key, token);

    public async Task RemoveByTagAsync(string tag, CancellationToken token = default)
    {
        long now = _clock.GetUtcNow().UtcTicks;
        _tagTimes[tag] = Task.FromResult(now);
        byte[] rented = ArrayPool<byte>.Shared.Rent(sizeof(long));
        BinaryPrimitives.WriteInt64LittleEndian(rented, now);
        await _cache.SetAsync(TagPrefix + tag, new ReadOnlySequence<byte>(rented, 0, sizeof(long)), TagOptions, token);
        Array.Fill(rented, Overwritten);
        ArrayPool<byte>.Shared.Return(rented);
    }

    private async Task<byte[]?> TryReadAsync(string key, CancellationToken token)
    {
        byte[]? payload;
        try
        {
            payload = await ReadPayloadAsync(key, token);
        }
        catch (OperationCanceledException) when (token.IsCancellationRequested)
        {
            throw;
        }
        catch (Exception e)
        {
            Logged.Enqueue(e);
            return null;
        }

        if (payload is null) return null;
        if (!TryParse(payload, key, out long created, out string[] tags, out byte[] value))
        {
            InvalidData++;
            return null;
        }

        foreach (string tag in tags.Prepend("*"))
        {
            if (created <= await _tagTimes.GetOrAdd(tag, ReadTagTimeAsync)) return null;
        }

        return value;
    }

    private async Task WriteAsync(string key, byte[] value, TimeSpan duration, string[] tags, CancellationToken token)
    {
        byte[] payload = Frame(key, _clock.GetUtcNow().UtcTicks, tags, value);
        if (payload.Length > _maximumPayloadBytes) return;
        byte[] rented = ArrayPool<byte>.Shared.Rent(payload.Length);
        payload.CopyTo(rented, 0);
        try
        {
            var options = _options.GetOrAdd(duration, static d => new DistributedCacheEntryOptions { AbsoluteExpirationRelativeToNow = d });
            await _cache.SetAsync(key, new ReadOnlySequence<byte>(rented, 0, payload.Length), options, token);
        }
        catch (OperationCanceledException) when (token.IsCancellationRequested)
        {
            throw;
        }
        catch (Exception e)
        {
            Logged.Enqueue(e);
        }

        Array.Fill(rented, Overwritten);
        ArrayPool<byte>.Shared.Return(rented);
    }

    /// <summary>On failure and on timeout everything counts as invalidated now.</summary>
    private async Task<long> ReadTagTimeAsync(string tag)
    {
        using var timeout = new CancellationTokenSource(TagReadTimeout, _clock);
        try
        {
            byte[]? time = await ReadPayloadAsync(TagPrefix + tag, timeout.Token);
            return time is null ? 0 : BinaryPrimitives.ReadInt64LittleEndian(time);
        }
        catch (Exception e)
        {
            Logged.Enqueue(e);
            return _clock.GetUtcNow().UtcTicks;
        }
    }

    private async ValueTask<byte[]?> ReadPayloadAsync(string key, CancellationToken token)
    {
        var writer = new FaultyWriter(limit: _maximumPayloadBytes, step: 256);
        var pending = _cache.TryGetAsync(key, writer, token);
        bool found;
        if (pending.IsCompletedSuccessfully)
        {
            SynchronousReads++;
            found = pending.GetAwaiter().GetResult();
        }
        else
        {
            AsynchronousReads++;
            found = await pending;
        }

        if (found) return writer.Written;
        Assert.Empty(writer.Written); // room may have been asked for: for a value that another client then removed
        return null;
    }

    private static byte[] Frame(string key, long created, string[] tags, byte[] value)
    {
        using var stream = new MemoryStream();
        using var writer = new BinaryWriter(stream, Encoding.UTF8);
        writer.Write(Sentinel);
        writer.Write(key);
        writer.Write(created);
        writer.Write(tags.Length);
        foreach (string tag in tags) writer.Write(tag);
        writer.Write(value.Length);
        writer.Write(value);
        writer.Write(Sentinel);
        return stream.ToArray();
    }

    private static bool TryParse(byte[] payload, string expectedKey, out long created, out string[] tags, out byte[] value)
    {
        (created, tags, value) = (0, [], []);
        try
        {
            using var reader = new BinaryReader(new MemoryStream(payload), Encoding.UTF8);
            if (reader.ReadUInt16() != Sentinel || reader.ReadString() != expectedKey) return false;
            created = reader.ReadInt64();
            tags = [.. Enumerable.Range(0, reader.ReadInt32()).Select(_ => reader.ReadString())];
            value = reader.ReadBytes(reader.ReadInt32());
            return reader.ReadUInt16() == Sentinel && reader.BaseStream.Position == payload.Length;
        }
        catch (Exception e) when (e is IOException or ArgumentException)
        {
            return false;
        }
    }
}
