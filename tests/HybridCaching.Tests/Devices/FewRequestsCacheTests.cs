using System.Diagnostics;
using HybridCaching.Tests.Concurrency;
using HybridCaching.Tests.Support;

namespace HybridCaching.Tests.Devices;

/// <summary>A cache on a disk that hangs, and takes fewer requests at once than there are callers.</summary>
[Collection(nameof(RunsAlone))]
public sealed class FewRequestsCacheTests : IDisposable
{
    private const int Entries = 300_000;
    private const int Callers = 32;
    private const int CallsOfEach = 20;

    private readonly LoopDisk _disk = new("xfs", isStacked: true);

    public void Dispose() => _disk.Dispose();

    [Theory]
    [InlineData(4)] // no more than the device has threads that read and write: the kernel gets none
    [InlineData(16)]
    public void TryGet_MoreCallersThanTheDiskTakes_NoneWaitsLongerThanHeShould(int requests)
    {
        _disk.LimitRequests(requests);
        using var metronome = new Metronome();
        using var cache = StampCache.Open(_disk.Path, change: static o => (o.DiskIo, o.DiskTimeout) = (DiskIo.Direct, TimeSpan.FromMilliseconds(200)));
        cache.Fill(0, Entries, version: 1);
        _disk.HoldReads();

        var longest = new TimeSpan[Callers];
        Crew.Run(Callers, me => longest[me] = LongestOf(cache, new Random(me)), Until.Deadline);

        Assert.InRange(longest.Max(), TimeSpan.Zero, TimeSpan.FromSeconds(1) + metronome.LongestStall);
        Assert.InRange(cache.GetStatistics().Timeouts, Callers, long.MaxValue); // the disk was asked
        _disk.AllowReads();
    }

    private static TimeSpan LongestOf(FasterCache<long, Stamp> cache, Random random)
    {
        var longest = TimeSpan.Zero;
        for (int i = 0; i < CallsOfEach; i++)
        {
            long start = Stopwatch.GetTimestamp();
            cache.TryGet(random.Next(Entries), out _);
            var took = Stopwatch.GetElapsedTime(start);
            if (took > longest) longest = took;
        }

        return longest;
    }
}
