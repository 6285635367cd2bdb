using System.Diagnostics;
using HybridCaching.Benchmarks.Contestants;
using HybridCaching.Benchmarks.Workloads;

namespace HybridCaching.Benchmarks.Disk;

/// <summary>2 GiB of data, a tenth of that as memory: the library, with files in the page cache and past it, beside a raw store with FASTER's own device and read cache. Keys by Zipf, 95 % reads, what is not there is stored.</summary>
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
    private readonly FasterCache<long, Kilobyte> _buffered;
    private readonly FasterCache<long, Kilobyte> _direct;
    private readonly StoreContestant<long, LongKeys, Kilobyte> _store;

    public LargerThanMemory()
    {
        _buffered = Open(DiskIo.Buffered);
        _direct = Open(DiskIo.Direct);
        _store = new StoreContestant<long, LongKeys, Kilobyte>(Budgets.StoreWithReadCache(Entries, MemoryBytes, EntrySizes.Of<long, Kilobyte>()), Workers);
        long[] keys = [.. Enumerable.Range(0, Entries).Select(number => (long)number)];
        foreach (long key in keys) _buffered.Set(key, Kilobyte.For(key));
        foreach (long key in keys) _direct.Set(key, Kilobyte.For(key));
        _store.Add(0, keys);
    }

    public static TimeSpan Duration { get; } = TimeSpan.FromSeconds(5);

    /// <summary>Operations per second of the library, the same past the page cache, and of the raw store.</summary>
    public (double Ours, double Direct, double Raw) Run(int round) => (Run(round, _buffered), Run(round, _direct), Run(round, _store.Read, _store.Overwrite));

    public void Dispose()
    {
        _store.Dispose();
        _direct.Dispose();
        _buffered.Dispose();
        _directory.Dispose();
    }

    private FasterCache<long, Kilobyte> Open(DiskIo io) => new(new FasterCacheOptions
    {
        Name = $"benchmark-{io}",
        Directory = _directory.Path,
        MemoryBudget = MemoryBytes,
        DiskBudget = "3GB",
        DiskIo = io,
        DiskTimeout = TimeSpan.FromSeconds(10),
        WhenDirectoryUnavailable = DirectoryUnavailable.Throw,
    });

    private static double Run(int round, FasterCache<long, Kilobyte> cache) => Run(round, (_, keys) => Read(cache, keys[0]), (_, keys) => Write(cache, keys[0]));

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

    private static int Read(FasterCache<long, Kilobyte> cache, long key)
    {
        if (!cache.TryGet(key, out var value)) return 0;
        if (!value.BelongsTo(key)) Verdict.WrongValue(key);
        return 1;
    }

    private static int Write(FasterCache<long, Kilobyte> cache, long key)
    {
        cache.Set(key, Kilobyte.For(key));
        return 1;
    }

    /// <summary>Does something with a key.</summary>
    private delegate int Operation(int worker, ReadOnlySpan<long> keys);
}
