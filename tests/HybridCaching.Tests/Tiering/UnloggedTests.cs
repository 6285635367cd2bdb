using System.Diagnostics;
using HybridCaching.Devices;
using HybridCaching.HotTier;
using HybridCaching.Store;
using HybridCaching.Tests.Concurrency;
using HybridCaching.Tests.Support;
using HybridCaching.Tiering;

namespace HybridCaching.Tests.Tiering;

/// <summary>What is stored again and again, and lies in the hot tier, is not written to the log each time: only its copy has it.</summary>
public sealed class UnloggedTests : IDisposable
{
    /// <summary>Several times what memory holds.</summary>
    private const int Entries = 300_000;

    /// <summary>Of these, all that have a copy are stored again and again.</summary>
    private const int Hot = 2_000;

    private const int Ticks = 100;

    private static readonly TimeSpan ShortTimeout = TimeSpan.FromMilliseconds(500);

    private readonly TestDirectory _directory = new();
    private readonly ManualTimeProvider _housekeeping = new();
    private readonly ManualTimeProvider _clock = new();
    private FasterCache<long, Stamp> _cache;

    public UnloggedTests()
    {
        _cache = Open();
        FillAndMakeUnlogged();
    }

    private HotRows Rows => PrivateField.Of<HotRows>(_cache.Tiers, "_rows");

    private HybridLog Log => PrivateField.Of<HybridLog>(_cache.Tiers, "_log");

    [Fact]
    public void Set_StoredAgain_AppendsNothing()
    {
        long tail = Log.TailAddress;
        for (int version = 3; version < 100; version++) _cache.Fill(0, Hot, version);
        Assert.InRange(Log.TailAddress - tail, 0, Hot * EntryLog<long, Stamp>.RecordBytes);
        Assert.Equal(Hot, _cache.CountHits(0, Hot, version: 99));
    }

    [Fact]
    public void SetMany_StoredAgain_AppendsNothing()
    {
        long[] keys = [.. Enumerable.Range(0, Hot)];
        long tail = Log.TailAddress;
        for (int version = 3; version < 100; version++) _cache.SetMany(keys, [.. keys.Select(key => Stamp.Of(key, version))]);
        Assert.InRange(Log.TailAddress - tail, 0, Hot * EntryLog<long, Stamp>.RecordBytes);
        Assert.Equal(Hot, _cache.CountHits(0, Hot, version: 99));
    }

    [Fact]
    public void Remove_Unlogged_IsGoneForGood()
    {
        for (long key = 0; key < Hot; key++) Assert.True(_cache.Remove(key));
        Assert.Equal(0, _cache.CountHits(0, Hot, version: 2));
        Reopen();
        Assert.Equal(0, _cache.CountHits(0, Hot, version: 2));
    }

    [Fact]
    public void Clear_Unlogged_IsGone()
    {
        _cache.Clear();
        Assert.Equal(0, _cache.CountHits(0, Hot, version: 2));
        Assert.Equal(0, Rows.UnloggedCopies);
    }

    [Fact]
    public void TryAdd_Unlogged_IsThere()
    {
        for (long key = 0; key < Hot; key++) Assert.False(_cache.TryAdd(key, Stamp.Of(key, 3)));
        Assert.Equal(Hot, _cache.CountHits(0, Hot, version: 2));
    }

    [Fact]
    public void AddOrUpdate_Unlogged_IsGivenTheNewest()
    {
        for (long key = 0; key < Hot; key++) _cache.AddOrUpdate(key, static key => Stamp.Of(key, 1), static (key, old) => Stamp.Of(key, old.Version + 1));
        Assert.Equal(Hot, _cache.CountHits(0, Hot, version: 3));
    }

    [Fact]
    public void Touch_Unlogged_LivesAsLongAsItSays()
    {
        for (long key = 0; key < Hot; key++) Assert.True(_cache.Touch(key, TimeSpan.FromMinutes(1)));
        Assert.Equal(Hot, _cache.CountHits(0, Hot, version: 2));
        _clock.Advance(TimeSpan.FromMinutes(2));
        Assert.Equal(0, _cache.CountHits(0, Hot, version: 2));
    }

