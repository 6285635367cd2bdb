using System.Globalization;

namespace HybridCaching.SoakTests;

/// <summary>How much is done, and within which budgets.</summary>
internal sealed record SoakPlan
{
    /// <summary>How often the sizes of values go from the smallest to the largest, all in equal conditions; one more comes before, for warming up.</summary>
    public const int Tenths = 10;

    private const string OperationsVariable = "HYBRIDCACHING_SOAK_OPERATIONS";

    public required string Name { get; init; }

    /// <summary>Reads, sets and removals by callers, without those for warming up.</summary>
    public required long Operations { get; init; }

    public required ByteSize MemoryBudget { get; init; }

    public required ByteSize DiskBudget { get; init; }

    /// <summary>How many keys are read again and again, by Zipf; a power of two. As many others are met by scans only.</summary>
    public required int PopularKeys { get; init; }

    /// <summary>How often the disk must have been written anew.</summary>
    public required double Turnovers { get; init; }

    /// <summary>By how much of them the open files of the second half may be more than those of the first. A short run has a few samples only, and is at a random moment of a segment's life.</summary>
    public double MoreHandles { get; init; } = 0.25;

    /// <summary>A run that takes longer hangs.</summary>
    public TimeSpan Patience { get; init; } = TimeSpan.FromMinutes(2);

    public int Threads { get; init; } = 2;

    public int Seed { get; init; } = 1;

    public long OperationsOfTenth => Operations / Tenths;

    public long OperationsWithWarmUp => (Tenths + 1) * OperationsOfTenth;

    /// <summary>The same for long: as many operations as the environment says, and the budgets given. Skips the test if it says nothing.</summary>
    public SoakPlan ForLong(ByteSize memoryBudget, ByteSize diskBudget, int popularKeys)
    {
        bool isSoak = long.TryParse(Environment.GetEnvironmentVariable(OperationsVariable), CultureInfo.InvariantCulture, out long operations);
        Assert.SkipUnless(isSoak, $"{OperationsVariable} is not set; ./build.sh soak sets it.");
        return this with { Operations = operations, MemoryBudget = memoryBudget, DiskBudget = diskBudget, PopularKeys = popularKeys, MoreHandles = 0.05, Patience = TimeSpan.FromHours(12), Turnovers = 50.0 * operations / 20_000_000 };
    }
}
