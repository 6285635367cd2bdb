using System.Diagnostics;
using System.Runtime.InteropServices;

namespace HybridCaching.Benchmarks.Disk;

/// <summary>Random reads of values that lie on the disk, past the system's page cache, in batches on the caller's thread: with the typed cache, which alone has a call for that.</summary>
internal sealed class ColdBatches : IDisposable
{
    private readonly FasterCache<long, FourKilobytes> _cache;

    /// <param name="directory">Where the cache has its folder.</param>
    /// <param name="name">The name of the folder.</param>
    public ColdBatches(string directory, string name)
    {
        _cache = new FasterCache<long, FourKilobytes>(new FasterCacheOptions
        {
            Name = name,
            Directory = directory,
            MemoryBudget = "64MB",
            DiskBudget = "3GB",
            DiskIo = DiskIo.Direct,
            HotTierShare = 0,
            DiskTimeout = TimeSpan.FromSeconds(10),
            WhenDirectoryUnavailable = DirectoryUnavailable.Throw,
        });
        FourKilobytes value = default;
        for (int number = 0; number < ColdGets.Entries; number++)
        {
            ValueStamp.Put(number, MemoryMarshal.AsBytes((Span<long>)value));
            _cache.Set(number, value);
        }
    }

    public ColdResult Run() => ColdResult.Of(() => _cache.GetStatistics().DiskReads, Read);

    public void Dispose() => _cache.Dispose();

    private (double Gets, IEnumerable<double> Times) Read(long start)
    {
        var random = new Random(ColdGets.Callers);
        long[] keys = new long[ColdGets.Callers];
        var values = new FourKilobytes[ColdGets.Callers];
        bool[] found = new bool[ColdGets.Callers];
        var times = new List<double>(ColdGets.SamplesExpected);
        long gets = 0;
        while (Stopwatch.GetElapsedTime(start) < ColdGets.Duration)
        {
            for (int i = 0; i < keys.Length; i++) keys[i] = random.Next(ColdGets.Entries);
            long asked = Stopwatch.GetTimestamp();
            gets += _cache.GetMany(keys, values, found);
            times.Add(Stopwatch.GetElapsedTime(asked).TotalMicroseconds);
            for (int i = 0; i < keys.Length; i++)
            {
                if (found[i]) ValueStamp.Check(keys[i], MemoryMarshal.AsBytes((ReadOnlySpan<long>)values[i]));
            }
        }

        return (gets, times);
    }
}