    [Fact]
    public void GetMany_Unlogged_FindsAll()
    {
        long[] keys = [.. Enumerable.Range(0, Hot)];
        var values = new Stamp[Hot];
        Assert.Equal(Hot, _cache.GetMany(keys, values, new bool[Hot]));
        Assert.Equal(keys.Select(key => Stamp.Of(key, 2)), values);
    }

    [Fact]
    public void Dispose_Unlogged_IsThereAfterwards()
    {
        Reopen();
        Assert.Equal(Hot, _cache.CountHits(0, Hot, version: 2));
    }

    /// <summary>A disk may stand still for longer than a call waits for it, and then go on.</summary>
    [Fact]
    public void Dispose_DiskStandsStillForAMoment_UnloggedIsThereAfterwards()
    {
        using var gate = FillLogOfAHungDisk();
        var closing = Crew.Start(_cache.Dispose);
        long start = Stopwatch.GetTimestamp();
        Until.True(() => Stopwatch.GetElapsedTime(start) > 2 * ShortTimeout, "nothing is waited for any more");
        gate.Open();
        closing.Join();

        _cache = Open();
        Assert.Equal(Hot, _cache.CountHits(0, Hot, version: 2));
    }

    [Fact]
    public async Task EnumerateAsync_DiskHangs_DoesNotHoldItsCaller()
    {
        using var gate = FillLogOfAHungDisk();
        await using var entries = _cache.EnumerateAsync().GetAsyncEnumerator();
        long start = Stopwatch.GetTimestamp();
        var first = entries.MoveNextAsync();
        var held = Stopwatch.GetElapsedTime(start);
        gate.Open();

        Assert.True(await first);
        Assert.InRange(held, TimeSpan.Zero, ShortTimeout);
    }

    [Fact]
    public async Task FlushAsync_Unlogged_LogHasThem()
    {
        await _cache.FlushAsync();
        Assert.Equal(0, Rows.UnloggedCopies);
        Assert.Equal(Hot, _cache.CountHits(0, Hot, version: 2));
    }

    /// <summary>The first set afterwards ends the rest, and what it stores is newer than the checkpoint.</summary>
    [Fact]
    public async Task CheckpointAsync_Unlogged_LogHasThem()
    {
        Assert.True(await _cache.Tiers.CheckpointAsync(CancellationToken.None));
        Assert.Equal(0, Rows.UnloggedCopies);
        _cache.Fill(0, Hot, version: 3);
        Assert.Equal(Hot, _cache.CountHits(0, Hot, version: 3));
    }

    [Fact]
    public void Housekeeping_CheckpointIntervalIsOver_LogHasThem()
    {
        _housekeeping.TickUntil(() => Rows.UnloggedCopies == 0, "the log gets what only copies had");
        Assert.Equal(Hot, _cache.CountHits(0, Hot, version: 2));
    }

    [Fact]
    public void Housekeeping_UnloggedHasExpired_LogDoesNotGetIt()
    {
        for (long key = 0; key < Hot; key++) _cache.Touch(key, TimeSpan.FromMinutes(1));
        _clock.Advance(TimeSpan.FromMinutes(2));
        long tail = Log.TailAddress;
        _housekeeping.TickUntil(() => Rows.UnloggedCopies == 0, "what has expired is forgotten");
        Assert.Equal(tail, Log.TailAddress);
    }

    [Fact]
    public void EstimatedCount_Unlogged_CountsAsBefore()
    {
        long before = _cache.Tiers.EstimatedCount;
        for (int version = 3; version < 20; version++) MakeUnlogged(version);
        _housekeeping.TickUntil(() => Rows.UnloggedCopies == 0, "the log gets what only copies had");
        Assert.InRange(_cache.Tiers.EstimatedCount, before - (2 * Hot), before + (2 * Hot));
    }

    [Fact]
    public void Resize_LessMemory_FindsNothingOlder()
    {
        _cache.Resize("12MB", "128MB");
        Assert.Equal(Hot, _cache.CountHits(0, Hot, version: 2));
        Assert.InRange(_cache.GetMemoryUsage().HotTier, 0, 12 << 20);
    }

    [Fact]
    public async Task EnumerateAsync_Unlogged_ReturnsEachOnce()
    {
        var found = new List<long>();
        await foreach (var (key, value) in _cache.EnumerateAsync())
        {
            if (key >= Hot) continue;
            Assert.Equal(Stamp.Of(key, 2), value);
            found.Add(key);
        }

        Assert.Equal(Enumerable.Range(0, Hot).Select(key => (long)key), found.Order());
    }

