using System.Diagnostics;
using HybridCaching.Benchmarks.Contestants;
using HybridCaching.Benchmarks.Workloads;

namespace HybridCaching.Benchmarks.Disk;

/// <summary>2 GiB of data, a tenth of that as memory: the library beside a raw store with FASTER's own device and read cache. Keys by Zipf, 95 % reads, what is not there is stored.</summary>
internal sealed class LargerThanMemory : IDisposable
{
    public const int Entries = 2 << 20;
    public const double Skew = 0.99;

    private const int Workers = 2;
    private const int OverwritesOneIn = 20;
    private const int OperationsPerLook = 256;
    private const long MemoryBytes = (long)Entries * 1024 / 10;
    private const ulong Scatter = 0x9E37_79B9_7F4A_7C15;

    private readonly WorkDirectory _directory = new();
    private readonly FasterCache<long, Kilobyte> _cache;
    private readonly StoreContestant<long, LongKeys, Kilobyte> _store;

    public LargerThanMemory()
    {
        _cache = new FasterCache<long, Kilobyte>(new FasterCacheOptions
        {
            Name = "benchmark",
            Directory = _directory.Path,
            MemoryBudget = MemoryBytes,
            DiskBudget = "3GB",
            DiskTimeout = TimeSpan.FromSeconds(10),
            WhenDirectoryUnavailable = DirectoryUnavailable.Throw,
        });
        _store = new StoreContestant<long, LongKeys, Kilobyte>(Budgets.StoreWithReadCache(Entries, MemoryBytes, EntrySizes.Of<long, Kilobyte>()), Workers);
        long[] keys = [.. Enumerable.Range(0, Entries).Select(number => (long)number)];
        foreach (long key in keys) _cache.Set(key, Kilobyte.For(key));
        _store.Add(0, keys);
    }

    public static TimeSpan Duration { get; } = TimeSpan.FromSeconds(5);

    /// <summary>Operations per second of the library, and of the raw store.</summary>
    public (double Ours, double Raw) Run(int round) => (Run(round, ReadOurs, WriteOurs), Run(round, _store.Read, _store.Overwrite));

    public void Dispose()
    {
        _store.Dispose();
        _cache.Dispose();
        _directory.Dispose();
    }

    private static double Run(int round, Operation read, Operation write)
    {
        Random[] randoms = [.. Enumerable.Range(0, Workers).Select(worker => new Random((round * Workers) + worker))];
        ZipfRanks[] ranks = [.. randoms.Select(random => new ZipfRanks(Entries, Skew, random))];
        Heap.Collect();
        long start = Stopwatch.GetTimestamp();
        long done = 0;
        var threads = Enumerable.Range(0, Workers).Select(worker => new Thread(() => Interlocked.Add(ref done, Work(worker)))).ToList();
        threads.ForEach(thread => thread.Start());
        threads.ForEach(thread => thread.Join());
        return done / Stopwatch.GetElapsedTime(start).TotalSeconds;

        long Work(int worker)
        {
            long operations = 0;
            while (Stopwatch.GetElapsedTime(start) < Duration)
            {
                for (int i = 0; i < OperationsPerLook; i++)
                {
                    long key = (long)((ulong)ranks[worker].Next() * Scatter % Entries); // Entries is a power of two: no two ranks meet
                    if (randoms[worker].Next(OverwritesOneIn) == 0 || read(worker, [key]) == 0) write(worker, [key]);
                }

                operations += OperationsPerLook;
            }

            return operations;
        }
    }

    private int ReadOurs(int worker, ReadOnlySpan<long> keys)
    {
        if (!_cache.TryGet(keys[0], out var value)) return 0;
        if (!value.BelongsTo(keys[0])) Verdict.WrongValue(keys[0]);
        return 1;
    }

    private int WriteOurs(int worker, ReadOnlySpan<long> keys)
    {
        _cache.Set(keys[0], Kilobyte.For(keys[0]));
        return 1;
    }

    /// <summary>Does something with a key.</summary>
    private delegate int Operation(int worker, ReadOnlySpan<long> keys);
}
