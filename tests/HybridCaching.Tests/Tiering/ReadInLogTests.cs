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

    private const int More = 2_000;
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
        StoreMore();
        for (int i = 0; i < Rounds; i++) ReadNew();
        PushNewOut();

        Assert.InRange(ReadNew(), New * 0.9, New);
    }

    /// <summary>Nothing leaves the log's memory, so a copy would only push out what has to be read from the disk then.</summary>
    [Fact]
    public void TryGet_ReadOftenWhileNothingIsStored_PushesOutNothingThatIsRead()
    {
        ReadWhatHasCopies();
        for (int i = 0; i < Rounds; i++) ReadNew();
        PushNewOut();

        Assert.InRange(ReadNew(), 0, New * 0.3);
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

    /// <summary>Reads entries.</summary>
    /// <returns>How often memory had the answer.</returns>
    private long MemoryHits(int first, int count)
    {
        long before = _cache.GetStatistics().MemoryHits;
        Assert.Equal(count, _cache.CountHits(first, count, version: 1));
        return _cache.GetStatistics().MemoryHits - before;
    }

    /// <summary>Reads what has copies some times, after a time in which nothing was stored.</summary>
    private void ReadWhatHasCopies()
    {
        _housekeeping.TickUntil(() => !PrivateField.Of<bool>(_cache.Tiers, "_isTurning"), "nothing was stored lately");
        for (int part = 0; part < Ticks; part++)
        {
            _cache.CountHits(part * Entries / Ticks, Entries / Ticks, version: 1);
            _housekeeping.Advance(Housekeeper.Tick);
        }

        int[] keys = [.. Enumerable.Range(0, Entries).Where(key => MemoryHits(key, 1) > 0)];
        for (int i = 0; i < 3; i++)
        {
            foreach (int key in keys) MemoryHits(key, 1);
        }
    }

    /// <summary>Reads what was stored last.</summary>
    private long ReadNew() => MemoryHits(Entries, New);

    /// <summary>So much from tick to tick that the log's memory would not last a minute; what was new is still there.</summary>
    private void StoreMore()
    {
        int stored = Entries + New;
        _housekeeping.TickUntil(
            () =>
            {
                _cache.Fill(stored, More, version: 1);
                stored += More;
                return PrivateField.Of<bool>(_cache.Tiers, "_isTurning");
            },
            "something was stored lately");
    }

    private void PushNewOut() => _cache.Fill(Entries + New, Entries, version: 1);
}
