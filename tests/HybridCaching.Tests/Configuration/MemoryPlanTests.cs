using System.Numerics;
using FsCheck;
using FsCheck.Fluent;
using HybridCaching.Configuration;
using HybridCaching.Records;

namespace HybridCaching.Tests.Configuration;

public sealed class MemoryPlanTests
{
    private const int Readers = 85;
    private const int RecordOfLongs = 32;
    private const int LongestTypical = (64 << 10) + 64;
    private const int LongestKeyRecord = 33 << 10;
    private const int LargestRecord = StoredTypes.MaximumEntryBytes + 16;

    private static readonly Arbitrary<(long Memory, long Disk, RecordShape Record, double HotShare)> Budgets = Gen.Choose(0, 3).SelectMany(kind =>
        Sizes(10, 37).SelectMany(extraMemory => Sizes(10, 42).SelectMany(extraDisk => Sizes(5, 20).SelectMany(record => Gen.Choose(0, 95).Select(percent =>
        {
            int recordBytes = (int)Math.Min(LargestRecord, (record + 7) & ~7L);
            RecordShape shape = percent % 2 == 0 ? recordBytes : Mixed(Math.Min(recordBytes, LongestTypical));
            long disk = kind == 0 ? 0 : MemoryPlan.SmallestDiskBudget(shape) + (kind == 1 ? 0 : extraDisk);
            long memory = MemoryPlan.SmallestMemoryBudget(disk, shape, Readers) + (kind == 2 ? 0 : extraMemory);
            return (memory, disk, shape, percent / 100.0);
        }))))).ToArbitrary();

    /// <summary>Twice as many would have 18 ways, and much of their last one would be idle.</summary>
    [Fact]
    public void Create_HardlyMoreMemoryThanAllWaysOfSomeRowsTake_HasNoMoreRows()
    {
        var plan = MemoryPlan.Create(79L << 20, 98L << 20, record: 48, slotBytes: 48, Readers, 0.85);

        Assert.Equal(32_768, plan.HotRows);
        if (OperatingSystem.IsLinux()) Assert.Equal(MemoryPlan.MaximumHotWays, plan.MostHotWays);
    }

    [Fact]
    public void Create_AnyBudgets_StaysWithinMemory() => Holds(p => p.Total <= p.MemoryBudget);

    [Fact]
    public void Create_AnyBudgets_StaysWithinDisk() => Holds(p => p.Segments * p.SegmentBytes <= p.DiskBudget);

    [Fact]
    public void Create_AnyBudgets_PartsArePositive() =>
        Holds(p => p.IndexBytes > 0 && p.PageBytes > 0 && p.LogPages > 0 && p.SegmentBytes > 0 && p.BufferBytes >= 0 && p.LogBytes > 0 && p.DiskLogBytes > 0);

    [Fact]
    public void Create_AnyBudgets_SizesThatFasterRoundsArePowersOf2() =>
        Holds(p => BitOperations.IsPow2(p.IndexBytes) && BitOperations.IsPow2(p.PageBytes) && BitOperations.IsPow2(p.RingPages) && BitOperations.IsPow2(p.SegmentBytes));

    [Fact]
    public void Create_AnyBudgets_PageHoldsFourRecords() => Holds(p => p.PageBytes >= 4 * (p.Record.IsFixed ? p.RecordBytes : Math.Min(p.LargestRecordBytes, p.PageBytes / 4)));

    [Fact]
    public void Create_AnyBudgets_PageHoldsTheLargestRecord() => Holds(p => p.LargestRecordBytes <= p.PageBytes && p.LargestRecordBytes >= p.Record.LargestAlways);

    [Fact]
    public void Create_AnyBudgets_BuffersAreAsLongAsTheLargestRecord() => Holds(p => p.DiskBudget == 0 || p.BufferBytes >= Readers * (long)MemoryPlan.ReadBufferBytes(p.LargestRecordBytes));

    [Fact]
    public void Create_MixedRecords_LogHasPagesBeyondThoseThatArePromised() => Holds(p => p.Record.IsFixed || p.AffordableLogPages - ((p.HotWays - p.InitialHotWays) * p.HotWayBytes / p.PageCostBytes) >= p.PromisedPages + 4);

    [Fact]
    public void Create_AnyBudgets_SegmentHoldsAPage() => Holds(p => p.SegmentBytes >= p.PageBytes);

    [Fact]
    public void Create_AnyBudgets_LogHasEnoughPages() => Holds(p => p.LogPages >= 7);

    /// <summary>The checksums of so large a disk leave next to nothing for an index.</summary>
    [Fact]
    public void Create_DiskThatTakesNearlyAllMemory_LogHasEnoughPages() =>
        Assert.InRange(MemoryPlan.Create(405_983_752, 387_893_960_704, new RecordShape(8360, Smallest: 24, Largest: 128 << 10, LargestAlways: 33_792), 4180, Readers, 0.93).LogPages, 8, int.MaxValue);

    [Fact]
    public void Create_AnyDiskBudget_LogHasEnoughSegments() => Holds(p => p.DiskBudget == 0 || p.Segments >= 4);

