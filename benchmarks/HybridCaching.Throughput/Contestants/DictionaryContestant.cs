using System.Collections.Concurrent;
using System.Runtime.InteropServices;
using HybridCaching.Throughput.Workloads;

namespace HybridCaching.Throughput.Contestants;

/// <summary>A default <see cref="ConcurrentDictionary{TKey, TValue}"/>, which keeps everything in memory, whatever the others may take.</summary>
internal sealed class DictionaryContestant<TValue> : IContestant
    where TValue : unmanaged
{
    private readonly ConcurrentDictionary<long, TValue> _entries = new();

    public string Settings => $"ConcurrentDictionary<long, {typeof(TValue).Name}>, all in memory: it knows no budget";

    public long? MemoryInUse => null;

    public IClient NewClient() => new Client(_entries);

    public void Dispose() => _entries.Clear();

    private sealed class Client(ConcurrentDictionary<long, TValue> entries) : IClient
    {
        public int Get(long number, byte[] destination) => entries.TryGetValue(KeyHash.Of(number), out MemoryMarshal.AsRef<TValue>(destination.AsSpan())) ? destination.Length : IClient.Missing;

        public void Set(long number, byte[] value) => entries[KeyHash.Of(number)] = MemoryMarshal.AsRef<TValue>(value.AsSpan());

        public void Dispose()
        {
        }
    }
}
