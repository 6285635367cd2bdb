using System.Numerics;
using FsCheck;
using FsCheck.Fluent;
using HybridCaching.Configuration;
using HybridCaching.Records;

namespace HybridCaching.Tests.Configuration;

public sealed class MemoryPlanTests
{
    private const int Sessions = 68;
    private const int RecordOfLongs = 32;
    private const int LargestRecord = StoredTypes.MaximumEntryBytes + 16;

    private static readonly Arbitrary<(long Memory, long Disk, int Record)> Budgets = Gen.Choose(0, 3).SelectMany(kind =>
        Sizes(10, 37).SelectMany(extraMemory => Sizes(10, 42).SelectMany(extraDisk => Sizes(5, 20).Select(record =>
        {
            int recordBytes = (int)Math.Min(LargestRecord, (record + 7) & ~7L);
            long disk = kind == 0 ? 0 : MemoryPlan.SmallestDiskBudget(recordBytes) + (kind == 1 ? 0 : extraDisk);
            long memory = MemoryPlan.SmallestMemoryBudget(disk, recordBytes, Sessions) + (kind == 2 ? 0 : extraMemory);
            return (memory, disk, recordBytes);
        })))).ToArbitrary();

    [Fact]
    public void Create_AnyBudgets_StaysWithinMemory() => Holds(p => p.Total <= p.MemoryBudget);

    [Fact]
    public void Create_AnyBudgets_StaysWithinDisk() => Holds(p => p.Segments * p.SegmentBytes <= p.DiskBudget);

    [Fact]
    public void Create_AnyBudgets_PartsArePositive() =>
        Holds(p => p.IndexBytes > 0 && p.PageBytes > 0 && p.LogPages > 0 && p.SegmentBytes > 0 && p.BufferBytes > 0 && p.LogBytes > 0 && p.DiskLogBytes > 0);

    [Fact]
    public void Create_AnyBudgets_SizesThatFasterRoundsArePowersOf2() =>
        Holds(p => BitOperations.IsPow2(p.IndexBytes) && BitOperations.IsPow2(p.PageBytes) && BitOperations.IsPow2(p.RingPages) && BitOperations.IsPow2(p.SegmentBytes));

    [Fact]
    public void Create_AnyBudgets_PageHoldsFourRecords() => Holds(p => p.PageBytes >= 4 * p.RecordBytes);

    [Fact]
    public void Create_AnyBudgets_SegmentHoldsAPage() => Holds(p => p.SegmentBytes >= p.PageBytes);

    [Fact]
    public void Create_AnyBudgets_LogHasEnoughPages() => Holds(p => p.LogPages >= 8);

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
        Assert.Equal(LargestRecord, MemoryPlan.Create(MemoryPlan.SmallestMemoryBudget(1L << 30, LargestRecord, Sessions), 1L << 30, LargestRecord, Sessions).RecordBytes);

    [Fact]
    public void Create_MuchMemoryAndTheSmallestDisk_LogHasEnoughSegments() =>
        Assert.True(MemoryPlan.Create(8L << 30, MemoryPlan.SmallestDiskBudget(RecordOfLongs), RecordOfLongs, Sessions).Segments >= 4);

    [Fact]
    public void Create_MemoryOneByteTooSmall_IsRefused() => AssertRefused(MemoryPlan.SmallestMemoryBudget(1L << 30, RecordOfLongs, Sessions) - 1, 1L << 30, nameof(MemoryPlan.MemoryBudget));

    [Fact]
    public void Create_MemoryOneByteTooSmallWithoutDisk_IsRefused() => AssertRefused(MemoryPlan.SmallestMemoryBudget(0, RecordOfLongs, Sessions) - 1, 0, nameof(MemoryPlan.MemoryBudget));

    [Fact]
    public void Create_DiskOneByteTooSmall_IsRefused() => AssertRefused(1L << 30, MemoryPlan.SmallestDiskBudget(RecordOfLongs) - 1, nameof(MemoryPlan.DiskBudget));

    [Fact]
    public void Create_OneByteOfEach_IsRefused() => AssertRefused(1, 1, nameof(MemoryPlan.DiskBudget));

    [Fact]
    public void SmallestMemoryBudget_LongsWithTheDefaultDiskBudget_IsAtMost12MB() =>
        Assert.InRange(MemoryPlan.SmallestMemoryBudget(FasterCacheOptions.DefaultDiskBudget, RecordOfLongs, 96), 0, 12L << 20);

    private static void Holds(Func<MemoryPlan, bool> property) => Prop.ForAll(Budgets, b =>
    {
        var plan = MemoryPlan.Create(b.Memory, b.Disk, b.Record, Sessions);
        return property(plan).Label(plan.ToString());
    }).Check(Config.QuickThrowOnFailure.WithMaxTest(1000));

    private static void AssertRefused(long memory, long disk, string setting)
    {
        var refusal = Assert.Throws<ArgumentException>(() => MemoryPlan.Create(memory, disk, RecordOfLongs, Sessions));
        long named = long.Parse(refusal.Message.Split($"the smallest {setting} is ")[1].Split(' ')[0], System.Globalization.CultureInfo.InvariantCulture);

        Assert.Contains($"MemoryBudget {new ByteSize(memory)}", refusal.Message, StringComparison.Ordinal);
        Assert.Contains($"DiskBudget {new ByteSize(disk)}", refusal.Message, StringComparison.Ordinal);
        Assert.Equal(setting, refusal.ParamName);
        Assert.Equal(setting == nameof(MemoryPlan.MemoryBudget) ? memory + 1 : MemoryPlan.SmallestDiskBudget(RecordOfLongs), named);
    }

    /// <summary>Numbers whose logarithms are evenly spread.</summary>
    private static Gen<long> Sizes(int fromBits, int toBits) =>
        Gen.Choose(fromBits, toBits).SelectMany(bits => Gen.Choose(0, 1023).Select(fraction => (1L << bits) + ((1L << bits) * fraction / 1024)));
}
