using BenchmarkDotNet.Attributes;
using HybridCaching.Configuration;
using HybridCaching.Store;

namespace HybridCaching.Benchmarks;

/// <summary>What does it cost to store a key that is not in memory, so that nothing older comes back after <c>kill -9</c>: looking the key up in the index of settled records, and taking its word out?</summary>
/// <remarks>
/// The index lies in shared memory, as that of a cache with a directory, three quarters full; 1 thread. Writes ask for a key's buckets before they append a record and look at them after that, some 100 ns later:
/// here, eight keys later. Beside it the same loop without the index.
/// <code>dotnet run -c Release --project benchmarks/HybridCaching.Benchmarks -- --filter '*.SettledRemovalBenchmarks.*'</code>
/// </remarks>
public class SettledRemovalBenchmarks
{
    private const int Keys = 1_000_000;
    private const int Ahead = 8;
    private const long First = 1L << 40;
    private const double Fill = 0.75;

    private ulong[] _hashes = [];
    private SettledIndex? _index;

    [Params(100_000, 10_000_000)]
    public int Entries { get; set; }

    [GlobalSetup]
    public void Fillup()
    {
        var random = new Random(20261123);
        _hashes = [.. Enumerable.Range(0, Keys + Ahead).Select(_ => (ulong)random.NextInt64(long.MinValue, long.MaxValue))];
        _index = new SettledIndex([TableSize.Of((long)(Entries / Fill) * sizeof(ulong))], First);
        _index.Probation = new Extent(SettledIndex.AddressUnit, SettledIndex.AddressUnit * (Entries + 1L));
        for (int i = 1; i <= Entries; i++) _index.Insert((ulong)random.NextInt64(long.MinValue, long.MaxValue), SettledIndex.AddressUnit * (long)i, hits: 0);
    }

    [Benchmark(Baseline = true, OperationsPerInvoke = Keys)]
    public ulong HashesOnly()
    {
        ulong sum = 0;
        for (int i = 0; i < Keys; i++) sum += _hashes[i] ^ _hashes[i + Ahead];
        return sum;
    }

    /// <summary>The usual new key. Who overwrites a record in memory does not look here.</summary>
    [Benchmark(OperationsPerInvoke = Keys)]
    public int KeysThatAreNotThere()
    {
        int removed = 0;
        for (int i = 0; i < Keys; i++)
        {
            _index!.Prefetch(_hashes[i + Ahead]);
            if (_index.Remove(_hashes[i])) removed++;
        }

        return removed;
    }

    /// <summary>Keys whose record was on the disk, each put in again: twice a look-up and two atomic instructions.</summary>
    [Benchmark(OperationsPerInvoke = Keys)]
    public int KeysThatAreThere()
    {
        int removed = 0;
        for (int i = 0; i < Keys; i++)
        {
            _index!.Prefetch(_hashes[i + Ahead]);
            _index.Insert(_hashes[i], SettledIndex.AddressUnit, hits: 0);
            if (_index.Remove(_hashes[i])) removed++;
        }

        return removed;
    }
}
