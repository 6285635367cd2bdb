using HybridCaching.Tests.Support;
using HybridCaching.Tiering;

namespace HybridCaching.Tests.Tiering;

/// <summary>The log's memory is where an entry shows whether it is read again: what was, gets a copy before its record leaves.</summary>
public sealed class ReadInLogTests : IDisposable
{
    /// <summary>Several times what memory holds.</summary>
    private const int Entries = 300_000;

    /// <summary>Odd: one hit in four is noted, in each round others.</summary>
    private const int New = 1_001;

    private const int Rounds = 20;
    private const int Ticks = 100;

    private readonly TestDirectory _directory = new();
    private readonly ManualTimeProvider _housekeeping = new();
    private readonly FasterCache<long, Stamp> _cache;

    public ReadInLogTests()
    {
        _cache = StampCache.Open(_directory.Path, change: o => (o.MemoryBudget, o.DiskBudget) = ("16MB", "128MB"), housekeeping: _housekeeping);
        _cache.Fill(0, Entries, version: 1);
        for (int i = 0; i < Ticks; i++) _housekeeping.Advance(Housekeeper.Tick); // the hot tier has what it gets
        _cache.CountHits(0, Entries, version: 1); // and is full
        _cache.Fill(Entries, New, version: 1);
    }

    [Fact]
    public void TryGet_ReadOftenBeforeItLeftTheLogsMemory_IsAnsweredFromMemory()
    {
        for (int i = 0; i < Rounds; i++) ReadNew();
        PushNewOut();

        Assert.InRange(ReadNew(), New * 0.9, New);
    }

    [Fact]
    public void TryGet_ReadOnceBeforeItLeftTheLogsMemory_IsAnsweredFromTheDisk()
    {
        ReadNew();
        PushNewOut();

        Assert.InRange(ReadNew(), 0, New * 0.1);
    }

    public void Dispose()
    {
        _cache.Dispose();
        _directory.Dispose();
    }

    /// <summary>Reads what was stored last.</summary>
    /// <returns>How often memory had the answer.</returns>
    private long ReadNew()
    {
        long before = _cache.GetStatistics().MemoryHits;
        Assert.Equal(New, _cache.CountHits(Entries, New, version: 1));
        return _cache.GetStatistics().MemoryHits - before;
    }

    private void PushNewOut() => _cache.Fill(Entries + New, Entries, version: 1);
}
