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

    /// <summary>How often gets, clients and restarts are measured.</summary>
    public const int Repeats = 3;

    private const double MemoryPerEntry = 43; // 4 GiB for 100 M
    private const long LeastMemory = 16 << 20;
    private const long DiskPerEntry = 64; // records of 40
    private const long OtherDisk = 64 << 20;
    private const int Sample = 5_000;
    private const int HotOneIn = 1000;
    private const int ColdOneIn = 10;
    private const int NeverCold = int.MaxValue;
    private const int WarmUpRounds = 3;

    /// <summary>Nobody asks for the same entries in the same order as somebody before: they would be in memory.</summary>
    private static int _seed;

    private static readonly TimeSpan WarmUp = TimeSpan.FromSeconds(3);

    /// <summary>All repeats together are short: what is asked for comes to memory, which for a million entries shows after some seconds, and the cost of a get is compared at the same share of hits.</summary>
    private static readonly TimeSpan Duration = TimeSpan.FromSeconds(2);

    public static int Run(string entriesText)
    {
        long entries = long.Parse(entriesText, CultureInfo.InvariantCulture);
        using var directory = new WorkDirectory();
        var options = new FasterCacheOptions
        {
            Name = "scale",
            Directory = directory.Path,
            MemoryBudget = Math.Max(LeastMemory, (long)(entries * MemoryPerEntry)),
            DiskBudget = OtherDisk + (entries * DiskPerEntry),
            DiskIo = DiskIo.Direct,
            DiskTimeout = TimeSpan.FromSeconds(10),
            WhenDirectoryUnavailable = DirectoryUnavailable.Throw,
        };
        long residentBefore = ProcessFigures.Resident();
        var cache = new FasterCache<long, Value16>(options);
        double setting = Fill(cache, entries);
        cache.FlushAsync().AsTask().GetAwaiter().GetResult();

        for (int round = 0; round < WarmUpRounds; round++) AskForHot(cache, entries);
        Ask(cache, entries, clients: 1, WarmUp, ColdOneIn);
        GetFigures[] gets = [.. Enumerable.Range(0, Repeats).Select(_ => MeasureGets(cache, entries, directory.Path))];
        var clients = MeasureClients(cache, entries, gets);
        var memory = cache.GetMemoryUsage();
        long grown = ProcessFigures.Resident() - residentBefore;
        var restarts = new List<RestartFigures>();
        for (int repeat = 0; repeat < Repeats; repeat++)
        {
            double closed = Close(cache);
            (cache, double firstHit, double found) = Reopen(options, entries);
            restarts.Add(new RestartFigures(closed, firstHit, found));
        }

        cache.Dispose();
        var figures = new ScaleFigures
        {
            Entries = entries,
            Memory = options.MemoryBudget.Bytes,
            SetNanoseconds = setting,
            Gets = gets,
            LeadingBytes = memory.Index + memory.Buffers,
            ResidentGrowth = grown,
            DiskBytes = FolderUse.Of(directory.Path),
            Restarts = restarts,
            Clients = clients,
        };
        Console.WriteLine(CellChild.ResultMark + JsonSerializer.Serialize(figures));
        return 0;
    }

    private static GetFigures MeasureGets(FasterCache<long, Value16> cache, long entries, string directory)
    {
        double? rawBefore = RawReads.Measure(directory, ++_seed);
        var before = cache.GetStatistics();
        double getting = Ask(cache, entries, clients: 1, Duration, ColdOneIn);
        var after = cache.GetStatistics();
        double? rawAfter = RawReads.Measure(directory, ++_seed);
        long memoryHits = after.MemoryHits - before.MemoryHits;
        long misses = after.Misses - before.Misses;
        double all = Math.Max(1, memoryHits + after.DiskHits - before.DiskHits + misses);
        return new GetFigures
        {
            GetNanoseconds = getting,
            HotGetNanoseconds = Ask(cache, entries, clients: 1, Duration, NeverCold),
            RawReadNanoseconds = (rawBefore + rawAfter) / 2,
            MemoryHitShare = memoryHits / all,
            MissShare = misses / all,
        };
    }

    /// <summary>One client as it was measured, then in each repeat all others.</summary>
    private static ClientFigures[] MeasureClients(FasterCache<long, Value16> cache, long entries, GetFigures[] one)
    {
        var figures = new List<(int Clients, List<double> Mixed, List<double> Hot)>();
        for (int count = 2; count <= PlanMaker.ClientsPerCore * Environment.ProcessorCount; count *= 2) figures.Add((count, [], []));
        for (int repeat = 0; repeat < Repeats; repeat++)
        {
            foreach (var (count, mixed, hot) in figures)
            {
                mixed.Add(PerSecond(Ask(cache, entries, count, Duration, ColdOneIn)));
                hot.Add(PerSecond(Ask(cache, entries, count, Duration, NeverCold)));
            }
        }

        var first = new ClientFigures(1, [.. one.Select(get => PerSecond(get.GetNanoseconds))], [.. one.Select(get => PerSecond(get.HotGetNanoseconds))]);
        return [first, .. figures.Select(each => new ClientFigures(each.Clients, each.Mixed, each.Hot))];
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

    /// <summary>Asks once for each entry of the small set, many at a time.</summary>
    private static void AskForHot(FasterCache<long, Value16> cache, long entries)
    {
        const int Batch = 256;
        var values = new Value16[Batch];
        bool[] found = new bool[Batch];
        foreach (long[] keys in Enumerable.Range(0, (int)(entries / HotOneIn)).Select(static i => KeyHash.Of((long)i * HotOneIn)).Chunk(Batch)) cache.GetMany(keys, values, found);
    }

    private static double PerSecond(double nanoseconds) => 1e9 / nanoseconds;

    /// <summary>Each client asks for the entries of a small set that fits memory, and now and then for any.</summary>
    /// <returns>Nanoseconds of the clock for each get of all clients.</returns>
    private static double Ask(FasterCache<long, Value16> cache, long entries, int clients, TimeSpan duration, int coldOneIn)
    {
        long all = 0;
        long start = Stopwatch.GetTimestamp();
        Thread[] threads = [.. Enumerable.Range(0, clients).Select(_ => new Random(++_seed)).Select(random => new Thread(() => Interlocked.Add(ref all, Ask(cache, entries, random, start, duration, coldOneIn))))];
        foreach (var thread in threads) thread.Start();
        foreach (var thread in threads) thread.Join();
        return Stopwatch.GetElapsedTime(start).TotalNanoseconds / all;
    }

    /// <returns>How often it asked.</returns>
    private static long Ask(FasterCache<long, Value16> cache, long entries, Random random, long start, TimeSpan duration, int coldOneIn)
    {
        const int CallsPerLook = 256;
        long hotEntries = entries / HotOneIn;
        long done = 0;
        for (; Stopwatch.GetElapsedTime(start) < duration; done += CallsPerLook)
        {
            for (int i = 0; i < CallsPerLook; i++)
            {
                bool isCold = coldOneIn != NeverCold && random.Next(coldOneIn) == 0;
                long number = isCold ? random.NextInt64(entries) : random.NextInt64(hotEntries) * HotOneIn;
                if (cache.TryGet(KeyHash.Of(number), out var value)) ValueStamp.Check(number, value);
            }
        }

        return done;
    }

    private static double Close(FasterCache<long, Value16> cache)
    {
        long start = Stopwatch.GetTimestamp();
        cache.Dispose();
        return Stopwatch.GetElapsedTime(start).TotalSeconds;
    }

    private static (FasterCache<long, Value16> Cache, double FirstHitSeconds, double FoundShare) Reopen(FasterCacheOptions options, long entries)
    {
        var random = new Random(++_seed);
        long start = Stopwatch.GetTimestamp();
        var cache = new FasterCache<long, Value16>(options);
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

        return (cache, firstHit ?? double.MaxValue, (double)found / Sample);
    }
}
