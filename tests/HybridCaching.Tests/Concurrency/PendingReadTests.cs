using HybridCaching.Devices;
using HybridCaching.HotTier;
using HybridCaching.Tests.Support;

namespace HybridCaching.Tests.Concurrency;

/// <summary>What may happen to a key, or to its file, while a read of it is on the disk.</summary>
public sealed class PendingReadTests : IDisposable
{
    private const long Cold = 3_000;
    private static readonly TimeSpan Timeout = TimeSpan.FromSeconds(10);

    private readonly TestDirectory _directory = new();
    private readonly FasterCache<long, Stamp> _cache;

    public PendingReadTests() => _cache = ColdCache.Open(_directory.Path, Timeout);

    public void Dispose()
    {
        _cache.Dispose();
        _directory.Dispose();
    }

    [Fact]
    public void TryGet_SetMeanwhile_IsOneOfBothValues()
    {
        DuringTheRead(() => _cache.Set(Cold, Stamp.Of(Cold, 2)));
        Assert.True(_cache.TryGet(Cold, out var value));
        Assert.True(value == Stamp.Of(Cold, 1) || value == Stamp.Of(Cold, 2));
    }

    [Fact]
    public void TryGet_WaiterIsInterrupted_ReaderComesBack()
    {
        var free = PrivateField.Of<SemaphoreSlim>(PrivateField.Of<object>(_cache.Tiers, "_readers"), "_free");
        int all = free.CurrentCount;
        using var gate = new DiskGate(_cache.Tiers.Device!, IoKind.Read);
        gate.Close();
        var waiter = Crew.Start(() => Record.Exception(() => _cache.TryGet(Cold, out _)));
        gate.AwaitHeld();
        waiter.Interrupt();
        waiter.Join();
        gate.Open();

        Until.True(() => free.CurrentCount == all, "the reader comes back");
    }

    [Fact]
    public void TryGet_SetMeanwhileAndOutOfMemoryAgain_IsHit()
    {
        DuringTheRead(() => SetAndEvict(version: 2));
        Assert.True(_cache.TryGet(Cold, out var value));
        Assert.True(value == Stamp.Of(Cold, 1) || value == Stamp.Of(Cold, 2));
    }

    [Fact]
    public async Task GetAsync_SetMeanwhileAndOutOfMemoryAgain_IsHit()
    {
        DuringTheRead(() => SetAndEvict(version: 2));
        var value = await _cache.GetAsync(Cold);
        Assert.True(value == Stamp.Of(Cold, 1) || value == Stamp.Of(Cold, 2));
    }

    [Fact]
    public void Dispose_AfterSuchARead_LosesNothing()
    {
        DuringTheRead(() => SetAndEvict(version: 2));
        _cache.TryGet(Cold, out _);
        _cache.Dispose();
        using var again = ReopenNextTo(_directory);
        Assert.True(again.TryGet(Cold, out var value));
        Assert.Equal(Stamp.Of(Cold, 2), value);
    }

    [Fact]
    public void TryGet_RemovedMeanwhileAndOutOfMemoryAgain_IsMissOrTheOldValue()
    {
        DuringTheRead(() =>
        {
            _cache.Set(Cold, Stamp.Of(Cold, 2));
            _cache.Remove(Cold);
            Evict();
        });
        Assert.False(_cache.TryGet(Cold, out var value) && value != Stamp.Of(Cold, 1));
        Assert.False(_cache.TryGet(Cold, out _));
    }

    [Fact]
    public void TryGet_ClearedMeanwhile_IsMissAfterwards()
    {
        DuringTheRead(_cache.Clear);
        _cache.TryGet(Cold, out _);
        Assert.False(_cache.TryGet(Cold, out _));
    }

    [Fact]
    public void Touch_SetMeanwhile_KeepsTheNewValue()
    {
        DuringTheRead(() => _cache.Set(Cold, Stamp.Of(Cold, 2)));
        _cache.Touch(Cold, TimeSpan.FromHours(1));
        Assert.True(_cache.TryGet(Cold, out var value));
        Assert.Equal(Stamp.Of(Cold, 2), value);
    }

    [Fact]
    public void Touch_SetMeanwhileAndOutOfMemoryAgain_KeepsTheNewValue()
    {
        DuringTheRead(() => SetAndEvict(version: 2));
        _cache.Touch(Cold, TimeSpan.FromHours(1));
        Assert.True(_cache.TryGet(Cold, out var value));
        Assert.Equal(Stamp.Of(Cold, 2), value);
    }

    [Fact]
    public void Touch_RemovedMeanwhile_DoesNotBringItBack()
    {
        DuringTheRead(() => _cache.Remove(Cold));
        _cache.Touch(Cold, TimeSpan.FromHours(1));
        Assert.False(_cache.TryGet(Cold, out _));
    }

    [Fact]
    public void Touch_ClearedMeanwhile_DoesNotBringItBack()
    {
        DuringTheRead(_cache.Clear);
        _cache.Touch(Cold, TimeSpan.FromHours(1));
        Assert.False(_cache.TryGet(Cold, out _));
    }

