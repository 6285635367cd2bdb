using System.Collections.Concurrent;
using HybridCaching.Throughput.Workloads;

namespace HybridCaching.Throughput.Contestants;

/// <summary>A default <see cref="ConcurrentDictionary{TKey, TValue}"/> of what the cache of bytes holds: text and arrays.</summary>
internal sealed class TextDictionaryContestant : IContestant
{
    private readonly ConcurrentDictionary<string, byte[]> _entries = new();

    public string Settings => "ConcurrentDictionary<string, byte[]>, all in memory: it knows no budget";

    public long? MemoryInUse => null;

    public IClient NewClient() => new Client(_entries);

    public void Dispose() => _entries.Clear();

    private sealed class Client(ConcurrentDictionary<string, byte[]> entries) : IClient
    {
        public int Get(long number, byte[] destination)
        {
            if (!entries.TryGetValue(KeyText.Of(number), out byte[]? value)) return IClient.Missing;
            value.CopyTo(destination, 0);
            return value.Length;
        }

        public void Set(long number, byte[] value) => entries[KeyText.Of(number)] = value.AsSpan().ToArray();

        public void Dispose()
        {
        }
    }
}
