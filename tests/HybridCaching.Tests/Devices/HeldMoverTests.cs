using System.Diagnostics;
using HybridCaching.Tests.Support;

namespace HybridCaching.Tests.Devices;

/// <summary>What the oldest segment holds is to be read before it goes, and the disk gives out a byte a second: it goes unread.</summary>
[Collection(nameof(RunsAlone))]
public sealed class HeldMoverTests : IDisposable
{
    private const int Entries = 600_000;

    private readonly LoopDisk _disk = new("xfs");

    public void Dispose() => _disk.Dispose();

    /// <summary>The disk timeout is shorter than what the mover would be waited for on a slow disk.</summary>
    [Fact]
    public void Set_DiskFullAndReadsAreHeld_IsStored()
    {
        using var cache = StampCache.Open(_disk.Path, change: static o => (o.DiskIo, o.DiskTimeout) = (DiskIo.Direct, TimeSpan.FromMilliseconds(200)));
        cache.Fill(0, Entries, version: 1);

        _disk.HoldReads();
        int hits = 0;
        int attempts = 0;
        long start = Stopwatch.GetTimestamp();
        for (int key = Entries; key < 2 * Entries && Stopwatch.GetElapsedTime(start) < Until.Deadline; key++)
        {
            cache.Set(key, Stamp.Of(key, 1));
            hits += cache.CountHits(key, 1, version: 1);
            attempts++;
        }

        _disk.AllowReads();
        Assert.InRange(attempts, Entries / 4, Entries); // one that waited for the mover each time would come to a hundred or so
        Assert.InRange(hits, attempts * 0.99, attempts);
    }
}
