namespace HybridCaching.SoakTests;

/// <summary>What came out of a run, and what there is to say of it.</summary>
internal sealed record SoakResult
{
    /// <summary>What the process may take beyond the memory budget: garbage that was not collected yet, code, stacks.</summary>
    private const long ResidentAllowance = 64L << 20;

    public required SoakPlan Plan { get; init; }

    public required IReadOnlyCollection<string> Violations { get; init; }

    public required IReadOnlyList<Tenth> Tenths { get; init; }

    public required IReadOnlyList<Sample> Samples { get; init; }

    /// <summary>What the process had in memory at the end, beyond what it had before, when all garbage was collected.</summary>
    public required long ResidentCollected { get; init; }

    /// <summary>Open files before there was the cache.</summary>
    public required int HandlesBefore { get; init; }

    /// <summary>Open files after it was closed.</summary>
    public required int HandlesAfter { get; init; }

    public CacheStatistics Statistics => Tenths[^1].After;

    /// <summary>How often the disk budget was written, warming up not counted.</summary>
    public double Turnovers => (Statistics.DiskWrittenBytes - Tenths[0].Before.DiskWrittenBytes) / (double)Plan.DiskBudget.Bytes;

    public long MostMemory => Samples.Max(s => s.Memory);

    public long MostDisk => Samples.Max(s => s.Disk);

    public long MostResident => Samples.Max(s => s.Resident);

    public long MostResidentAllowed => Plan.MemoryBudget.Bytes + ResidentAllowance;

    public double GetsP99Ratio => P99Ratio(t => t.Gets);

    public double SetsP99Ratio => P99Ratio(t => t.Sets);

    /// <summary>Open files in the first half.</summary>
    public int MostHandlesEarlier => MostHandles(static tenth => tenth is > 0 and <= SoakPlan.Tenths / 2);

    /// <summary>Open files in the second half.</summary>
    public int MostHandlesLater => MostHandles(static tenth => tenth > SoakPlan.Tenths / 2);

    /// <summary>A few segments more or less are on the disk from one moment to the next; one file left open per turnover would be more than that.</summary>
    public int MostHandlesAllowed => (int)(MostHandlesEarlier * (1 + Plan.MoreHandles));

    /// <summary>By how many percent of its mean the resident memory grew per turnover of the disk: the slope of a straight line through all samples after warming up.</summary>
    public double ResidentSlope()
    {
        var points = Samples.Where(s => s.Tenth > 0).Select(s => (X: s.Written / (double)Plan.DiskBudget.Bytes, Y: (double)s.Resident)).ToList();
        double meanX = points.Average(p => p.X);
        double meanY = points.Average(p => p.Y);
        double spread = points.Sum(p => (p.X - meanX) * (p.X - meanX));
        return spread == 0 ? 0 : 100 * points.Sum(p => (p.X - meanX) * (p.Y - meanY)) / spread / meanY;
    }

    /// <summary>Fails where anything is wrong that depends neither on how fast the machine is nor on when garbage is collected.</summary>
    public void AssertHolds()
    {
        Assert.True(Violations.Count == 0, string.Join('\n', Violations));
        Assert.True(MostMemory <= Plan.MemoryBudget.Bytes, $"{MostMemory} bytes of memory, though {Plan.MemoryBudget.Bytes} are allowed");
        Assert.True(MostDisk <= Plan.DiskBudget.Bytes, $"{MostDisk} bytes of disk, though {Plan.DiskBudget.Bytes} are allowed");
        Assert.True(MostHandlesLater <= MostHandlesAllowed, $"{MostHandlesLater} open files in the second half, {MostHandlesEarlier} in the first");
        Assert.True(HandlesAfter <= HandlesBefore, $"{HandlesAfter} open files after the cache was closed, {HandlesBefore} before it was opened");
        Assert.True(Statistics is { CorruptEntries: 0, DiskReadErrors: 0, DiskWriteErrors: 0, DiskUnavailableReason: null }, Statistics.ToString());
        Assert.True(Turnovers >= Plan.Turnovers, $"the disk was written {Turnovers:N1} times only, not {Plan.Turnovers:N1}");
    }

    private int MostHandles(Func<int, bool> isCounted) => Samples.Where(s => isCounted(s.Tenth)).Select(s => s.Handles).DefaultIfEmpty().Max();

    private double P99Ratio(Func<Tenth, Latencies> of) => of(Tenths[^1]).Microseconds(99) / of(Tenths[0]).Microseconds(99);
}
