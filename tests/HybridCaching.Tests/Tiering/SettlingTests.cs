using System.Reflection;
using FASTER.core;
using HybridCaching.Devices;
using HybridCaching.Diagnostics;
using HybridCaching.HotTier;
using HybridCaching.Store;
using HybridCaching.Tests.Concurrency;
using HybridCaching.Tests.Support;

namespace HybridCaching.Tests.Tiering;

/// <summary>What was written is settled while its keys are overwritten.</summary>
[Collection(nameof(RunsAlone))]
public sealed class SettlingTests : IDisposable
{
    private const long Key = 42;

    private readonly TestDirectory _directory = new();

    /// <summary>FASTER lets a key's chain begin with a new record before that is valid. Who follows the chain at this moment finds the record before it.</summary>
    [Fact]
    public async Task Flush_NewerRecordBeingAppended_DoesNotSettleTheOlder()
    {
        using var cache = StampCache.Open(_directory.Path);
        var writer = new WriterHalfWay(cache);
        cache.Fill(Key, 1, version: 1);
        Fault.Reached = point =>
        {
            if (point == "settle.extended") writer.Begin();
            else if (point == "settle.shown") writer.End();
        };

        await cache.FlushAsync(TestContext.Current.CancellationToken);

        Assert.True(writer.HasEnded);
        Assert.Equal(0, cache.Tiers.Settled!.Index.Count);
        Assert.Equal(1, cache.CountHits(Key, 1, version: 2));
    }

    /// <summary>A flush has given its session back when it settles, so it is no running call any more; it looks into the memory of the log all the same.</summary>
    [Fact]
    public async Task Dispose_FlushIsSettling_WaitsForIt()
    {
        using var cache = StampCache.Open(_directory.Path);
        using var drained = new ManualResetEventSlim();
        Task? closing = null;
        bool? isClosedBefore = null;
        cache.Fill(0, 10_000, version: 1);
        Fault.Reached = point =>
        {
            if (point == "close.drained") drained.Set();
            if (point != "settle.page" || closing is not null) return;
            closing = Task.Run(cache.Dispose);
            isClosedBefore = drained.Wait(TimeSpan.FromSeconds(1));
        };

        await cache.FlushAsync(TestContext.Current.CancellationToken);

        Assert.False(isClosedBefore);
        await closing!.WaitAsync(Until.Deadline, TestContext.Current.CancellationToken);
    }

    /// <summary>What is settled before it leaves memory need not be read again.</summary>
    [Fact]
    public void Set_MoverWaitsForTheDisk_IsSettledMeanwhile()
    {
        using var cache = StampCache.Open(_directory.Path);
        using var gate = new DiskGate(cache.Tiers.Device!, IoKind.Read);
        long next = FillUntilMoverWaits(cache, gate);
        long settledTo = cache.Tiers.Settled!.Index.Probation.Tail;

        cache.Fill(next, 5000, version: 1);

        Until.True(() => cache.Tiers.Settled!.Index.Probation.Tail > settledTo, "another page is settled");
        Assert.True(gate.Held > 0);
    }

    /// <summary>Who waits for room waits as long as anything gets on, or he gives up the oldest segment, which nobody has looked through.</summary>
    [Fact]
    public void Set_PageSettledWhileOthersAreLate_IsProgress()
    {
        using var cache = StampCache.Open(_directory.Path);
        using var gate = new DiskGate(cache.Tiers.Device!, IoKind.Read);
        long next = FillUntilMoverWaits(cache, gate);
        long settledTo = cache.Tiers.Settler!.SettledTo;
        long progress = cache.Tiers.MovingProgress;

        cache.Fill(next, 5000, version: 1);

        Until.True(() => cache.Tiers.MovingProgress != progress, "it gets on");
        Assert.Equal(settledTo, cache.Tiers.Settler.SettledTo);
    }

