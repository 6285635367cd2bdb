using HybridCaching.Configuration;
using HybridCaching.Store;
using HybridCaching.Tests.Support;
using HybridCaching.Tiering;

namespace HybridCaching.Tests.Tiering;

/// <summary>A cache has stored nearly as much as its log has addresses for.</summary>
public sealed class LogEndTests
{
    [Fact]
    public void Set_ThreeQuartersOfTheAddressesUsed_WorksAndSaysSoOnce()
    {
        var log = new CollectingLoggerFactory();
        var housekeeping = new ManualTimeProvider();
        using var cache = StampCache.Open("", log, static o => o.Directory = null, housekeeping);
        var plan = PrivateField.Of<MemoryPlan>(cache.Tiers, "_plan");
        PrivateField.Of<HybridLog>(cache.Tiers, "_log").BeginAt((plan.MostAddress / 4 * 3) + plan.PageBytes);

        cache.Fill(0, 1000, version: 1);

        housekeeping.TickUntil(() => log.Warnings.Count > 0, "it says so");
        Found.All(1000, cache.CountHits(0, 1000, version: 1));
        housekeeping.Advance(Housekeeper.Tick);
        Assert.Contains("Restart the process", Assert.Single(log.Warnings), StringComparison.Ordinal);
    }
}
