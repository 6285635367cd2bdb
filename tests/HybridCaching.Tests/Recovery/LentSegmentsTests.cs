using HybridCaching.Devices;
using HybridCaching.Store;
using HybridCaching.Tests.Concurrency;
using HybridCaching.Tests.Support;

namespace HybridCaching.Tests.Recovery;

/// <summary>After a kill all segments belong to what was left on the disk, and the new log gets one after the other back from the mover. Here that cannot move: what is stored has to find room nevertheless.</summary>
public sealed class LentSegmentsTests : IDisposable
{
    private const int Entries = 400_000;
    private const int Stored = 30_000;
    private const int Newest = 10_000;

    private readonly TestDirectory _directory = new();
    private readonly ManualTimeProvider _housekeeping = new();

    [Fact]
    public void Set_FolderIsLostAfterAKill_IsStored()
    {
        using var cache = OpenKilled();
        Directory.Delete(StampCache.FolderIn(_directory.Path), recursive: true);
        _housekeeping.TickUntil(() => cache.GetStatistics().DiskUnavailableReason is not null, "the folder is given up");

        AssertStores(cache);
    }

    [Fact]
    public void Set_ReadsHangAfterAKill_IsStored()
    {
        using var cache = OpenKilled();
        using var gate = new DiskGate(cache.Tiers.Device!, IoKind.Read);
        gate.Close();

        AssertStores(cache);
    }

    public void Dispose() => _directory.Dispose();

    private static void AssertStores(FasterCache<long, Stamp> cache)
    {
        Crew.MustEnd("Fill", () => cache.Fill(Entries, Stored, version: 2));

        Found.All(Newest, cache.CountHits(Entries + Stored - Newest, Newest, version: 2));
        Assert.Equal(0, cache.GetStatistics().DroppedWrites);
    }

    private FasterCache<long, Stamp> OpenKilled()
    {
        if (!OperatingSystem.IsLinux()) Assert.Skip("This needs Linux.");
        using (var child = ChildCache.Start(_directory.Path, $"set 0 {Entries} 1,flush")) child.Kill();
        var cache = StampCache.Open(_directory.Path, change: static o => o.DiskTimeout = TimeSpan.FromMilliseconds(200), housekeeping: _housekeeping);
        Assert.InRange(PrivateField.Of<HybridLog>(cache.Tiers, "_log").LentSegments, 1, int.MaxValue);
        return cache;
    }
}