    [Fact]
    public async Task EnumerateAsync_BecomeUnloggedMeanwhile_ReturnsEach()
    {
        var found = new HashSet<long>();
        bool isFirst = true;
        await foreach (var (key, value) in _cache.EnumerateAsync())
        {
            if (isFirst)
            {
                _cache.Fill(Hot, Entries / 2, version: 1); // what the log has got cannot be overwritten any more
                MakeUnlogged(version: 3);
            }

            isFirst = false;
            if (key < Hot && value.Version == 3) found.Add(key);
        }

        Assert.Equal(Hot, found.Count);
    }

    /// <summary>Who finds the row locked, and nothing in the log, has to look again.</summary>
    [Fact]
    public void TryGet_SetAgainAndAgainMeanwhile_AlwaysHits()
    {
        const int Reads = 200_000;
        long[] keys = [.. Enumerable.Range(0, Hot).Select(key => (long)key).Where(IsUnlogged).Take(8)];
        using var over = new CancellationTokenSource();
        var writers = Enumerable.Range(0, 2).Select(_ => Crew.Start(() =>
        {
            for (long version = 3; !over.IsCancellationRequested; version++)
            {
                foreach (long key in keys) _cache.Set(key, Stamp.Of(key, version));
            }
        })).ToList();
        var values = new Stamp[keys.Length];
        var found = new bool[keys.Length];
        long misses = 0;
        for (int i = 0; i < Reads; i++)
        {
            if (!_cache.TryGet(keys[i % keys.Length], out var value)) misses++;
            else Assert.True(value.IsGenuine(keys[i % keys.Length]));
            if (i % 16 == 0) misses += keys.Length - _cache.GetMany(keys, values, found);
        }

        over.Cancel();
        writers.ForEach(writer => writer.Join());
        Assert.Equal(0, misses);
    }

    public void Dispose()
    {
        _cache.Dispose();
        _directory.Dispose();
    }

    private FasterCache<long, Stamp> Open(TimeSpan? diskTimeout = null) => StampCache.Open(
        _directory.Path,
        change: o => (o.MemoryBudget, o.DiskBudget, o.TimeProvider, o.DiskTimeout) = ("16MB", "128MB", _clock, diskTimeout ?? o.DiskTimeout),
        housekeeping: _housekeeping);

    private void Reopen()
    {
        _cache.Dispose();
        _cache = Open();
    }

    private void FillAndMakeUnlogged()
    {
        _cache.Fill(0, Entries, version: 1);
        for (int i = 0; i < Ticks; i++) _housekeeping.Advance(Housekeeper.Tick); // the hot tier has what it gets
        _housekeeping.TickUntil(() => PrivateField.Of<bool>(_cache.Tiers, "_isTight"), "records leave memory");
        MakeUnlogged(version: 2);
    }

    /// <summary>Opens the cache anew with little patience, and lets writes hang until there is no room in the log.</summary>
    private DiskGate FillLogOfAHungDisk()
    {
        _cache.Dispose();
        _cache = Open(ShortTimeout);
        FillAndMakeUnlogged();
        var gate = new DiskGate(_cache.Tiers.Device!, IoKind.Write);
        gate.Close();
        for (long key = Entries; _cache.GetStatistics().DroppedWrites == 0; key++) _cache.Set(key, Stamp.Of(key, 1));
        return gate;
    }

    private bool IsUnlogged(long key)
    {
        ulong hash = PrivateField.Of<KeyHasher>(_cache.Tiers, "_hasher").Hash(in key);
        var table = (HotTable<long, Stamp>)Rows;
        return table.Find(in key, hash) is >= 0 and var way && table.IsUnlogged(hash, way);
    }

    /// <summary>Reads and stores until nearly all of the keys are in copies alone. Which have one is for the hot tier to decide.</summary>
    private void MakeUnlogged(int version)
    {
        for (int round = 0; round < 100 && Rows.UnloggedCopies < Hot * 0.9; round++)
        {
            for (long key = 0; key < Hot; key++) _cache.TryGet(key, out _);
            if (round % 4 == 3) _cache.Fill(0, Hot, version);
        }

        _cache.Fill(0, Hot, version);
        Assert.InRange(Rows.UnloggedCopies, Hot / 2, Hot);
    }
}
