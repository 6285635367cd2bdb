using HybridCaching.Configuration;
using HybridCaching.Tiering;

namespace HybridCaching.Tests.Tiering;

/// <summary>Who gets a way of memory: the tier that saves more reads of the disk with it.</summary>
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
        _balance.CountHit();

        Assert.False(_balance.IsDue);
    }

    [Fact]
    public void Decide_LogWouldHaveHadThem_HotTierGivesAWayUp()
    {
        CountBeyond(bytes: 0);

        _balance.Decide(ways: 8, logWays: 2, hotHits: 10, logHits: 0, LogNeed.More);

        Assert.Equal(7, _balance.MostWays);
    }

    [Fact]
    public void Decide_LogWouldHaveHadThemWithMuchMore_HotTierGivesAWayUp()
    {
        CountBeyond(bytes: 9 * WayBytes);

        _balance.Decide(ways: 8, logWays: 2, hotHits: 10, logHits: 0, LogNeed.More);

        Assert.Equal(7, _balance.MostWays);
    }

    [Fact]
    public void Decide_HotTierAnswersMore_GetsAWay()
    {
        CountBeyond(bytes: 0);

        _balance.Decide(ways: 8, logWays: 2, hotHits: 100 * Enough, logHits: 10, LogNeed.More);

        Assert.Equal(9, _balance.MostWays);
    }

    [Fact]
    public void Decide_HitsFarFromTheLogsMemory_StaysAsItIs()
    {
        for (int i = 0; i < Enough; i++) _balance.CountHit();

        _balance.Decide(ways: 8, logWays: 2, hotHits: 0, logHits: 0, LogNeed.More);

        Assert.Equal(MemoryPlan.MaximumHotWays, _balance.MostWays);
    }

    [Theory]
    [InlineData(nameof(LogNeed.Same), MemoryPlan.MaximumHotWays)]
    [InlineData(nameof(LogNeed.Less), 9)]
    public void Decide_LogWouldHaveHadThemButFillsNoMore_GetsNone(string need, int ways)
    {
        CountBeyond(bytes: 0);

        _balance.Decide(ways: 8, logWays: 2, hotHits: 10, logHits: 100, Enum.Parse<LogNeed>(need));

        Assert.Equal(ways, _balance.MostWays);
    }

    [Fact]
    public void Decide_OneWayLeft_KeepsIt()
    {
        CountBeyond(bytes: 0);

        _balance.Decide(ways: 1, logWays: 9, hotHits: 0, logHits: 0, LogNeed.More);

        Assert.Equal(1, _balance.MostWays);
    }

    [Fact]
    public void Decide_CountsAnewEachTime()
    {
        CountBeyond(bytes: 0);
        _balance.Decide(ways: 8, logWays: 2, hotHits: 0, logHits: 0, LogNeed.More);

        _balance.Decide(ways: 7, logWays: 3, hotHits: 70, logHits: 3, LogNeed.More);

        Assert.Equal((8, false), (_balance.MostWays, _balance.IsDue));
    }

    private void CountBeyond(long bytes)
    {
        for (int i = 0; i < Enough; i++) _balance.CountHit(bytes, WayBytes);
    }
}