    /// <summary>Otherwise entries are dropped for the sake of the disk that have never been on it.</summary>
    [Fact]
    public void Create_AnyDiskBudget_LogInMemoryIsNoLongerThanThatOnDisk() => Holds(p => p.DiskBudget == 0 || (long)p.LogPages * p.PageBytes <= p.DiskLogBytes);

    [Fact]
    public void Create_WithoutDisk_HasNoSegmentsAndNoEndOfTheLog() =>
        Holds(p => p.DiskBudget > 0 || (p.Segments == 0 && p.DiskLogBytes == long.MaxValue));

    [Fact]
    public void Create_LargestRecord_Works() =>
        Assert.Equal(LargestRecord, MemoryPlan.Create(MemoryPlan.SmallestMemoryBudget(1L << 30, LargestRecord, Readers), 1L << 30, LargestRecord, LargestRecord - 8, Readers, 0.75).RecordBytes);

    [Fact]
    public void Create_MuchMemoryAndTheSmallestDisk_LogHasEnoughSegments() =>
        Assert.True(MemoryPlan.Create(8L << 30, MemoryPlan.SmallestDiskBudget(RecordOfLongs), RecordOfLongs, 24, Readers, 0.75).Segments >= 4);

    [Fact]
    public void Create_MemoryOneByteTooSmall_IsRefused() => AssertRefused(MemoryPlan.SmallestMemoryBudget(1L << 30, RecordOfLongs, Readers) - 1, 1L << 30, nameof(MemoryPlan.MemoryBudget));

    [Fact]
    public void Create_MemoryOneByteTooSmallWithoutDisk_IsRefused() => AssertRefused(MemoryPlan.SmallestMemoryBudget(0, RecordOfLongs, Readers) - 1, 0, nameof(MemoryPlan.MemoryBudget));

    [Fact]
    public void Create_DiskOneByteTooSmall_IsRefused() => AssertRefused(1L << 30, MemoryPlan.SmallestDiskBudget(RecordOfLongs) - 1, nameof(MemoryPlan.DiskBudget));

    [Fact]
    public void Create_OneByteOfEach_IsRefused() => AssertRefused(1, 1, nameof(MemoryPlan.DiskBudget));

    [Fact]
    public void Create_WithoutDisk_RefusalDoesNotSpeakOfOne() =>
        Assert.DoesNotContain("Disk", Assert.Throws<ArgumentException>(() => MemoryPlan.Create(1, 0, RecordOfLongs, 24, Readers, 0.75)).Message, StringComparison.Ordinal);

    /// <summary>Beside 64 MB of memory 14.3 MB of disk keep something, 16 MB nothing, and 17 MB something again: what is named has to be enough from there on.</summary>
    [Theory]
    [InlineData(8, 6)]
    [InlineData(16, 6)]
    [InlineData(64, 6)]
    [InlineData(64, 16)]
    [InlineData(4096, 16)]
    public void LeastDiskToKeep_DiskTooSmall_IsEnoughAndSoIsMore(int megabytesOfMemory, int megabytesOfDisk)
    {
        long disk = (long)megabytesOfDisk << 20;
        long least = Plan(disk).LeastDiskToKeep()!.Value;

        Assert.False(Keeps(disk));
        Assert.False(Keeps(least - (1 << 20)));
        Assert.InRange(least, disk + 1, 24L << 20);
        Assert.All(Enumerable.Range(0, 64), i => Assert.True(Keeps(least + (least * i / 64))));

        MemoryPlan Plan(long disk) => MemoryPlan.Create((long)megabytesOfMemory << 20, disk, RecordOfLongs, 24, Readers, 0.85);
        bool Keeps(long disk) => Plan(disk).SettledSegments > 0;
    }

    /// <summary>What is needed for more disk is more memory.</summary>
    [Fact]
    public void LeastDiskToKeep_TooLittleMemory_IsNone()
    {
        long disk = MemoryPlan.SmallestDiskBudget(RecordOfLongs);
        Assert.Null(MemoryPlan.Create(MemoryPlan.SmallestMemoryBudget(disk, RecordOfLongs, Readers), disk, RecordOfLongs, 24, Readers, 0.85).LeastDiskToKeep());
    }

    [Fact]
    public void SmallestMemoryBudget_LongsWithTheDefaultDiskBudget_IsAtMost12MB() =>
        Assert.InRange(MemoryPlan.SmallestMemoryBudget(FasterCacheOptions.DefaultDiskBudget, RecordOfLongs, 96), 0, 12L << 20);

    /// <summary>What the hot tier gets in the end the log can spare.</summary>
    [Fact]
    public void Create_AnyBudgets_LogKeepsEnoughPagesForAFullHotTier() =>
        Holds(p => p.AffordableLogPages - ((p.HotWays - p.InitialHotWays) * p.HotWayBytes / (double)p.PageCostBytes) >= 6);

    [Fact]
    public void Create_AnyBudgets_HotTierBeginsWithNoMoreWaysThanItEndsWith() => Holds(p => p.InitialHotWays <= p.HotWays && p.HotWays <= MemoryPlan.MaximumHotWays);