    /// <summary>What leaves memory while others are settled is not forgotten.</summary>
    [Fact]
    public async Task FlushAsync_PagesLeftMemoryBeforeTheirTurn_SettlesAll()
    {
        const int Few = 5000;
        const int Many = 30_000;
        using var cache = StampCache.Open(_directory.Path);
        int pages = 0;
        Fault.Reached = point =>
        {
            if (point == "settle.extended" && ++pages == 2) cache.Fill(Few, Many, version: 1);
        };
        cache.Fill(0, Few, version: 1);
        await cache.FlushAsync(TestContext.Current.CancellationToken);

        await cache.FlushAsync(TestContext.Current.CancellationToken);

        Assert.True(pages > 1);
        Assert.False(cache.TryGetFromMemory(Few - 1, out _));
        Found.All(Few + Many, cache.Tiers.Settled!.Index.Count);
        Found.All(Few + Many, cache.CountHits(0, Few + Many, version: 1));
    }

    /// <summary>Nobody else may make room meanwhile.</summary>
    [Fact]
    public void Flush_DiskIsFull_MakesRoomWhileItSettles()
    {
        const int Entries = 1_000_000;
        using var cache = StampCache.Open(_directory.Path);
        cache.Fill(0, Entries, version: 1);
        var log = PrivateField.Of<HybridLog>(cache.Tiers, "_log");
        Until.True(() => !log.IsReclaimDue(out _), "there is room");
        lock (PrivateField.Of<Lock>(cache.Tiers, "_moving")) // the mover waits for that
        {
            long next = Entries;
            for (; !log.IsReclaimDue(out _); next += 100) cache.Fill(next, 100, version: 1);
            cache.Fill(next, 6000, version: 1); // more than a segment
            long begin = Begin();

            cache.Tiers.Flush();

            Assert.True(Begin() > begin);
        }

        long Begin() => log.BeginAddress + cache.Tiers.Settled!.ProbationBegin + cache.Tiers.Settled.MainBegin;
    }

    [Fact]
    public void Set_DiskTurnedOverAndNobodyAsksForCounts_RemembersNoMoreThanTheLogHas()
    {
        using var cache = StampCache.Open(_directory.Path);
        cache.Fill(0, 1_000_000, version: 1);

        Assert.InRange(cache.Tiers.Settler!.PartsCounted, 1, 2 * (int)(cache.Tiers.Plan.DiskLogBytes / cache.Tiers.Plan.PageBytes));
    }

    public void Dispose()
    {
        Fault.Reached = null;
        _directory.Dispose();
    }

    /// <summary>Stores more than memory holds while no read of the disk ends: the mover waits for one that has left memory unsettled.</summary>
    /// <returns>How many.</returns>
    private static long FillUntilMoverWaits(FasterCache<long, Stamp> cache, DiskGate gate)
    {
        gate.Close();
        long count = 0;
        for (; gate.Held == 0; count += 1000) cache.Fill(count, 1000, version: 1);
        return count;
    }

    /// <summary>A writer that is interrupted after its record has become the first of the chain.</summary>
    private sealed unsafe class WriterHalfWay(FasterCache<long, Stamp> cache)
    {
        private readonly HotRows _rows = PrivateField.Of<HotRows>(cache.Tiers, "_rows");
        private readonly HybridLog _log = PrivateField.Of<HybridLog>(cache.Tiers, "_log");
        private readonly ulong _hash = PrivateField.Of<KeyHasher>(cache.Tiers, "_hasher").Hash(Key);
        private RecordInfo* _record;

        public bool HasEnded { get; private set; }

        public void Begin()
        {
            if (_record != null) return;
            cache.Fill(Key, 1, version: 2);
            var recordAt = _log.GetType().GetMethod("RecordAt", BindingFlags.Instance | BindingFlags.NonPublic)!;
            _record = (RecordInfo*)Pointer.Unbox(recordAt.Invoke(_log, [_log.NewestInChain(_hash)])!);
            _rows.Lock(_hash);
            _record->SetInvalid();
        }

        public void End()
        {
            if (_record == null || HasEnded) return;
            _record->SetValid();
            _rows.UnlockWritten(_hash);
            HasEnded = true;
        }
    }
}
