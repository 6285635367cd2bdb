using FsCheck;
using FsCheck.Fluent;
using HybridCaching.Configuration;

namespace HybridCaching.Tests.Configuration;

/// <summary>Plans for other budgets than those that a cache was opened with.</summary>
public sealed class ResizedPlanTests
{
    private const int Readers = 84;
    private const long OverflowNow = 3 * IndexSizing.OverflowPageBytes;

    private static readonly Arbitrary<Case> Cases = Gen.Choose(0, 2).SelectMany(kind => Sizes(10, 34).SelectMany(memory => Sizes(10, 38).SelectMany(disk => Gen.Choose(0, 11).SelectMany(record => Gen.Choose(1, 800).SelectMany(memoryPercent => Gen.Choose(1, 800).Select(diskPercent =>
    {
        RecordShape shape = record < 10 ? 24 << record : new RecordShape(record == 10 ? 100 : 600, Smallest: 24, Largest: 128 << 10, LargestAlways: 33 << 10);
        long diskBudget = kind == 0 ? 0 : MemoryPlan.SmallestDiskBudget(shape) + disk;
        long memoryBudget = MemoryPlan.SmallestMemoryBudget(diskBudget, shape, Readers) + memory;
        return new Case(memoryBudget, diskBudget, shape, memoryPercent / 100.0, diskPercent / 100.0);
    })))))).ToArbitrary();

    [Fact]
    public void TryDivide_AnyBudgets_StaysWithinMemory() => Holds((_, to) => to.Total <= to.MemoryBudget);

    [Fact]
    public void TryDivide_AnyBudgets_StaysWithinDisk() => Holds((_, to) => (to.Segments * to.SegmentBytes) + to.IndexFileLimit + to.SettledIndexBytes <= to.DiskBudget || to.DiskBudget == 0);

    [Fact]
    public void TryDivide_AnyBudgets_SizesStay() => Holds((from, to) =>
        (from.PageBytes, from.SegmentBytes, from.IndexBytes, from.HotRows, from.RingPages, from.HotWayBytes) == (to.PageBytes, to.SegmentBytes, to.IndexBytes, to.HotRows, to.RingPages, to.HotWayBytes));

    [Fact]
    public void TryDivide_AnyBudgets_RingIsLargerThanTheLog() => Holds((_, to) => to.LogPages < to.RingPages && to.AffordableLogPages < to.RingPages);

    [Fact]
    public void TryDivide_AnyBudgets_LogHasEnoughPages() => Holds((_, to) => to.LogPages >= 7);

    [Fact]
    public void TryDivide_AnyBudgets_LogInMemoryIsNoLongerThanThatOnDisk() => Holds((_, to) => to.DiskBudget == 0 || (long)to.LogPages * to.PageBytes <= to.DiskLogBytes);

    [Fact]
    public void TryDivide_AnyBudgets_WhatIsKeptStaysKept() => Holds((from, to) => (from.SettledSegments > 0) == (to.SettledSegments > 0));

    [Fact]
    public void TryDivide_AnyBudgets_IndexIsNeverOfMoreThanFourTables() => Holds((_, to) => to.SettledTables.Length <= 4);

    /// <summary>Whatever part of its plan the index takes, or however much more: what it leaves is divided so that the sum stays within the budget.</summary>
    [Fact]
    public void HotWaysBeside_AnyGrowthOfTheIndex_KeepsTheSumWithinTheBudget() => Holds((_, to) =>
    {
        for (long overflow = 0; overflow <= to.OverflowBytes; overflow += IndexSizing.OverflowPageBytes)
        {
            int ways = to.HotWaysBeside(overflow - to.OverflowBytes, 0);
            long log = to.LogBytesBeside(to.LentBytes(ways, 0));
            long sum = IndexSizing.FixedBytes + to.IndexBytes + overflow + to.SettledIndexBytes + to.GhostBytes + to.HitCountBytes + log + (to.HotRows * MemoryPlan.HotRowBytes) + (ways * to.HotWayBytes) + to.BufferBytes;
            if (sum > to.MemoryBudget) return false;
        }

        return true;
    });

    [Fact]
    public void TryDivide_SameBudgets_IsPossible() => Prop.ForAll(Cases, c =>
    {
        var plan = c.Open();
        return (plan.TryDivide(plan.MemoryBudget, plan.DiskBudget, plan.SizesOfOpen()) is not null).Label(plan.ToString());
    }).Check(Config.QuickThrowOnFailure.WithMaxTest(500));

    [Fact]
    public void TryDivide_SameBudgets_BuffersAreTheSame()
    {
        var plan = new Case(256 << 20, 4L << 30, new RecordShape(600, Smallest: 24, Largest: 128 << 10, LargestAlways: 33 << 10), 1, 1).Open();

        Assert.Equal(plan.BufferBytes, plan.TryDivide(plan.MemoryBudget, plan.DiskBudget, plan.SizesOfOpen())?.BufferBytes);
    }

    /// <summary>They are not given back while the cache is open.</summary>
    [Fact]
    public void TryDivide_ChecksumsAndNotesThatAreThere_AreCounted()
    {
        const long Checksums = 16 << 20;
        const long Notes = 6 << 20;
        var plan = new Case(256 << 20, 4L << 30, new RecordShape(600, Smallest: 24, Largest: 128 << 10, LargestAlways: 33 << 10), 1, 1).Open();

        var without = plan.TryDivide(plan.MemoryBudget, 1L << 30, plan.SizesOfOpen())!;
        var with = plan.TryDivide(plan.MemoryBudget, 1L << 30, plan.SizesOfOpen() with { ChecksumBytes = Checksums, NoteBytes = Notes })!;

        Assert.Equal(without.BufferBytes + Checksums - (1 << 20) + Notes - without.NoteBytes, with.BufferBytes);
    }

