using System.Diagnostics;
using HybridCaching.Benchmarks.Workloads;

namespace HybridCaching.Benchmarks.Checkpoint;

/// <summary>A cache with several times as much data as memory, in which a thread reads as fast as it can and another one overwrites some entries.</summary>
internal sealed class BusyCache : IDisposable
{
    public const int Entries = 1 << 18;
    public const int HotEntries = 2000;
    public const int SetsPerSecond = 5000;
    public const string Memory = "48MB";
    public const string Disk = "1GB";

    private const int SetsAtOnce = 50;
    private const int GetsPerLook = 16;
    private static readonly TimeSpan Pause = TimeSpan.FromSeconds((double)SetsAtOnce / SetsPerSecond);

    private readonly WorkDirectory _directory = new();
    private readonly FasterCache<long, Kilobyte> _cache;
    private int _round;

    /// <param name="io">Through the system's page cache or past it.</param>
    /// <param name="checkpointInterval">How often what was stored is written out.</param>
    public BusyCache(DiskIo io, TimeSpan checkpointInterval)
    {
        _cache = new FasterCache<long, Kilobyte>(new FasterCacheOptions
        {
            Name = "benchmark",
            Directory = _directory.Path,
            MemoryBudget = Memory,
            DiskBudget = Disk,
            DiskIo = io,
            CheckpointInterval = checkpointInterval,
            DiskTimeout = TimeSpan.FromSeconds(10),
            WhenDirectoryUnavailable = DirectoryUnavailable.Throw,
        });
        for (long key = 0; key < Entries; key++) _cache.Set(key, Kilobyte.For(key));
        _cache.FlushAsync().AsTask().GetAwaiter().GetResult();
    }

    public static TimeSpan Duration { get; } = TimeSpan.FromSeconds(1);

    public ValueTask FlushAsync() => _cache.FlushAsync();

    /// <summary>What a host that stops asks for.</summary>
    public Task<bool> CheckpointAsync() => _cache.Tiers.CheckpointAsync(CancellationToken.None);

    /// <summary>Reads one key after the other, out of as many as told, while some entries are overwritten and something else goes on.</summary>
    /// <param name="keys">How many there are to choose from.</param>
    /// <param name="meanwhile">What goes on, again and again; null for nothing.</param>
    public Latencies Read(int keys, Func<Task>? meanwhile)
    {
        Heap.Collect();
        long start = Stopwatch.GetTimestamp();
        int round = ++_round;
        Task[] others = [Run(() => Overwrite(start, round)), Run(() => Repeat(meanwhile, start))];
        var times = new Latencies();
        var random = new Random(round);
        while (Stopwatch.GetElapsedTime(start) < Duration)
        {
            for (int i = 0; i < GetsPerLook; i++)
            {
                long key = random.Next(keys);
                long asked = Stopwatch.GetTimestamp();
                bool isFound = _cache.TryGet(key, out var value);
                times.AddSince(asked);
                if (isFound && !value.BelongsTo(key)) Verdict.WrongValue(key);
            }
        }

        Task.WaitAll(others);
        return times;
    }

    public void Dispose()
    {
        _cache.Dispose();
        _directory.Dispose();
    }

    private static Task Run(Action work) => Task.Factory.StartNew(work, CancellationToken.None, TaskCreationOptions.LongRunning, TaskScheduler.Default);

    private static void Repeat(Func<Task>? work, long start)
    {
        while (work is not null && Stopwatch.GetElapsedTime(start) < Duration) work().GetAwaiter().GetResult();
    }

    private void Overwrite(long start, int round)
    {
        var random = new Random(-round);
        while (Stopwatch.GetElapsedTime(start) < Duration)
        {
            for (int i = 0; i < SetsAtOnce; i++)
            {
                long key = random.Next(Entries);
                _cache.Set(key, Kilobyte.For(key));
            }

            Thread.Sleep(Pause);
        }
    }
}
