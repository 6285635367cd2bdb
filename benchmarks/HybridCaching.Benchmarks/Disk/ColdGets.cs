using System.Buffers;
using System.Diagnostics;
using HybridCaching.Benchmarks.Workloads;
using Microsoft.Extensions.Caching.Distributed;

namespace HybridCaching.Benchmarks.Disk;

/// <summary>Random reads of values that lie on the disk, past the system's page cache, in the ways a program may ask for them.</summary>
internal sealed class ColdGets : IDisposable
{
    public const int Entries = 300_000;
    public const int ValueBytes = 4096;

    public const int Callers = 32;
    public const int SamplesExpected = 100_000;

    private readonly FasterDistributedCache _cache;
    private readonly string[] _keys = new string[Entries];

    /// <param name="directory">Where the cache has its folder.</param>
    /// <param name="name">The name of the folder.</param>
    public ColdGets(string directory, string name)
    {
        _cache = new FasterDistributedCache(new FasterDistributedCacheOptions
        {
            Name = name,
            Directory = directory,
            MemoryBudget = "64MB",
            DiskBudget = "3GB",
            DiskIo = DiskIo.Direct,
            HotTierShare = 0,
            TypicalEntryBytes = ValueBytes,
            DiskTimeout = TimeSpan.FromSeconds(10),
            WhenDirectoryUnavailable = DirectoryUnavailable.Throw,
        });
        byte[] value = new byte[ValueBytes];
        for (int number = 0; number < Entries; number++)
        {
            _keys[number] = ByteEntries.KeyOf(number);
            ValueStamp.Put(number, value);
            _cache.Set(_keys[number], value, new DistributedCacheEntryOptions());
        }
    }

    /// <summary>How they are asked for.</summary>
    public enum Way
    {
        /// <summary>Tasks that each await one read after the other.</summary>
        Async,

        /// <summary>Threads that each wait for one read after the other.</summary>
        Threads,

        /// <summary>One caller with a batch at a time.</summary>
        Many,

        /// <summary>The same on its thread, see <see cref="ColdBatches"/>.</summary>
        ManyOnThread,
    }

    public static TimeSpan Duration { get; } = TimeSpan.FromSeconds(4);

    public ColdResult Run(Way way) => ColdResult.Of(() => _cache.GetStatistics().DiskReads, start => Read(way, start));

    public void Dispose() => _cache.Dispose();

    private (double Gets, IEnumerable<double> Times) Read(Way way, long start)
    {
        if (way == Way.Many) return ReadBatchesAsync(start).GetAwaiter().GetResult();
        List<double>[] times = way switch
        {
            Way.Async => Task.WhenAll(Enumerable.Range(0, Callers).Select(caller => Task.Run(() => ReadAsync(caller, start)))).GetAwaiter().GetResult(),
            _ => OnThreads(caller => Read(caller, start)),
        };
        return (times.Sum(t => t.Count), times.SelectMany(t => t));
    }

    private async Task<List<double>> ReadAsync(int caller, long start)
    {
        var random = new Random(caller);
        var writer = new ArrayBufferWriter<byte>(2 * ValueBytes);
        var times = new List<double>(SamplesExpected);
        while (Stopwatch.GetElapsedTime(start) < Duration)
        {
            int number = random.Next(Entries);
            writer.ResetWrittenCount();
            long asked = Stopwatch.GetTimestamp();
            if (!await _cache.TryGetAsync(_keys[number], writer).ConfigureAwait(false)) continue;
            times.Add(Stopwatch.GetElapsedTime(asked).TotalMicroseconds);
            ValueStamp.Check(number, writer.WrittenSpan);
        }

        return times;
    }

    /// <summary>Has as many threads as there are callers do it, each with its number.</summary>
    public static List<double>[] OnThreads(Func<int, List<double>> read)
    {
        var times = new List<double>[Callers];
        var threads = Enumerable.Range(0, Callers).Select(caller => new Thread(() => times[caller] = read(caller))).ToList();
        threads.ForEach(thread => thread.Start());
        threads.ForEach(thread => thread.Join());
        return times;
    }

    private List<double> Read(int caller, long start)
    {
        var random = new Random(caller);
        byte[] value = new byte[ValueBytes];
        var times = new List<double>(SamplesExpected);
        while (Stopwatch.GetElapsedTime(start) < Duration)
        {
            int number = random.Next(Entries);
            long asked = Stopwatch.GetTimestamp();
            if (!_cache.TryGet(_keys[number], value, out _)) continue;
            times.Add(Stopwatch.GetElapsedTime(asked).TotalMicroseconds);
            ValueStamp.Check(number, value);
        }

        return times;
    }

    /// <returns>How many values the batches had, and how long each took.</returns>
    private async Task<(double Gets, IEnumerable<double> Times)> ReadBatchesAsync(long start)
    {
        var random = new Random(Callers);
        int[] numbers = new int[Callers];
        var times = new List<double>(SamplesExpected);
        long gets = 0;
        while (Stopwatch.GetElapsedTime(start) < Duration)
        {
            for (int i = 0; i < numbers.Length; i++) numbers[i] = random.Next(Entries);
            long asked = Stopwatch.GetTimestamp();
            var found = await _cache.GetManyAsync(numbers.Select(number => _keys[number])).ConfigureAwait(false);
            times.Add(Stopwatch.GetElapsedTime(asked).TotalMicroseconds);
            foreach (int number in numbers)
            {
                if (!found.TryGetValue(_keys[number], out byte[]? value)) continue;
                ValueStamp.Check(number, value);
                gets++;
            }
        }

        return (gets, times);
    }
}