    /// <summary>Otherwise the start after a change of budgets is cold, though the new ones are asked for.</summary>
    [Fact]
    public void TryDivide_SizesOfFilesThatTheBudgetsLedTo_IsPossible() => Holds((_, to) => IsPossibleAgain(to));

    /// <summary>Opening leaves room for more rows than this cache has.</summary>
    [Fact]
    public void TryDivide_SizesOfFilesOfAnIndexThatTookAllMemory_IsPossible()
    {
        var from = new Case(101568388, 88357478400, new RecordShape(600, Smallest: 24, Largest: 128 << 10, LargestAlways: 33 << 10), 6.74, 6.6);
        Assert.True(IsPossibleAgain(from.Resize(from.Open())!));
    }

    /// <summary>The file of the index is as long as it may be, and there is no block of the disk to spare.</summary>
    [Fact]
    public void TryDivide_SizesOfFilesOnASmallDisk_IsPossible()
    {
        var from = new Case(51998896, 4531313, new RecordShape(192, Smallest: 192, Largest: 192, LargestAlways: 192), 6.13, 0.37);
        Assert.True(IsPossibleAgain(from.Resize(from.Open())!));
    }

    /// <summary>A cache that grows and shrinks again and again ends up with nothing that it could not have had at once.</summary>
    [Fact]
    public void TryDivide_AgainAndAgain_StaysWithinMemory() => Prop.ForAll(Cases, c =>
    {
        var first = c.Open();
        var plan = first;
        for (int round = 0; round < 6; round++)
        {
            plan = plan.TryDivide((long)(first.MemoryBudget * (round % 2 == 0 ? c.MemoryFactor : 1 / c.MemoryFactor)), (long)(first.DiskBudget * c.DiskFactor), plan.SizesOfOpen()) ?? plan;
            if (plan.Total > plan.MemoryBudget) return false.Label(plan.ToString());
        }

        return true.Label("");
    }).Check(Config.QuickThrowOnFailure.WithMaxTest(500));

    /// <summary>Otherwise there would be memory and disk, and no index for what they hold.</summary>
    [Fact]
    public void TryDivide_AgainAndAgain_IndexGrowsAsItShould()
    {
        var first = MemoryPlan.Create(64 << 20, 1L << 30, 48, 40, Readers, 0.85);
        var plan = first;
        for (int round = 0; round < 20; round++)
        {
            plan = plan.TryDivide(40 << 20, 200 << 20, plan.SizesOfOpen())!;
            plan = plan.TryDivide(256 << 20, 1L << 30, plan.SizesOfOpen())!;
            Assert.InRange(plan.SettledTables.Length, 1, 4);
            Assert.InRange(plan.SettledIndexBytes, MemoryPlan.Create(256 << 20, 1L << 30, 48, 40, Readers, 0.85).SettledIndexBytes * 3 / 4, long.MaxValue);
        }
    }

    /// <summary>What a file says has to be doubted.</summary>
    [Theory]
    [InlineData(0, 64 << 10, 1 << 20)]
    [InlineData(3 << 20, 64 << 10, 1 << 20)]
    [InlineData(1 << 20, 0, 1 << 20)]
    [InlineData(1 << 20, -1, 1 << 20)]
    [InlineData(1 << 20, 64 << 10, 0)]
    [InlineData(1 << 20, 64 << 10, 32 << 10)]
    [InlineData(long.MinValue, int.MinValue, long.MinValue)]
    public void TryDivide_SizesThatCannotBe_IsRefused(long index, int page, long segment)
    {
        var plan = MemoryPlan.Create(64 << 20, 1L << 30, 48, 40, Readers, 0.85);

        Assert.Null(plan.TryDivide(64 << 20, 1L << 30, new FixedSizes { IndexBytes = index, PageBytes = page, SegmentBytes = segment, SettledTables = [], AddressBits = 30 }));
    }

    private static Gen<long> Sizes(int least, int most) => Gen.Choose(least, most).SelectMany(bits => Gen.Choose(1, 1 << 20).Select(x => (long)(x / (double)(1 << 20) * (1L << bits))));

    private static bool IsPossibleAgain(MemoryPlan plan)
    {
        var sizes = plan.SizesOfOpen() with { HotRows = 0, RingPages = 0, IndexFileBytes = plan.IndexFileLimit, OverflowBytes = IndexSizing.OverflowBytesOf((plan.IndexFileLimit - plan.IndexBytes) / IndexSizing.BucketBytes) };
        return plan.DiskBudget == 0 || plan.TryDivide(plan.MemoryBudget, plan.DiskBudget, sizes) is not null;
    }

    private static void Holds(Func<MemoryPlan, MemoryPlan, bool> property) => Prop.ForAll(Cases, c =>
    {
        var from = c.Open();
        var to = c.Resize(from);
        return (to is null || property(from, to)).Label($"{c}\n{from}\n{to}");
    }).Check(Config.QuickThrowOnFailure.WithMaxTest(1000));

    private sealed record Case(long Memory, long Disk, RecordShape Record, double MemoryFactor, double DiskFactor)
    {
        public MemoryPlan Open() => MemoryPlan.Create(Memory, Disk, Record, Math.Max(32, Record.Typical / 2), Readers, 0.85);

        public MemoryPlan? Resize(MemoryPlan from) => from.TryDivide((long)(from.MemoryBudget * MemoryFactor), (long)(from.DiskBudget * DiskFactor), from.SizesOfOpen() with { OverflowBytes = OverflowNow, IndexFileBytes = from.IndexBytes + 1 });
    }
}
