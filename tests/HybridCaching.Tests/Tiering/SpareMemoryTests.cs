using HybridCaching.Tests.Support;
using HybridCaching.Tiering;

namespace HybridCaching.Tests.Tiering;

/// <summary>What a full disk will need, and what the log has not filled yet, is of use until then.</summary>
public sealed class SpareMemoryTests : IDisposable
{
    private const int Few = 100_000;
    private const int Many = 600_000;
    private const int EntriesPerTick = 20_000;
    private const long Memory = 64L << 20;

    private readonly TestDirectory _directory = new();
    private readonly ManualTimeProvider _housekeeping = new();
    private readonly FasterCache<long, Stamp> _cache;

    public SpareMemoryTests() =>
        _cache = StampCache.Open(_directory.Path, change: o => (o.MemoryBudget, o.DiskBudget) = (Memory, "1GB"), housekeeping: _housekeeping);

    [Fact]
    public void Open_ALargeDiskIsEmpty_IndexTakesLittle() => Assert.InRange(_cache.GetMemoryUsage().Index, 0, Memory / 5);

    [Fact]
    public void Set_LittleIsStored_HotTierHasWhatLiesIdle()
    {
        Fill(0, Few);

        _housekeeping.TickUntil(() => _cache.GetMemoryUsage().HotTier > Memory / 3, "the hot tier has what lies idle");
        Assert.Equal(0, _cache.Tiers.Device!.Reads);
    }

    /// <summary>As long as the log has room nothing needs the disk.</summary>
    [Fact]
    public void Set_HotTierHasWhatLayIdle_LogGetsItBack()
    {
        Fill(0, Few);
        _housekeeping.TickUntil(() => _cache.GetMemoryUsage().HotTier > Memory / 3, "the hot tier has what lies idle");
        int fitting = (int)(LogAtFirst * 9 / 10 / _cache.Tiers.Plan.RecordBytes);

        Fill(Few, fitting);

        Assert.Equal(fitting, _cache.CountHits(0, fitting, version: 1));
        Assert.Equal(0, _cache.GetStatistics().DiskHits);
        Assert.True(fitting > Few);
    }

    [Fact]
    public void Set_MoreThanMemoryHolds_NothingIsLostAndAllIsInUse()
    {
        Fill(0, Many);

        Assert.InRange(_cache.CountHits(0, Many, version: 1), Many * 0.999, Many);
        _housekeeping.TickUntil(() => _cache.GetMemoryUsage().Total > Memory * 0.85, "memory is in use");
        Assert.InRange(_cache.GetMemoryUsage().Total, 0, Memory);
        Assert.Equal(0, _cache.GetStatistics().Evictions);
    }

    public void Dispose()
    {
        _cache.Dispose();
        _directory.Dispose();
    }

    /// <summary>What the log's memory holds as long as the hot tier has no more than it begins with.</summary>
    private long LogAtFirst
    {
        get
        {
            var plan = _cache.Tiers.Plan;
            long bytes = plan.LogBytesBeside(plan.LentBytes(plan.InitialHotWays, -plan.LaterBytes));
            return Math.Min(plan.MostLogPages, (bytes / plan.PageCostBytes) - (plan.LogBytes / plan.PageCostBytes) + plan.LogPages) * plan.PageBytes;
        }
    }

    private void Fill(int first, int end)
    {
        for (int at = first; at < end; at += EntriesPerTick)
        {
            _cache.Fill(at, Math.Min(EntriesPerTick, end - at), version: 1);
            _housekeeping.Advance(Housekeeper.Tick);
        }
    }
}
