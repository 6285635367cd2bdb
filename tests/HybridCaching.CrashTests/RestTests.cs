using HybridCaching.CrashTests.Child;

namespace HybridCaching.CrashTests;

/// <summary>A cache that rests with a checkpoint, as when its host stops, and is killed: nothing has changed since, so everything is there.</summary>
[Trait("Category", "Crash")]
public sealed class RestTests
{
    private const long Plenty = 64 << 20;

    /// <summary>More than is written in a process or two: after a start, the oldest of a full disk makes room for a new log.</summary>
    private const long PlentyOfDisk = 8 * Plenty;

    [Theory]
    [InlineData(CacheKind.Bytes)]
    [InlineData(CacheKind.Typed)]
    public void Start_KilledAtRest_FindsNearlyAll(CacheKind kind)
    {
        using var campaign = new Campaign(kind, Amount.Seed);
        campaign.Run(Quiet, static child =>
        {
            child.WaitFor(1, Output.Resting);
            child.Kill();
        });
        int expected = Enumerable.Range(0, campaign.State.Keys).Count(campaign.State.IsInCheckpoint);
        long found = 0;
        campaign.Run(static plan => Quiet(plan) with { WorkMilliseconds = 0, RestsAtEnd = false }, child =>
        {
            child.WaitForExit();
            found = child.Numbers(Output.Judged)[1];
        });

        Assert.True(expected > 100, $"only {expected} entries");
        Assert.InRange(found, expected * Promises.WarmShare, expected);
    }

    [Theory]
    [InlineData(CacheKind.Bytes)]
    [InlineData(CacheKind.Typed)]
    public void Start_KilledWhileWriting_FindsNearlyAllOfTheLastCheckpoint(CacheKind kind)
    {
        Assert.SkipUnless(Promises.IsWarmAfterKill, "a start after a kill is cold on this system");
        using var campaign = new Campaign(kind, Amount.Seed);
        for (int kill = 0; kill < Amount.Of(3, 30); kill++)
        {
            campaign.Run(static plan => Quiet(plan) with { Steward = StewardTask.Checkpoints, WorkMilliseconds = 60_000 }, child =>
            {
                child.WaitFor(1, Output.Judged);
                long before = Volatile.Read(ref campaign.State.Header.Checkpoints);
                Until.True(() => Volatile.Read(ref campaign.State.Header.Checkpoints) > before + 2, "some checkpoints are taken"); // and at once: four threads overwrite all there is in no time
                child.Kill();
            });
        }

        campaign.End(Quiet);

        Assert.InRange(campaign.Figures.ExpectedHits, campaign.Figures.Expected * Promises.WarmShare, campaign.Figures.Expected);
        Assert.True(campaign.Figures.Expected > 10, $"only {campaign.Figures.Expected} entries, evicted {campaign.State.Header.HasEvicted}, {campaign.Figures.WarmStarts} of {campaign.Figures.Starts} starts warm, {Amount.Again(Amount.Seed)}");
        Report.Add($"{kind}: entries of the last checkpoint found after {campaign.Figures.Kills} kills while all is overwritten", campaign.Figures.FoundText);
    }

    private static ChildPlan Quiet(ChildPlan plan) =>
        plan with { MemoryBudget = Plenty, DiskBudget = PlentyOfDisk, DiskWriteBudget = null, Steward = StewardTask.None, WorkMilliseconds = 500, RestsAtEnd = true };
}
