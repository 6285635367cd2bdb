using System.Runtime.InteropServices;
using HybridCaching.Throughput.Workloads;

namespace HybridCaching.Throughput.Contestants;

/// <summary>The library's typed cache, with integer keys.</summary>
internal sealed class TypedContestant<TValue> : IContestant
    where TValue : unmanaged
{
    private readonly FasterCache<long, TValue> _cache;

    public TypedContestant(Conditions conditions, string directory)
    {
        var options = new FasterCacheOptions();
        OwnSettings.Apply(options, conditions, directory);
        _cache = new FasterCache<long, TValue>(options);
        Settings = $"FasterCache<long, {typeof(TValue).Name}>, {OwnSettings.Describe(options)}";
    }

    public string Settings { get; }

    public long? MemoryInUse => _cache.GetMemoryUsage().Total;

    public IClient NewClient() => new Client(_cache);

    public void Dispose() => _cache.Dispose();

    private sealed class Client(FasterCache<long, TValue> cache) : IClient
    {
        public int Get(long number, byte[] destination) => cache.TryGet(KeyHash.Of(number), out MemoryMarshal.AsRef<TValue>(destination.AsSpan())) ? destination.Length : IClient.Missing;

        public void Set(long number, byte[] value) => cache.Set(KeyHash.Of(number), MemoryMarshal.AsRef<TValue>(value.AsSpan()));

        public void Dispose()
        {
        }
    }
}
