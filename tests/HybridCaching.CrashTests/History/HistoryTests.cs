using HybridCaching.CrashTests.Child;

namespace HybridCaching.CrashTests.History;

/// <summary>Histories of eight threads, with reclaim, checkpoints and restarts: no hit that no order of the calls allows, and none that goes back.</summary>
[Trait("Category", "Crash")]
public sealed class HistoryTests
{
    private const int UsualOperations = 30_000;
    private const int LongOperations = 625_000;
    private const int Keys = 20_000;
    private const int Threads = 8;

    [Theory]
    [InlineData(CacheKind.Bytes, DiskIo.Buffered)]
    [InlineData(CacheKind.Typed, DiskIo.Direct)]
    public void Hits_WhileEverythingGoesOn_AreAllAllowed(CacheKind kind, DiskIo diskIo)
    {
        using var directory = new TestDirectory();
        using var state = SharedState.Create(directory.Combine("state"), Keys);
        var plan = new ChildPlan
        {
            Kind = kind,
            Directory = directory.Combine("cache"),
            StateFile = state.Path,
            Seed = Amount.Seed,
            MemoryBudget = kind == CacheKind.Bytes ? 13 << 20 : 8 << 20,
            DiskBudget = 12 << 20,
            DiskIo = diskIo,
        };
        int operations = Amount.Of(UsualOperations, LongOperations);
        var run = new HistoryRun(plan, state, operations);
        run.Go();

        var violations = HistoryChecker.Check(run.Histories);

        Assert.True(violations.Count == 0, $"{Amount.Again(Amount.Seed)}\n{string.Join('\n', violations)}");
        Assert.True(run.Hits > operations, $"only {run.Hits} hits");
        Assert.True(run.DiskHits > 0, "the disk took part");
        Assert.True(run.Checkpoints > 0, "checkpoints took part");
        if (Amount.IsLong) Assert.True(run.Evictions > 0, "reclaim took part");
        Report.Add($"{kind}: history", $"{(long)operations * Threads:N0} operations by {Threads} threads, {run.Hits:N0} hits judged, {run.DiskHits:N0} of the disk, about {run.Evictions:N0} evictions, {run.Checkpoints:N0} checkpoints, 4 restarts: 0 violations");
    }
}
