using HybridCaching.CrashTests.Child;

namespace HybridCaching.CrashTests;

/// <summary>A cache that rests with a checkpoint, as when its host stops, and is killed: nothing has changed since, so everything is there.</summary>
[Trait("Category", "Crash")]
public sealed class RestTests
{
    private const long Plenty = 64 << 20;

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

        Assert.True(expected > 1000, $"only {expected} entries");
        Assert.InRange(found, expected * Promises.WarmShare, expected);
    }

    private static ChildPlan Quiet(ChildPlan plan) =>
        plan with { MemoryBudget = Plenty, DiskBudget = Plenty, DiskWriteBudget = null, HasSteward = false, WorkMilliseconds = 300, RestsAtEnd = true };
}
