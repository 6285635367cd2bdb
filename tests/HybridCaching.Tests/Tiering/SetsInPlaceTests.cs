using HybridCaching.Store;
using HybridCaching.Tests.Support;
using HybridCaching.Tiering;

namespace HybridCaching.Tests.Tiering;

/// <summary>What is stored again and again lies where it is overwritten in place, if memory has room for it: else each set writes a record to the disk.</summary>
public sealed class SetsInPlaceTests : IDisposable
{
    private const int Entries = 300_000;

    /// <summary>Their records are a few times what the log has at first, and a third of what it may have.</summary>
    private const int Stored = 60_000;

    /// <summary>So many rounds write less than one does where each set appends.</summary>
    private const int Rounds = 10;

    private const int MostRounds = 200;
    private static readonly long WrittenByARound = Stored * EntryLog<long, Stamp>.RecordBytes;
    private const int Ticks = 20;

    private readonly TestDirectory _directory = new();
    private readonly ManualTimeProvider _housekeeping = new();
    private readonly FasterCache<long, Stamp> _cache;

    public SetsInPlaceTests() =>
        _cache = StampCache.Open(_directory.Path, change: o => (o.MemoryBudget, o.DiskBudget, o.CheckpointInterval) = ("20MB", "128MB", TimeSpan.FromHours(1)), housekeeping: _housekeeping);

    /// <summary>It takes some rounds until the log has the memory for it, and what was appended until then is still being written.</summary>
    [Fact]
    public void Set_SameKeysInACircle_HardlyAnyIsWrittenInTheEnd()
    {
        _cache.Fill(0, Entries, version: 1);
        int round = 0;
        long written;
        do
        {
            written = _cache.GetStatistics().DiskWrittenBytes;
            for (int end = round + Rounds; round < end; round++) SetAndReadAll(round);
            written = _cache.GetStatistics().DiskWrittenBytes - written;
        }
        while (written > WrittenByARound && round < MostRounds);

        Assert.InRange(written, 0, WrittenByARound);
    }

    public void Dispose()
    {
        _cache.Dispose();
        _directory.Dispose();
    }

    /// <summary>And as many others are read as are stored, so that the hot tier has hits.</summary>
    private void SetAndReadAll(int round)
    {
        const int Part = Stored / Ticks;
        for (int tick = 0; tick < Ticks; tick++)
        {
            _cache.Fill(tick * Part, Part, version: 2 + round);
            Assert.Equal(Part, _cache.CountHits(Stored + tick * Part, Part, version: 1));
            _housekeeping.Advance(Housekeeper.Tick);
        }
    }
}
