using System.Diagnostics;
using HybridCaching.Throughput.Contestants;
using HybridCaching.Throughput.Measuring;
using HybridCaching.Throughput.Workloads;

namespace HybridCaching.Throughput.Tests;

public sealed class MeasuringTests : IDisposable
{
    private const int FileBytes = 8 << 20;

    private readonly TestDirectory _directory = new();

    public void Dispose() => _directory.Dispose();

    [Fact]
    public void Figures_OneToTenThousandMicroseconds_ArePercentiles()
    {
        var latencies = Filled(1, 10_000);

        var figures = latencies.Figures();

        Assert.InRange(figures.P50, 4990, 5010);
        Assert.InRange(figures.P99, 9890, 9910);
        Assert.InRange(figures.P999, 9980, 10_000);
        Assert.InRange(figures.Max, 9990, 10_010);
    }

    [Fact]
    public void Add_OtherLatencies_CountsBoth()
    {
        var latencies = Filled(1, 100);

        latencies.Add(Filled(1000, 1100));

        Assert.Equal(201, latencies.Count);
    }

    [Fact]
    public void Run_OpenLoopWithSlowClient_CountsFromWhenItWasDue()
    {
        using var client = new SlowOnce(TimeSpan.FromMilliseconds(200));
        var worker = new Worker(new Population(1000), new Choices(1000, seed: 1), valueBytes: 100) { Client = client };
        long begin = Stopwatch.GetTimestamp();
        long second = Stopwatch.Frequency;

        worker.Run(Mix.Named("C"), begin, begin, begin + second, second / 1000.0);

        // Of a thousand operations, 200 fell due while the client was held up, so one in ten began more than 100 ms late.
        Assert.InRange(worker.Reads.Figures().P99, 150_000, double.MaxValue);
    }

    [Fact]
    public void Collections_OfTheOldestGeneration_AreCountedThere()
    {
        var before = Collections.Now();

        GC.Collect(GC.MaxGeneration, GCCollectionMode.Forced, blocking: true);

        Assert.True((Collections.Now() - before).Gen2 >= 1);
    }

    /// <summary>The runtime counts each for all younger generations, too.</summary>
    [Fact]
    public void Collections_OfAllGenerations_AreCountedOnce()
    {
        GC.Collect(GC.MaxGeneration, GCCollectionMode.Forced, blocking: true);

        var (before, all, after) = (Collections.Now(), GC.CollectionCount(0), Collections.Now());

        Assert.InRange(all, before.Gen0 + before.Gen1 + before.Gen2, after.Gen0 + after.Gen1 + after.Gen2);
    }

    [Fact]
    public void PageCache_FileJustWritten_IsInIt()
    {
        SkipUnlessKnown();
        WriteFile();

        Assert.InRange(PageCache.Of(_directory.Path).Cached, FileBytes, 2 * FileBytes);
    }

    /// <summary>What the process has given back since is no room for files.</summary>
    [Theory]
    [InlineData(0)]
    [InlineData(1L << 30)]
    public void PageCacheKeeper_MoreThanTheBudget_ThrowsItOut(long givenBack)
    {
        SkipUnlessKnown();
        WriteFile();
        const int Budget = 1 << 20;
        using var keeper = new PageCacheKeeper(_directory.Path, Budget, ProcessFigures.Anonymous() + givenBack);

        Assert.True(SpinWait.SpinUntil(() => PageCache.Of(_directory.Path).Cached <= Budget, TimeSpan.FromSeconds(30)));
    }

    private static void SkipUnlessKnown()
    {
        if (!PageCache.IsKnown) Assert.Skip("This system does not tell what its page cache holds of a file (cachestat, Linux 6.5).");
    }

    private static Latencies Filled(int from, int to)
    {
        var latencies = new Latencies();
        for (int micros = from; micros <= to; micros++) latencies.Add(micros * Stopwatch.Frequency / 1_000_000);
        return latencies;
    }

    private void WriteFile()
    {
        using var file = new FileStream(Path.Combine(_directory.Path, "file"), FileMode.Create);
        file.Write(new byte[FileBytes]);
        file.Flush(flushToDisk: true);
    }

    private sealed class SlowOnce(TimeSpan time) : IClient
    {
        private bool _done;

        public int Get(long number, byte[] destination)
        {
            if (!_done)
            {
                long start = Stopwatch.GetTimestamp();
                while (Stopwatch.GetElapsedTime(start) < time)
                {
                }
            }

            _done = true;
            ValueStamp.Put(number, destination);
            return destination.Length;
        }

        public void Set(long number, byte[] value)
        {
        }

        public void Dispose()
        {
        }
    }
}
