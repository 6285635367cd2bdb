using HybridCaching.Diagnostics;
using HybridCaching.Tests.Support;
using Microsoft.Extensions.Diagnostics.HealthChecks;
using Microsoft.Extensions.Logging;

namespace HybridCaching.Tests.Devices;

/// <summary>What is promised whatever happens to the disk. Each kind of fault is a class of its own.</summary>
[Collection(nameof(RunsAlone))]
public abstract class DiskFaultTests<TFault>
    where TFault : DiskFault
{
    protected DiskFaultTests(TFault fault)
    {
        Fault = fault;
        fault.Observe();
    }

    protected TFault Fault { get; }

    [Fact]
    public void Calls_DiskBreaks_NeitherThrowNorFindAnythingWrong() => Assert.Empty(Fault.Failures);

    [Fact]
    public void Calls_DiskBreaks_NoneTakesMoreThanASecond() => Assert.InRange(Fault.LongestCall, TimeSpan.Zero, TimeSpan.FromSeconds(1) + Fault.LongestStall);

    [Fact]
    public void Statistics_DiskBreaks_TellAndCount()
    {
        Assert.NotNull(Fault.Trouble);
        Assert.InRange(Fault.ErrorsCounted, 1, long.MaxValue);
    }

    [Fact]
    public void Health_DiskBroken_IsDegradedAndSaysWhy()
    {
        Assert.All(Fault.HealthWhileBroken, report => Assert.Equal(HealthStatus.Degraded, report.Status));
        Assert.All(Fault.HealthWhileBroken, report => Assert.Contains(StampCache.Name, report.Description, StringComparison.Ordinal));
        Assert.InRange(Fault.HealthWhileBroken.Count, 2, int.MaxValue);
    }

    [Fact]
    public void Health_Healed_IsHealthy() => Assert.Equal(HealthStatus.Healthy, Fault.HealthAfterwards);

    /// <summary>Of what was on the disk.</summary>
    [Fact]
    public void Get_DiskBroken_IsAMiss() => Assert.InRange(Fault.MissesWhileBroken, 1, long.MaxValue);

    [Fact]
    public void Get_DiskBroken_FindsWhatIsInMemory() => Assert.InRange(Fault.HitsWhileBroken, 800, 1000); // others store so much meanwhile that an entry may have to leave; on a busy machine one in ten did

    /// <summary>That reads or writes failed, that the disk is of no use, that its folder was given up: one line each, however many calls there are.</summary>
    [Fact]
    public void Log_DiskBreaks_SaysEachThingOnce()
    {
        var said = NamesOf(static e => e.Level >= LogLevel.Warning);

        Assert.Contains(said, static name => name is nameof(Log.DiskInTrouble) or nameof(Log.DirectoryUnavailable));
        Assert.Equal(said.Distinct(), said);
        Assert.Empty(said.Except([nameof(Log.DiskReadsFailed), nameof(Log.DiskWritesFailed), nameof(Log.DiskInTrouble), nameof(Log.DirectoryUnavailable)]));
    }

    [Fact]
    public void Log_CauseEnds_SaysSoOnce()
    {
        var said = NamesOf(static e => e.Id.Name is nameof(Log.DiskWorksAgain) or nameof(Log.DirectoryTakenOver));

        Assert.NotEmpty(said);
        Assert.Equal(said.Distinct(), said);
    }

    [Fact]
    public void Cache_CauseEnds_HealsByItself() => Assert.InRange(Fault.TimeToHeal, TimeSpan.Zero, Until.Deadline);

    [Fact]
    public void Get_Healed_FindsNewEntriesOnTheDisk()
    {
        Assert.InRange(Fault.AfterHealing.Hits, 59_990, 60_000); // a new key takes the settled record of another along once in 650,000
        Assert.InRange(Fault.AfterHealing.DiskHits, 1, long.MaxValue);
    }

    /// <summary>Five seconds without a sign of life are its patience, for running calls and for the checkpoint.</summary>
    [Fact]
    public void Dispose_DiskBroken_Ends() => Assert.InRange(Fault.TimeToDisposeBroken, TimeSpan.Zero, TimeSpan.FromSeconds(12));

    [Fact]
    public void Dispose_Healed_Ends() => Assert.InRange(Fault.TimeToDispose, TimeSpan.Zero, TimeSpan.FromSeconds(10));

    private List<string> NamesOf(Func<CollectingLoggerFactory.LogEntry, bool> which) => [.. Fault.Log.Entries.Where(which).Select(static e => e.Id.Name!)];
}
