using HybridCaching.Configuration;
using HybridCaching.Devices;
using HybridCaching.Tests.Concurrency;
using HybridCaching.Tests.Distributed;
using HybridCaching.Tests.Support;
using HybridCaching.Tiering;

namespace HybridCaching.Tests.Tiering;

/// <summary>What is planned for as many reads of the disk at once as there may be serves the hot tier until somebody reads.</summary>
public sealed class ReadReserveTests : IDisposable
{
    private const int Entries = 15_000;
    private const int ReadsAtOnce = 64;
    private const long Memory = 24L << 20;

    private readonly TestDirectory _directory = new();
    private readonly ManualTimeProvider _housekeeping = new();
    private readonly FasterDistributedCache _cache;

    public ReadReserveTests()
    {
        _cache = BytesCache.Open(_directory.Path, "24MB", "128MB", housekeeping: _housekeeping);
        for (int i = 0; i < Entries; i++) _cache.Set(Key(i), BytesValue.Of(Key(i), 1, length: 4000), BytesCache.ForEver);
        for (int round = 0; round < 3; round++)
        {
            for (int i = 0; i < Entries; i++)
            {
                if (i % 500 == 0) _housekeeping.Advance(Housekeeper.Tick);
                _cache.Get(Key(i));
            }
        }
    }

    [Fact]
    public void Get_FewReadAtOnce_HotTierHasWhatIsPlannedForOthers()
    {
        var plan = _cache.Tiers.Plan;
        long hotTierAtMost = (plan.HotRows * MemoryPlan.HotRowBytes) + (plan.HotWays * plan.HotWayBytes);

        _housekeeping.TickUntil(() => _cache.GetMemoryUsage().HotTier > hotTierAtMost, "the hot tier has more than its share");
        Assert.InRange(_cache.GetMemoryUsage().Total, 0, Memory);
    }

    [Fact]
    public void Open_NobodyReads_BuffersAreNotCounted()
    {
        using var cache = BytesCache.Open(_directory.Path, "24MB", "128MB", change: o => o.Name = "other");

        Assert.InRange(cache.GetMemoryUsage().Buffers, 0, cache.Tiers.Plan.BufferBytes - (cache.Tiers.Plan.ReadBuffersBytes(1) * ReadsAtOnce));
    }

    [Fact]
    public async Task GetAsync_ManyBeginToReadAtOnce_HotTierMakesRoomAtOnce()
    {
        long before = _cache.GetMemoryUsage().Buffers;
        using var gate = new DiskGate(_cache.Tiers.Device!, IoKind.Read);
        gate.Close();

        var reads = Enumerable.Range(0, Entries).Select(i => _cache.GetAsync(Key(i))).Where(static read => !read.IsCompleted).Take(ReadsAtOnce).ToList();

        var usage = _cache.GetMemoryUsage();
        gate.Open();
        await Task.WhenAll(reads);
        Assert.InRange(usage.Buffers - before, ReadsAtOnce / 2 * _cache.Tiers.Plan.ReadBuffersBytes(1), Memory);
        Assert.InRange(usage.Total, 0, Memory);
    }

    public void Dispose()
    {
        _cache.Dispose();
        _directory.Dispose();
    }

    private static string Key(int number) => $"key:{number}";
}
