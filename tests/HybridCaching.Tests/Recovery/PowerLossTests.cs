using HybridCaching.Tests.Support;

namespace HybridCaching.Tests.Recovery;

/// <summary>Power loss, for real: a file system that is shut down forgets what it had not yet brought to the disk, deletions included.</summary>
public sealed class PowerLossTests
{
    [Theory]
    [InlineData("xfs")]
    [InlineData("ext4")]
    public void Open_PowerLossAfterAWarmStart_AnswersNothingOlder(string kind)
    {
        using var disk = new LoopDisk(kind);
        using (var first = StampCache.Open(disk.Path)) first.Fill(0, 60_000, version: 1);
        disk.Sync();
        using (var second = StampCache.Open(disk.Path))
        {
            Assert.InRange(second.GetStatistics().RecoveredEntries, 1, long.MaxValue);
            second.Fill(0, 60_000, version: 2);
            disk.ShutDown();
        }

        Until.True(disk.TryRemount, "the disk is mounted again");
        using var again = StampCache.Open(disk.Path);

        again.CountHits(0, 60_000, version: 2);
    }
}