    /// <summary>Whatever part of its plan each index takes, or FASTER's however much more: what they leave is divided so that the sum stays within the budget.</summary>
    [Theory]
    [InlineData(0)]
    [InlineData(0.3)]
    [InlineData(1)]
    public void HotWaysBeside_AnyGrowthOfTheIndexes_KeepsTheSumWithinTheBudget(double missing) => Holds(p =>
    {
        long settled = -(long)(missing * p.LaterBytes);
        for (long overflow = 0; overflow <= p.OverflowBytes + (2 * IndexSizing.OverflowPageBytes); overflow += IndexSizing.OverflowPageBytes / 8)
        {
            long growth = overflow - p.OverflowBytes;
            int most = p.HotWaysBeside(growth, settled);
            for (int ways = 0; ways <= most; ways++)
            {
                long log = p.LogBytesBeside(Math.Max(0, growth) + p.LentBytes(Math.Max(0, ways - p.WaysOnReserve(growth)), settled));
                long sum = IndexSizing.FixedBytes + p.IndexBytes + p.SettledIndexBytes + p.GhostBytes + settled + p.HitCountBytes + overflow + log + (p.HotRows * MemoryPlan.HotRowBytes) + (ways * p.HotWayBytes) + p.BufferBytes;
                if (sum > p.MemoryBudget || ways < 0 || ways > p.MostHotWays) return false;
            }
        }

        return true;
    });

    /// <summary>FASTER's index grows from one moment to the next, and pages of the log leave only when they have been written.</summary>
    [Theory]
    [InlineData(0)]
    [InlineData(0.5)]
    [InlineData(1)]
    public void LentBytes_FastersIndexGrows_LogGivesUpNoMoreThanTheHotTierCannot(double missing) => Holds(p =>
    {
        long settled = -(long)(missing * p.LaterBytes);
        for (long growth = -p.OverflowBytes; growth < 0; growth += IndexSizing.OverflowPageBytes / 8)
        {
            if (p.LentBytes(p.HotWaysBeside(growth, settled), settled) > p.LentBytes(p.HotWaysBeside(-p.OverflowBytes, settled), settled)) return false;
        }

        return true;
    });

    /// <summary>What the disk needs only when it is full is of use until then.</summary>
    [Fact]
    public void HotWaysBeside_NothingOnTheDiskYet_LeavesLittleUnused() => Holds(p =>
    {
        int ways = p.HotWaysBeside(0, -p.LaterBytes);
        long log = Math.Min(p.LogBytesBeside(p.LentBytes(ways, -p.LaterBytes)), (p.MostLogPages + (p.LogBytes / p.PageCostBytes) - p.LogPages) * p.PageCostBytes);
        bool isLogAtItsMost = log < p.LogBytesBeside(p.LentBytes(ways, -p.LaterBytes));
        long used = log + (ways * p.HotWayBytes);
        long atLast = p.LogBytesBeside(p.LentBytes(p.HotWays, 0)) + (p.HotWays * p.HotWayBytes);
        return isLogAtItsMost || used >= atLast + p.LaterBytes - p.HotWayBytes - p.PageCostBytes;
    });

    private static void Holds(Func<MemoryPlan, bool> property) => Prop.ForAll(Budgets, b =>
    {
        var plan = MemoryPlan.Create(b.Memory, b.Disk, b.Record, Math.Max(32, b.Record.Typical / 2), Readers, b.HotShare);
        return property(plan).Label(plan.ToString());
    }).Check(Config.QuickThrowOnFailure.WithMaxTest(1000));

    private static RecordShape Mixed(int typical) => new(typical, Smallest: 24, Largest: 128 << 10, LargestAlways: LongestKeyRecord);

    private static void AssertRefused(long memory, long disk, string setting)
    {
        var refusal = Assert.Throws<ArgumentException>(() => MemoryPlan.Create(memory, disk, RecordOfLongs, 24, Readers, 0.75));
        long named = long.Parse(refusal.Message.Split($"the smallest {setting} is ")[1].Split(' ')[0], System.Globalization.CultureInfo.InvariantCulture);

        Assert.Contains($"MemoryBudget {new ByteSize(memory)}", refusal.Message, StringComparison.Ordinal);
        Assert.Equal(disk > 0, refusal.Message.Contains($"with DiskBudget {new ByteSize(disk)}", StringComparison.Ordinal));
        Assert.Equal(setting, refusal.ParamName);
        Assert.Equal(setting == nameof(MemoryPlan.MemoryBudget) ? memory + 1 : MemoryPlan.SmallestDiskBudget(RecordOfLongs), named);
    }

    /// <summary>Numbers whose logarithms are evenly spread.</summary>
    private static Gen<long> Sizes(int fromBits, int toBits) =>
        Gen.Choose(fromBits, toBits).SelectMany(bits => Gen.Choose(0, 1023).Select(fraction => (1L << bits) + ((1L << bits) * fraction / 1024)));
}
