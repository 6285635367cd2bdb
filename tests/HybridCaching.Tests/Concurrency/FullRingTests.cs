using System.Numerics;
using HybridCaching.Devices;
using HybridCaching.Store;
using HybridCaching.Tests.Support;

namespace HybridCaching.Tests.Concurrency;

/// <summary>A log that uses its whole ring, flushed up to the last record of a page, then a disk that hangs: HasRoom says yes, FASTER has no page.</summary>
public sealed class FullRingTests
{
    [Fact]
    public void Set_RingIsFullAfterAPartialFlush_Ends()
    {
        using var directory = new TestDirectory();
        FasterCache<long, Triple>? cache = null;
        for (int kilobytes = 7_000; cache is null && kilobytes < 60_000; kilobytes += 8)
        {
            HybridCaching.Configuration.MemoryPlan plan;
            try
            {
                plan = HybridCaching.Configuration.MemoryPlan.Create(kilobytes * 1024L, 64 << 20, 48, 40, 84, 0.75);
            }
            catch (ArgumentException)
            {
                continue;
            }

            if (plan.LogPages > 200) continue;
            var candidate = new FasterCache<long, Triple>(new FasterCacheOptions { Directory = directory.Combine($"c{kilobytes}"), MemoryBudget = $"{kilobytes}KB", DiskBudget = "64MB", DiskTimeout = TimeSpan.FromMilliseconds(20) });
            if (BitOperations.IsPow2(candidate.Tiers.Plan.LogPages) && candidate.Tiers.Plan.PageBytes % 48 != 0) cache = candidate;
            else candidate.Dispose();
        }

        Assert.True(cache is not null, "no such plan found");
        using var _ = cache;
        var p = cache.Tiers.Plan;
        var log = PrivateField.Of<HybridLog>(cache.Tiers, "_log");
        long key = 0;
        int last = p.PageBytes / 48 * 48;
        while (log.TailAddress < 3L * p.PageBytes || log.TailAddress % p.PageBytes != last)
        {
            cache.Set(key++, default);
            Assert.True(key < 1_000_000, "no such tail");
        }

        cache.Tiers.Flush();
        using var gate = new DiskGate(cache.Tiers.Device!, IoKind.Write);
        gate.Close();
        Crew.MustEnd($"Set; pages {p.LogPages} ring {p.RingPages} page {p.PageBytes}", () =>
        {
            for (int i = 0; i < 5_000_000 && cache.GetStatistics().DroppedWrites < 10; i++) cache.Set(key++, default);
        });
    }

    public struct Triple
    {
        public long A;
        public long B;
        public long C;
    }
}
