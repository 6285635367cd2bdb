using System.Buffers;
using HybridCaching.Throughput.Workloads;
using Microsoft.Extensions.Caching.Distributed;

namespace HybridCaching.Throughput.Contestants;

/// <summary>The library's cache of bytes by text key.</summary>
internal sealed class BytesContestant : IContestant
{
    private static readonly DistributedCacheEntryOptions NeverExpires = new();

    private readonly FasterDistributedCache _cache;

    public BytesContestant(Conditions conditions, string directory)
    {
        var options = new FasterDistributedCacheOptions { TypicalEntryBytes = KeyText.Length + conditions.ValueBytes, MaximumValueBytes = conditions.ValueBytes };
        OwnSettings.Apply(options, conditions, directory);
        _cache = new FasterDistributedCache(options);
        Settings = $"FasterDistributedCache, {OwnSettings.Describe(options)}, TypicalEntryBytes {options.TypicalEntryBytes}; TryGet into a span, Set from a sequence";
    }

    public string Settings { get; }

    public long? MemoryInUse => _cache.GetMemoryUsage().Total;

    public IClient NewClient() => new Client(_cache);

    public void Dispose() => _cache.Dispose();

    private sealed class Client(FasterDistributedCache cache) : IClient
    {
        public int Get(long number, byte[] destination) => cache.TryGet(KeyText.Of(number), destination, out int length) ? length : IClient.Missing;

        public void Set(long number, byte[] value) => cache.Set(KeyText.Of(number), new ReadOnlySequence<byte>(value), NeverExpires);

        public void Dispose()
        {
        }
    }
}
