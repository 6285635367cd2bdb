using System.Diagnostics;
using System.Globalization;
using System.Text.Json;
using HybridCaching.Throughput.Cells;
using HybridCaching.Throughput.Measuring;
using HybridCaching.Throughput.Workloads;

namespace HybridCaching.Throughput.Scale;

/// <summary>The process that fills a cache with so many small entries, asks for them, closes it and opens it again.</summary>
internal static class ScaleChild
{
    public const string Command = "scale-cell";

    private const double MemoryPerEntry = 43; // 4 GiB for 100 M
    private const long LeastMemory = 16 << 20;
    private const long DiskPerEntry = 128;
    private const int Sample = 5_000;
    private const int HotOneIn = 1000;
    private const int ColdOneIn = 10;

    private static readonly TimeSpan WarmUp = TimeSpan.FromSeconds(3);
    private static readonly TimeSpan Duration = TimeSpan.FromSeconds(5);

    public static int Run(string entriesText)
    {
        long entries = long.Parse(entriesText, CultureInfo.InvariantCulture);
        using var directory = new WorkDirectory();
        var options = new FasterCacheOptions
        {
            Name = "scale",
            Directory = directory.Path,
            MemoryBudget = Math.Max(LeastMemory, (long)(entries * MemoryPerEntry)),
            DiskBudget = (256 << 20) + (entries * DiskPerEntry),
            DiskIo = DiskIo.Direct,
            DiskTimeout = TimeSpan.FromSeconds(10),
            WhenDirectoryUnavailable = DirectoryUnavailable.Throw,
        };
        long residentBefore = ProcessFigures.Resident();
        var cache = new FasterCache<long, Value16>(options);
        double setting = Fill(cache, entries);
        cache.FlushAsync().AsTask().GetAwaiter().GetResult();

        var random = new Random(1);
        Ask(cache, entries, random, WarmUp, ColdOneIn);
        var before = cache.GetStatistics();
        double getting = Ask(cache, entries, random, Duration, ColdOneIn);
        var after = cache.GetStatistics();
        double hot = Ask(cache, entries, random, Duration, coldOneIn: int.MaxValue);
        var memory = cache.GetMemoryUsage();
        long grown = ProcessFigures.Resident() - residentBefore;
        double hits = after.MemoryHits + after.DiskHits - before.MemoryHits - before.DiskHits;
        double misses = after.Misses - before.Misses;

        long closing = Stopwatch.GetTimestamp();
        cache.Dispose();
        double closed = Stopwatch.GetElapsedTime(closing).TotalSeconds;
        var (firstHit, found) = Reopen(options, entries, random);
        var figures = new ScaleFigures
        {
            Entries = entries,
            Memory = options.MemoryBudget.Bytes,
            SetNanoseconds = setting,
            GetNanoseconds = getting,
            HotGetNanoseconds = hot,
            MemoryHitShare = (after.MemoryHits - before.MemoryHits) / Math.Max(1, hits + misses),
            MissShare = misses / Math.Max(1, hits + misses),
            LeadingBytes = memory.Index + memory.Buffers,
            ResidentGrowth = grown,
            DiskBytes = FolderUse.Of(directory.Path),
            CloseSeconds = closed,
            FirstHitSeconds = firstHit,
            FoundShare = found,
        };
        Console.WriteLine(CellChild.ResultMark + JsonSerializer.Serialize(figures));
        return 0;
    }

    private static double Fill(FasterCache<long, Value16> cache, long entries)
    {
        long start = Stopwatch.GetTimestamp();
        for (long number = 0; number < entries; number++)
        {
            cache.Set(KeyHash.Of(number), Value16.Of(number));
            if (number % (entries / 100) == 0) Console.WriteLine(FormattableString.Invariant($"{CellChild.ProgressMark}{(double)number / entries:F2} filling"));
        }

        return Stopwatch.GetElapsedTime(start).TotalNanoseconds / entries;
    }

    /// <summary>One client asks for the entries of a small set that fits memory, and now and then for any.</summary>
    /// <returns>Nanoseconds for each.</returns>
    private static double Ask(FasterCache<long, Value16> cache, long entries, Random random, TimeSpan duration, int coldOneIn)
    {
        const int CallsPerLook = 256;
        long hotEntries = entries / HotOneIn;
        long start = Stopwatch.GetTimestamp();
        long done = 0;
        for (; Stopwatch.GetElapsedTime(start) < duration; done += CallsPerLook)
        {
            for (int i = 0; i < CallsPerLook; i++)
            {
                bool isCold = coldOneIn != int.MaxValue && random.Next(coldOneIn) == 0;
                long number = isCold ? random.NextInt64(entries) : random.NextInt64(hotEntries) * HotOneIn;
                if (cache.TryGet(KeyHash.Of(number), out var value)) ValueStamp.Check(number, value);
            }
        }

        return Stopwatch.GetElapsedTime(start).TotalNanoseconds / done;
    }

    private static (double FirstHitSeconds, double FoundShare) Reopen(FasterCacheOptions options, long entries, Random random)
    {
        long start = Stopwatch.GetTimestamp();
        using var cache = new FasterCache<long, Value16>(options);
        double? firstHit = null;
        int found = 0;
        for (int i = 0; i < Sample; i++)
        {
            long number = random.NextInt64(entries);
            if (!cache.TryGet(KeyHash.Of(number), out var value)) continue;
            ValueStamp.Check(number, value);
            firstHit ??= Stopwatch.GetElapsedTime(start).TotalSeconds;
            found++;
        }

        return (firstHit ?? double.MaxValue, (double)found / Sample);
    }
}
