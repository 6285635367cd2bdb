using HybridCaching.Tests.Support;

namespace HybridCaching.Tests.Concurrency;

public sealed class ColdReadTests : IDisposable
{
    private readonly TestDirectory _directory = new();
    private readonly FasterCache<long, Stamp> _cache;

    public ColdReadTests() => _cache = ColdCache.Open(_directory.Path);

    public void Dispose()
    {
        _cache.Dispose();
        _directory.Dispose();
    }

    [Fact]
    public void TryGet_TwoHundredThreadsOnTheDisk_EachGetsItsValue()
    {
        UseIoThreads();
        Crew.Run(200, me =>
        {
            for (long key = me * 50; key < (me * 50) + 50; key++) AssertHit(key, _cache.TryGet(key, out var value) ? value : null);
        });
    }

    [Fact]
    public void TryGet_TwoHundredThreadsInTheKernelsMemory_EachGetsItsValue() => Crew.Run(200, me =>
    {
        for (long key = me * 50; key < (me * 50) + 50; key++) AssertHit(key, _cache.TryGet(key, out var value) ? value : null);
    });

    [Fact]
    public void TryGet_TwoHundredThreadsSameKeys_EachGetsItsValue()
    {
        UseIoThreads();
        Crew.Run(200, _ =>
        {
            for (long key = 0; key < 20; key++) AssertHit(key, _cache.TryGet(key, out var value) ? value : null);
        });
    }

    [Fact]
    public async Task GetAsync_ThousandsAtOnce_EachGetsItsValue()
    {
        UseIoThreads();
        var reads = Enumerable.Range(0, 5_000).Select(key => _cache.GetAsync(key).AsTask()).ToList();
        var values = await Task.WhenAll(reads).WaitAsync(4 * Until.Deadline);
        Assert.All(values.Index(), read => AssertHit(read.Index, read.Item));
    }

    [Fact]
    public void Get_SyncAndAsyncMixed_EachGetsItsValue()
    {
        UseIoThreads();
        Crew.Run(40, me =>
        {
            for (int i = 0; i < 100; i++)
            {
                long key = ((me * 100) + i) % ColdCache.ColdKeys;
                AssertHit(key, (i & 1) == 0 ? _cache.GetAsync(key).AsTask().GetAwaiter().GetResult() : _cache.TryGet(key, out var value) ? value : null);
            }
        });
    }

    [Fact]
    public void GetAsync_ManyCancelled_LosesNoSession()
    {
        UseIoThreads();
        Crew.Run(20, me =>
        {
            for (int i = 0; i < 200; i++)
            {
                long key = ((me * 200) + i) % ColdCache.ColdKeys;
                using var cancel = new CancellationTokenSource();
                var read = _cache.GetAsync(key, cancel.Token).AsTask();
                if ((i & 1) == 0) cancel.Cancel();
                try
                {
                    AssertHit(key, read.WaitAsync(Until.Deadline).GetAwaiter().GetResult());
                }
                catch (OperationCanceledException)
                {
                    Assert.True(cancel.IsCancellationRequested);
                }
            }
        });
        Crew.MustEnd("Dispose", _cache.Dispose);
    }

    [Fact]
    public void TryGet_AfterMemoryOnlyReads_StillReadsTheDisk()
    {
        UseIoThreads();
        for (long key = 0; key < ColdCache.ColdKeys; key++) Assert.False(_cache.TryGetFromMemory(key, out _));
        for (long key = 0; key < 200; key++) AssertHit(key, _cache.TryGet(key, out var value) ? value : null);
    }

    [Fact]
    public void TryGetFromMemory_Cold_AsksNoDisk()
    {
        int reads = 0;
        _cache.Tiers.Device!.Fault = request =>
        {
            if (request.Kind == HybridCaching.Devices.IoKind.Read) Interlocked.Increment(ref reads);
            return false;
        };
        for (long key = 0; key < 1_000; key++) _cache.TryGetFromMemory(key, out _);
        Assert.Equal(0, reads);
    }

    [Fact]
    public void TryGet_SecondCacheOpenedOnTheSameThread_ReadsItsOwnFiles()
    {
        using var directory = new TestDirectory();
        using (var second = ColdCache.Open(directory.Path))
        {
            for (long key = 0; key < 100; key++) AssertHit(key, second.TryGet(key, out var value) ? value : null);
        }

        for (long key = 0; key < 100; key++) AssertHit(key, _cache.TryGet(key, out var value) ? value : null);
        Crew.MustEnd("opening", () =>
        {
            // The thread has a session's ticket from here on.
            AssertHit(1, _cache.TryGet(1, out var value) ? value : null);
            using var again = StampCache.Open(directory.Path, change: o => o.DiskBudget = "64MB");
            for (long key = 0; key < 100; key++) AssertHit(key, again.TryGet(key, out value) ? value : null);
        });
    }

    private static void AssertHit(long key, Stamp? value)
    {
        Assert.NotNull(value);
        Assert.Equal(Stamp.Of(key, 1), value);
    }

    /// <summary>A device with a hook asks its threads for every read, also for what the kernel has in memory.</summary>
    private void UseIoThreads() => _cache.Tiers.Device!.Fault = static _ => false;
}
