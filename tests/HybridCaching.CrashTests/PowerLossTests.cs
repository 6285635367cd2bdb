using HybridCaching.CrashTests.Child;

namespace HybridCaching.CrashTests;

/// <summary>Power loss, for real: the file system is shut down under the process and forgets what it had not brought to the disk, and so does memory; or only the disk does. Where root allows.</summary>
[Trait("Category", "Crash")]
public sealed class PowerLossTests
{
    private const int Usual = 2;
    private const int Large = 50;

    [Theory]
    [InlineData("xfs")]
    [InlineData("ext4")]
    public void Start_AfterPowerLossWhileWriting_FindsNothingWrongOrStale(string fileSystem)
    {
        using var disk = new LoopDisk(fileSystem);
        using var campaign = new Campaign(CacheKind.Bytes, Amount.Seed, disk.Path);
        var random = new Random(Amount.Seed);
        int losses = Amount.Of(Usual, Large);
        for (int loss = 0; loss < losses; loss++)
        {
            // Every other process takes no checkpoints: what these bring to the disk would bring other things with it.
            var steward = loss % 2 == 0 ? StewardTask.None : StewardTask.All;
            bool isOfDiskOnly = loss / 2 % 2 == 1;
            campaign.RunToEnd(static plan => plan with { Steward = StewardTask.None });
            disk.Sync();
            campaign.Run(plan => plan with { Steward = steward, WorkMilliseconds = 60_000 }, child =>
            {
                child.WaitFor(1, Output.Judged);
                Thread.Sleep(random.Next(50, 800));
                disk.ShutDown();
                child.Kill();
            });
            if (!isOfDiskOnly) SharedMemoryLeft.Delete(campaign.Folder);
            campaign.IsDamaged = isOfDiskOnly;
            Until.True(disk.TryRemount, "the disk is mounted again");
            campaign.End();
        }

        Report.Add($"power loss on {fileSystem}", $"{losses} losses; {campaign.Figures.Judged:N0} values judged, 0 wrong or stale");
    }
}
