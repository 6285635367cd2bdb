using HybridCaching.Throughput.Workloads;
using Microsoft.Extensions.Caching.Memory;

namespace HybridCaching.Throughput.Contestants;

/// <summary>Microsoft's MemoryCache with a size limit. What it has dropped is missed, and stored again by the workload.</summary>
internal sealed class MemoryCacheContestant(Conditions conditions) : IContestant
{
    /// <summary>Key, entry and headers beside the bytes of the value.</summary>
    private const int OverheadBytes = 400;

    private readonly MemoryCache _cache = new(new MemoryCacheOptions { SizeLimit = conditions.Memory });

    public string Settings { get; } = $"SizeLimit {new ByteSize(conditions.Memory):H}, an entry counted as its value and {OverheadBytes} bytes; reads of what was dropped are misses, and followed by a Set";

    public long? MemoryInUse => null;

    /// <summary>What an entry is counted as.</summary>
    public static int BytesFor(int valueBytes) => valueBytes + OverheadBytes;

    public IClient NewClient() => new Client(_cache);

    public void Dispose() => _cache.Dispose();

    private sealed class Client(MemoryCache cache) : IClient
    {
        public int Get(long number, byte[] destination)
        {
            if (!cache.TryGetValue(KeyText.Of(number), out byte[]? value) || value is null) return IClient.Missing;
            value.CopyTo(destination, 0);
            return value.Length;
        }

        public void Set(long number, byte[] value) => cache.Set(KeyText.Of(number), value.ToArray(), new MemoryCacheEntryOptions { Size = BytesFor(value.Length) });

        public void Dispose()
        {
        }
    }
}
