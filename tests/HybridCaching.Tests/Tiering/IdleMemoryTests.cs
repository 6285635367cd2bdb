using HybridCaching.Tests.Support;
using HybridCaching.Tiering;

namespace HybridCaching.Tests.Tiering;

/// <summary>Memory that the log could fill only with what nobody stores any more serves the hot tier.</summary>
public sealed class IdleMemoryTests : IDisposable
{
    private const int Entries = 300_000;
    private const int Ticks = 60;

    private readonly TestDirectory _directory = new();
    private readonly ManualTimeProvider _housekeeping = new();
    private readonly FasterCache<long, Stamp> _cache;

    public IdleMemoryTests() =>
        _cache = StampCache.Open(_directory.Path, change: o => (o.MemoryBudget, o.DiskBudget) = ("16MB", "64MB"), housekeeping: _housekeeping);

    /// <summary>One after the other, again and again, is what least of any copies is good for.</summary>
    [Fact]
    public void TryGet_AllInACircle_MemoryStaysInUse()
    {
        Fill();
        Read(rounds: 1);
        long before = _cache.GetMemoryUsage().HotTier;

        Read(rounds: 3);

        Assert.InRange(_cache.GetMemoryUsage().HotTier, before, long.MaxValue);
    }

    [Fact]
    public void TryGet_AllInACircle_SomeAreFoundInMemory()
    {
        Fill();
        Read(rounds: 4);
        long before = _cache.GetStatistics().MemoryHits;

        Read(rounds: 1);

        Assert.InRange((_cache.GetStatistics().MemoryHits - before) / (double)Entries, 0.1, 1);
    }

    public void Dispose()
    {
        _cache.Dispose();
        _directory.Dispose();
    }

    private void Fill()
    {
        for (int tick = 0; tick < Ticks; tick++)
        {
            _cache.Fill(tick * Entries / Ticks, Entries / Ticks, version: 1);
            _housekeeping.Advance(Housekeeper.Tick);
        }
    }

    private void Read(int rounds)
    {
        for (int tick = 0; tick < rounds * Ticks; tick++)
        {
            Assert.InRange(_cache.CountHits(tick % Ticks * Entries / Ticks, Entries / Ticks, version: 1), Entries / Ticks * 0.99, Entries / Ticks);
            _housekeeping.Advance(Housekeeper.Tick);
        }
    }
}
