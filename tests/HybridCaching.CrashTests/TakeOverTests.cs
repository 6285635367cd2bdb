using HybridCaching.CrashTests.Child;

namespace HybridCaching.CrashTests;

/// <summary>A process that did not get the folder takes it over when the one that had it was killed, and is killed while it does.</summary>
[Trait("Category", "Crash")]
public sealed class TakeOverTests
{
    public static TheoryData<string> Points { get; } = new(FaultPoints.All.Where(FaultPoints.IsOfTakeOver));

    [Theory]
    [MemberData(nameof(Points))]
    public void Start_AfterAKillWhileTakingOver_FindsNothingWrongOrStale(string point)
    {
        using var campaign = new Campaign(CacheKind.Bytes, Amount.Seed);
        campaign.RunToEnd();
        campaign.Run(static plan => plan with { WorkMilliseconds = 60_000 }, first =>
        {
            first.WaitFor(1, Output.Judged);
            var plan = campaign.NextPlan() with { Task = ChildTask.Wait, KillPoint = point };
            using var second = ChildProcess.Start(plan);
            second.WaitFor(1, Output.Opened);
            first.Kill();
            second.WaitForExit();
            Assert.True(second.WasKilled, second.Problem ?? "it has ended without being killed");
            Assert.Contains(point, second.Said(Output.Point));
        });

        campaign.End();
    }
}
