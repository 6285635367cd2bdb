using HybridCaching.Devices;
using HybridCaching.Tests.Concurrency;
using HybridCaching.Tests.Support;

namespace HybridCaching.Tests;

public sealed class EnumerateTests : IDisposable
{
    private const int Count = 50_000;

    /// <summary>A new key takes the settled record of another along once in 650,000.</summary>
    private const int Lost = 12;

    private readonly TestDirectory _directory = new();
    private readonly ManualTimeProvider _clock = new();
    private FasterCache<long, Stamp> _cache;

    public EnumerateTests()
    {
        _cache = Open();
        _cache.Fill(0, Count, version: 1);
        Assert.False(_cache.TryGetFromMemory(0, out _));
    }

    public void Dispose()
    {
        _cache.Dispose();
        _directory.Dispose();
    }

    [Fact]
    public async Task EnumerateAsync_MostOnTheDisk_ReturnsEachOnce()
    {
        var entries = await ToListAsync();
        AssertAre(Enumerable.Range(0, Count), version: 1, entries);
    }

    [Fact]
    public async Task EnumerateAsync_EveryReadNeedsTheDisk_ReturnsEach()
    {
        _cache.Tiers.Device!.Fault = static _ => false;
        Assert.InRange((await ToListAsync()).Count, Count - Lost, Count);
    }

    [Fact]
    public async Task EnumerateAsync_Overwritten_ReturnsTheNewestValues()
    {
        _cache.Fill(0, Count, version: 2);
        var entries = await ToListAsync();
        AssertAre(Enumerable.Range(0, Count), version: 2, entries);
    }

    [Fact]
    public async Task EnumerateAsync_SomeRemoved_ReturnsTheOthers()
    {
        for (long key = 0; key < Count; key += 2) _cache.Remove(key);
        var entries = await ToListAsync();
        AssertAre(Enumerable.Range(0, Count).Where(key => key % 2 == 1), version: 1, entries);
    }

    [Fact]
    public async Task EnumerateAsync_SomeExpired_ReturnsTheOthers()
    {
        for (long key = 0; key < 10_000; key++) _cache.Touch(key, TimeSpan.FromMinutes(1));
        _clock.Advance(TimeSpan.FromMinutes(2));
        Assert.InRange((await ToListAsync()).DistinctBy(entry => entry.Key).Count(), Count - 10_000 - Lost, Count - 10_000);
    }

    [Fact]
    public async Task EnumerateAsync_Cleared_ReturnsNothing()
    {
        _cache.Clear();
        Assert.Empty(await ToListAsync());
    }

    [Fact]
    public async Task EnumerateAsync_SetAfterClear_ReturnsThat()
    {
        _cache.Clear();
        _cache.Set(7, Stamp.Of(7, 3));
        Assert.Equal([new(7, Stamp.Of(7, 3))], await ToListAsync());
    }

    [Fact]
    public async Task EnumerateAsync_AfterARestart_ReturnsEach()
    {
        await _cache.DisposeAsync();
        _cache = Open();
        Assert.InRange((await ToListAsync()).DistinctBy(entry => entry.Key).Count(), Count - Lost, Count);
    }

    [Fact]
    public async Task EnumerateAsync_WithoutADirectory_ReturnsWhatMemoryHolds()
    {
        using var cache = new FasterCache<long, Stamp>(new FasterCacheOptions { MemoryBudget = "32MB" });
        cache.Fill(0, 1_000, version: 1);
        Assert.Equal(1_000, (await ToListAsync(cache)).Count);
    }

    [Fact]
    public async Task EnumerateAsync_EntriesSetAgainMeanwhile_MissesNone()
    {
        bool done = false;
        long version = 1;
        var writer = Crew.Start(() =>
        {
            var random = new Random(3);
            for (int writes = 0; writes < 200_000 && !Volatile.Read(ref done); writes++) // more would drop what was not set again
            {
                long key = random.Next(Count);
                _cache.Set(key, Stamp.Of(key, Interlocked.Increment(ref version)));
            }
        });
        HashSet<long> seen = [];
        await foreach (var (key, value) in _cache.EnumerateAsync(TestContext.Current.CancellationToken))
        {
            Assert.True(value.IsGenuine(key));
            seen.Add(key);
        }

        Volatile.Write(ref done, true);
        Assert.True(writer.Join(Until.Deadline));
        Assert.InRange(seen.Count, Count - Lost, Count);
    }

    [Fact]
    public async Task EnumerateAsync_Reads_AreNotCounted()
    {
        var before = _cache.GetStatistics();
        await ToListAsync();
        var after = _cache.GetStatistics();
        Assert.Equal((before.MemoryHits, before.DiskHits, before.Misses), (after.MemoryHits, after.DiskHits, after.Misses));
    }

    /// <summary>As many as may read the disk at once, and more: nobody waits for another read while he keeps others from theirs.</summary>
    [Fact]
    public async Task EnumerateAsync_ManyWaitForTheDisk_AllGoOn()
    {
        using var gate = new DiskGate(_cache.Tiers.Device!, IoKind.Read);
        gate.Close();
        var enumerators = Enumerable.Range(0, 100).Select(_ => _cache.EnumerateAsync(TestContext.Current.CancellationToken).GetAsyncEnumerator(TestContext.Current.CancellationToken)).ToList();
        var first = enumerators.Select(e => e.MoveNextAsync().AsTask()).ToList();

        gate.Open();

        Assert.All(await Task.WhenAll(first).WaitAsync(Until.Deadline, TestContext.Current.CancellationToken), Assert.True);
        foreach (var enumerator in enumerators) await enumerator.DisposeAsync();
    }

    [Fact]
    public async Task EnumerateAsync_Cancelled_Throws()
    {
        using var cancel = new CancellationTokenSource();
        await Assert.ThrowsAnyAsync<OperationCanceledException>(async () =>
        {
            await foreach (var _ in _cache.EnumerateAsync(cancel.Token)) await cancel.CancelAsync();
        });
    }

    [Fact]
    public async Task EnumerateAsync_Disposed_Throws()
    {
        await _cache.DisposeAsync();
        await Assert.ThrowsAsync<ObjectDisposedException>(async () => await ToListAsync());
    }

    /// <summary>Each of these keys once, but for a few, with its value, and nothing else.</summary>
    private static void AssertAre(IEnumerable<int> expected, long version, List<KeyValuePair<long, Stamp>> entries)
    {
        HashSet<long> keys = [.. expected.Select(key => (long)key)];
        Assert.All(entries, entry => Assert.Equal(Stamp.Of(entry.Key, version), entry.Value));
        Assert.All(entries, entry => Assert.True(keys.Remove(entry.Key), $"key {entry.Key} is a stranger, or came twice"));
        Assert.InRange(keys.Count, 0, Lost);
    }

    private FasterCache<long, Stamp> Open() => StampCache.Open(_directory.Path, change: o =>
    {
        o.DiskBudget = "64MB";
        o.TimeProvider = _clock;
    });

    private Task<List<KeyValuePair<long, Stamp>>> ToListAsync() => ToListAsync(_cache);

    private static async Task<List<KeyValuePair<long, Stamp>>> ToListAsync(FasterCache<long, Stamp> cache)
    {
        List<KeyValuePair<long, Stamp>> entries = [];
        await foreach (var entry in cache.EnumerateAsync(TestContext.Current.CancellationToken)) entries.Add(entry);
        return entries;
    }
}
