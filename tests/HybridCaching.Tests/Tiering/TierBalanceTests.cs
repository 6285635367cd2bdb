using HybridCaching.Configuration;
using HybridCaching.Tiering;

namespace HybridCaching.Tests.Tiering;

/// <summary>Who gets a way of memory: the tier that saves more reads of the disk, and records written there, with it.</summary>
public sealed class TierBalanceTests
{
    private const long WayBytes = 1000;
    private const int Enough = 1000;

    private readonly TierBalance _balance = new();

    [Fact]
    public void MostWays_NothingCounted_IsAll() => Assert.Equal(MemoryPlan.MaximumHotWays, _balance.MostWays);

    [Fact]
    public void IsDue_FewHits_IsFalse()
    {
        _balance.CountDiskHit();

        Assert.False(_balance.IsDue);
    }

    [Fact]
    public void IsDue_ManySetsAppended_IsTrue()
    {
        CountSets(bytesBeyond: 1);

        Assert.True(_balance.IsDue);
    }

    [Fact]
    public void IsDue_AllSetsInPlace_IsFalse()
    {
        CountSets(bytesBeyond: 0);

        Assert.False(_balance.IsDue);
    }

    [Theory]
    [InlineData(0)]
    [InlineData(9 * WayBytes)]
    public void Decide_LogWouldHaveHadThem_HotTierGivesAWayUp(long bytesBeyond)
    {
        CountDiskHits(bytesBeyond);

        _balance.Decide(ways: 8, hotHits: 10, LogNeed.More);

        Assert.Equal(7, _balance.MostWays);
    }

    [Fact]
    public void Decide_HotTierAnswersMore_GetsAWay()
    {
        CountDiskHits(15 * WayBytes);

        _balance.Decide(ways: 8, hotHits: 100 * Enough, LogNeed.More);

        Assert.Equal(9, _balance.MostWays);
    }

    /// <summary>A hit in the hot tier takes a fifth of the time.</summary>
    [Theory]
    [InlineData(1100, 5)]
    [InlineData(1400, MemoryPlan.MaximumHotWays)]
    public void Decide_LogsLastWayHasMoreHits_MustHaveAQuarterMoreToKeepIt(int hitsOfLog, int ways)
    {
        CountDiskHits(15 * WayBytes);
        _balance.CountLogHits(hitsOfLog, bytesBeyond: 0, WayBytes);

        _balance.Decide(ways: 4, hotHits: 100 * Enough, LogNeed.Same); // of which 4 for each of 1,000 fills count: 1,000 a way

        Assert.Equal(ways, _balance.MostWays);
    }

    [Fact]
    public void Decide_TheSameAgain_MovesTwiceAsManyUpToFour()
    {
        int[] ways = [9, 11, 15, 19];
        int now = 8;
        foreach (int expected in ways)
        {
            CountDiskHits(15 * WayBytes);
            _balance.Decide(now, hotHits: 100 * Enough * expected, LogNeed.Same);
            Assert.Equal((expected, expected - now), (_balance.MostWays, _balance.WaysAtOnce));
            now = expected;
        }
    }

    [Fact]
    public void Decide_TheOtherWay_BeginsWithOne()
    {
        for (int i = 1; i <= 3; i++)
        {
            CountDiskHits(15 * WayBytes);
            _balance.Decide(ways: 8, hotHits: 100 * Enough * i, LogNeed.Same);
        }

        CountDiskHits(bytesBeyond: 0);
        _balance.Decide(ways: 8, hotHits: 300 * Enough, LogNeed.More);

        Assert.Equal(7, _balance.MostWays);
    }

    /// <summary>What the hot tier answers on average is much, but what it has to give up first is read seldom: or there would be more reads of the disk.</summary>
    [Fact]
    public void Decide_FewKeysHaveMostHits_HotTierGivesAWayUp()
    {
        CountDiskHits(bytesBeyond: 0);

        _balance.Decide(ways: 8, hotHits: 100 * Enough, LogNeed.More);

        Assert.Equal(7, _balance.MostWays);
    }