    [Fact]
    public void TryAdd_RemovedMeanwhile_AgreesWithItsAnswer()
    {
        DuringTheRead(() => _cache.Remove(Cold));
        bool added = _cache.TryAdd(Cold, Stamp.Of(Cold, 3));
        Assert.Equal(added, _cache.TryGet(Cold, out _));
    }

    [Fact]
    public void Remove_SetMeanwhile_Removes()
    {
        DuringTheRead(() => _cache.Set(Cold, Stamp.Of(Cold, 2)));
        Assert.True(_cache.Remove(Cold));
        Assert.False(_cache.TryGet(Cold, out _));
    }

    [Fact]
    public void Touch_RowChangedAtEveryLookAndTheKeySetAtTheLast_KeepsTheNewValue()
    {
        int looks = 0;
        _cache.Tiers.Device!.Fault = request =>
        {
            if (request.Kind != IoKind.Read) return false;
            if (Interlocked.Increment(ref looks) < 3) ChangeAllRows();
            else _cache.Set(Cold, Stamp.Of(Cold, 2));
            return false;
        };
        _cache.Touch(Cold, TimeSpan.FromHours(1));
        Assert.True(_cache.TryGet(Cold, out var value));
        Assert.Equal(Stamp.Of(Cold, 2), value);
    }

    /// <summary>As if a key of every row were stored, which would want room, and wait for a mover that waits for its reads.</summary>
    private void ChangeAllRows()
    {
        var rows = PrivateField.Of<HotRows>(_cache.Tiers, "_rows");
        for (int row = 0; row < rows.Rows; row++) rows.CancelFills(row);
    }

    [Fact]
    public void TryGet_SegmentsRemovedMeanwhile_NeverThrows()
    {
        using var directory = new TestDirectory();
        using var cache = StampCache.Open(directory.Path);
        var duration = Duration.Of(2);
        long next = 0;
        Crew.Run(6, me =>
        {
            var random = new Random(me);
            while (!duration.IsOver)
            {
                if (me < 2)
                {
                    for (int i = 0; i < 100; i++)
                    {
                        long key = Interlocked.Increment(ref next);
                        cache.Set(key, Stamp.Of(key, 1));
                    }

                    continue;
                }

                // The oldest entries, about to be dropped.
                long oldest = Volatile.Read(ref next) - cache.EstimatedCount;
                for (int i = 0; i < 200; i++)
                {
                    long key = oldest + random.Next(-2_000, 6_000);
                    if (cache.TryGet(key, out var value)) Assert.Equal(Stamp.Of(key, 1), value);
                }
            }
        });
    }

    [Fact]
    public async Task TryGet_BlockWrittenAgainSinceItWasRead_IsHit()
    {
        using var directory = new TestDirectory();
        using var cache = StampCache.Open(directory.Path, change: o =>
        {
            o.DiskBudget = "64MB";
            o.HotTierShare = 0;
            o.DiskTimeout = TimeSpan.FromMilliseconds(50);
        });
        const long LastFlushed = 1_000;
        const long Neighbours = 40;
        cache.Fill(0, LastFlushed + 1, version: 1);
        await cache.FlushAsync().AsTask().WaitAsync(Until.Deadline);
        using (var gate = new DiskGate(cache.Tiers.Device!, IoKind.Write))
        {
            // While nothing else reaches the disk, memory is given up to the end of what was flushed, in the middle of a block.
            gate.Close();
            for (long key = LastFlushed + 1; cache.GetStatistics().DroppedWrites == 0; key++) cache.Set(key, Stamp.Of(key, 1));
            Until.True(() => !cache.TryGetFromMemory(LastFlushed, out _), "what was flushed leaves memory");
            Assert.True(cache.TryGetFromMemory(LastFlushed + 1, out _));
            cache.Tiers.Device!.Fault = null;
            for (int i = 0; i < 200; i++)
            {
                cache.TryGet(LastFlushed, out _);
                Thread.Yield();
            }
        }

        for (long key = 1L << 32; cache.TryGetFromMemory(LastFlushed + Neighbours, out _); key += 1_000) cache.Fill(key, 1_000, version: 1);
        for (long key = LastFlushed + 1; key <= LastFlushed + Neighbours; key++)
        {
            Assert.True(cache.TryGet(key, out var value), $"key {key} is lost");
            Assert.Equal(Stamp.Of(key, 1), value);
        }
    }

    private static FasterCache<long, Stamp> ReopenNextTo(TestDirectory directory) => StampCache.Open(directory.Path, change: o => o.DiskBudget = "64MB");

    /// <summary>Has something happen once, on the thread of the device, when the next read reaches the disk. Reads that follow find no hook any more.</summary>
    private void DuringTheRead(Action happens)
    {
        var device = _cache.Tiers.Device!;
        device.Fault = request =>
        {
            if (request.Kind != IoKind.Read) return false;
            device.Fault = null;
            happens();
            return false;
        };
    }

    private void SetAndEvict(long version)
    {
        _cache.Set(Cold, Stamp.Of(Cold, version));
        Evict();
    }

    private void Evict()
    {
        for (long key = 1L << 32; _cache.TryGetFromMemory(Cold, out _) || key < (1L << 32) + 80_000; key += 1_000) _cache.Fill(key, 1_000, version: 1);
    }
}
