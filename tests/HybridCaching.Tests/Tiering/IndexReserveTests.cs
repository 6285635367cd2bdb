using HybridCaching.Tests.Support;
using HybridCaching.Tiering;

namespace HybridCaching.Tests.Tiering;

/// <summary>What is planned for FASTER's index, and it does not take yet, serves the hot tier. It is as much as here only where there are many entries.</summary>
public sealed class IndexReserveTests : IDisposable
{
    private const int Entries = 1_000_000;
    private const int EntriesPerTick = 20_000;
    private const long Memory = 83L << 20;

    private readonly TestDirectory _directory = new();
    private readonly ManualTimeProvider _housekeeping = new();
    private readonly FasterCache<long, Stamp> _cache;

    public IndexReserveTests() =>
        _cache = StampCache.Open(_directory.Path, change: o => (o.MemoryBudget, o.DiskBudget) = (Memory, "102MB"), housekeeping: _housekeeping);

    [Fact]
    public void TryGet_IndexTakesLessThanPlanned_AllMemoryIsInUse()
    {
        FillAndRead();

        _housekeeping.TickUntil(() => _cache.GetMemoryUsage().Total > Memory * 0.95, "memory is in use");
    }

    [Fact]
    public void Set_IndexGrowsWithNoTickInBetween_HotTierMakesRoomAtOnce()
    {
        FillAndRead();
        long before = _cache.GetMemoryUsage().Index;

        for (int at = Entries; at < 2 * Entries; at += EntriesPerTick / 10)
        {
            _cache.Fill(at, EntriesPerTick / 10, version: 1);
            Assert.InRange(_cache.GetMemoryUsage().Total, 0, Memory);
        }

        Assert.InRange(_cache.GetMemoryUsage().Index, before + 1, Memory);
    }

    public void Dispose()
    {
        _cache.Dispose();
        _directory.Dispose();
    }

    private void FillAndRead()
    {
        for (int at = 0; at < Entries; at += EntriesPerTick)
        {
            _cache.Fill(at, EntriesPerTick, version: 1);
            _housekeeping.Advance(Housekeeper.Tick);
        }

        var random = new Random(1);
        for (int tick = 0; tick < Entries / EntriesPerTick; tick++)
        {
            for (int i = 0; i < EntriesPerTick; i++) _cache.TryGet(random.Next(Entries), out _);
            _housekeeping.Advance(Housekeeper.Tick);
        }
    }
}