    /// <summary>The hand of the hot tier turns for copies of what the log has in memory, too.</summary>
    [Fact]
    public void Decide_ManyCopiesComeFromTheLog_HotTierLosesMore()
    {
        CountDiskHits(bytesBeyond: 0);
        for (int i = 0; i < 3 * Enough; i++) _balance.CountLogFill();

        _balance.Decide(ways: 8, hotHits: 100 * Enough, LogNeed.More);

        Assert.Equal(9, _balance.MostWays);
    }

    [Fact]
    public void Decide_SetsWouldHaveBeenInPlace_HotTierGivesAWayUp()
    {
        CountSets(bytesBeyond: 1);

        _balance.Decide(ways: 8, hotHits: 100 * Enough, LogNeed.More);

        Assert.Equal(7, _balance.MostWays);
    }

    [Fact]
    public void Decide_HitsFarFromTheLogsMemory_StaysAsItIs()
    {
        CountDiskHits();

        _balance.Decide(ways: 8, hotHits: 0, LogNeed.More);

        Assert.Equal(MemoryPlan.MaximumHotWays, _balance.MostWays);
    }

    /// <summary>Neither would save anything by what the other has.</summary>
    [Theory]
    [InlineData(1 - WayBytes, MemoryPlan.MaximumHotWays)]
    [InlineData(-WayBytes, 9)]
    public void Decide_LogNeedsItsLastWay_KeepsIt(long bytesBeyond, int ways)
    {
        CountDiskHits();
        _balance.CountLogHits(Enough, bytesBeyond, WayBytes);

        _balance.Decide(ways: 8, hotHits: Enough, LogNeed.Same);

        Assert.Equal(ways, _balance.MostWays);
    }

    [Fact]
    public void AllowOneMore_HotTierHasAllItMay_MayHaveOneMore()
    {
        CountSets(bytesBeyond: 1);
        _balance.Decide(ways: 8, hotHits: 100 * Enough, LogNeed.More);

        _balance.AllowOneMore(ways: 7);

        Assert.Equal(8, _balance.MostWays);
    }

    [Fact]
    public void AllowOneMore_HotTierHasLessThanItMay_ChangesNothing()
    {
        _balance.AllowOneMore(ways: 8);

        Assert.Equal(MemoryPlan.MaximumHotWays, _balance.MostWays);
    }

    [Fact]
    public void Decide_LastWayIsForSetsInPlace_LogKeepsIt()
    {
        CountDiskHits();
        CountSets(bytesBeyond: 0);

        _balance.Decide(ways: 8, hotHits: Enough, LogNeed.Same);

        Assert.Equal(MemoryPlan.MaximumHotWays, _balance.MostWays);
    }

    [Theory]
    [InlineData(nameof(LogNeed.Same), MemoryPlan.MaximumHotWays)]
    [InlineData(nameof(LogNeed.Less), 9)]
    public void Decide_LogWouldHaveHadThemButFillsNoMore_GetsNone(string need, int ways)
    {
        CountDiskHits(bytesBeyond: 0);
        _balance.CountLogHits(Enough, bytesBeyond: 0, WayBytes);

        _balance.Decide(ways: 8, hotHits: 10, Enum.Parse<LogNeed>(need));

        Assert.Equal(ways, _balance.MostWays);
    }

    [Fact]
    public void Decide_OneWayLeft_KeepsIt()
    {
        CountDiskHits(bytesBeyond: 0);

        _balance.Decide(ways: 1, hotHits: 0, LogNeed.More);

        Assert.Equal(1, _balance.MostWays);
    }

    [Fact]
    public void Decide_CountsAnewEachTime()
    {
        CountDiskHits(bytesBeyond: 0);
        _balance.CountLogHits(Enough, bytesBeyond: 0, WayBytes);
        _balance.Decide(ways: 8, hotHits: 0, LogNeed.More);
        _balance.CountDiskHit();

        _balance.Decide(ways: 7, hotHits: 70, LogNeed.More);

        Assert.Equal((8, false), (_balance.MostWays, _balance.IsDue));
    }

    private void CountDiskHits()
    {
        for (int i = 0; i < Enough; i++) _balance.CountDiskHit();
    }

    private void CountDiskHits(long bytesBeyond)
    {
        for (int i = 0; i < Enough; i++) _balance.CountDiskHit(bytesBeyond, WayBytes);
    }

    private void CountSets(long bytesBeyond)
    {
        for (int i = 0; i < Enough; i++) _balance.CountSet(bytesBeyond, WayBytes);
    }
}
