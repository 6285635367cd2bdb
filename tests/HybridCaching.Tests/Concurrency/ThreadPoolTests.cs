using HybridCaching.Tests.Support;

namespace HybridCaching.Tests.Concurrency;

/// <summary>Calls that must be answered though every thread of the pool is blocked.</summary>
[Collection(nameof(RunsAlone))]
public sealed class ThreadPoolTests : IDisposable
{
    private readonly TestDirectory _directory = new();
    private readonly FasterCache<long, Stamp> _cache;

    public ThreadPoolTests()
    {
        _cache = ColdCache.Open(_directory.Path);

        // Reads that the kernel could answer at once would prove nothing.
        _cache.Tiers.Device!.Fault = static _ => false;
    }

    public void Dispose()
    {
        _cache.Dispose();
        Hosting.App.AwaitFree(_directory.Path, StampCache.Name);
        _directory.Dispose();
    }

    [Fact]
    public void TryGet_PoolBlocked_ReadsTheDisk() => WithBlockedPool(() =>
    {
        for (long key = 0; key < 500; key++)
        {
            Assert.True(_cache.TryGet(key, out var value));
            Assert.Equal(Stamp.Of(key, 1), value);
        }
    });

    [Fact]
    public void TryGet_PoolBlockedAndMoreThreadsThanSessions_ReadsTheDisk() => WithBlockedPool(() => Crew.Run(150, me =>
    {
        for (long key = me * 20; key < (me * 20) + 20; key++) Assert.True(_cache.TryGet(key, out _));
    }));

    [Fact]
    public void ContainsKey_PoolBlocked_ReadsTheDisk() => WithBlockedPool(() => Assert.True(_cache.ContainsKey(1)));

    [Fact]
    public void Remove_PoolBlocked_ReadsTheDisk() => WithBlockedPool(() => Assert.True(_cache.Remove(2)));

    [Fact]
    public void Touch_PoolBlocked_ReadsTheDisk() => WithBlockedPool(() => Assert.True(_cache.Touch(3, TimeSpan.FromHours(1))));

    [Fact]
    public void Set_PoolBlocked_OutgrowsMemory() => WithBlockedPool(() => _cache.Fill(1 << 20, 60_000, version: 1));

    /// <summary>Writes that hang are given up by housekeeping, which needs no thread of the pool for that.</summary>
    [Fact]
    public void Set_PoolBlockedAndWritesHang_GoesOnInMemory() => WithBlockedPool(() =>
    {
        using var gate = new DiskGate(_cache.Tiers.Device!, HybridCaching.Devices.IoKind.Write);
        gate.Close();
        long key = 1 << 20;
        Until.True(
            () =>
            {
                _cache.Set(++key, Stamp.Of(key, 1));
                return _cache.GetStatistics().DiskWriteErrors > 0;
            },
            "what hangs is given up");
    });

    [Fact]
    public void GetOrAdd_PoolBlocked_CallsTheFactory() => WithBlockedPool(() => Assert.Equal(Stamp.Of(ColdCache.MissingKey, 1), _cache.GetOrAdd(ColdCache.MissingKey, key => Stamp.Of(key, 1))));

    [Fact]
    public void Clear_PoolBlocked_Ends() => WithBlockedPool(_cache.Clear);

    [Fact]
    public void TryGet_AbandonedReadsAndPoolBlocked_IsHitInMemory()
    {
        using var directory = new TestDirectory();
        using var cache = ColdCache.Open(directory.Path, diskTimeout: TimeSpan.FromMilliseconds(20));
        cache.Set(ColdCache.MissingKey, Stamp.Of(1, 1));
        using var gate = new DiskGate(cache.Tiers.Device!, HybridCaching.Devices.IoKind.Read);
        WithBlockedPool(() =>
        {
            gate.Close();
            Crew.Run(150, me => cache.TryGet(me, out _));
            gate.Open();
            Crew.Run(150, me => cache.TryGet(me, out _));
            Assert.True(cache.TryGet(ColdCache.MissingKey, out _));
        });
    }

    [Fact]
    public void GetOrAddAsync_ManyMissesOnTheDiskAndFewPoolThreads_AllEnd()
    {
        using var directory = new TestDirectory();
        var clock = new ManualTimeProvider();
        using var cache = ColdCache.Open(directory.Path, change: o =>
        {
            o.TimeProvider = clock;
            o.DefaultTimeToLive = TimeSpan.FromHours(1);
        });
        cache.Tiers.Device!.Fault = static _ => false;
        clock.Advance(TimeSpan.FromHours(2));
        WithFewThreads(threads =>
        {
            Crew.MustEnd("GetOrAddAsync", () => Crew.Run(8, me =>
            {
                var calls = Enumerable.Range(me * 500, 500).Select(key => cache.GetOrAddAsync(key, (k, _) => ValueTask.FromResult(Stamp.Of(k, 2))).AsTask()).ToArray();
                Task.WaitAll(calls, Until.Deadline);
                Assert.All(calls, call => Assert.True(call.IsCompletedSuccessfully));
            }));
        });
    }

    /// <summary>Each waits five seconds for a checkpoint that nobody is left to take: all at once.</summary>
    [Fact]
    public void Checkpoints_PoolBlocked_AreGivenUp()
    {
        Action<FasterCache<long, Stamp>>[] calls =
        [
            static cache => cache.Dispose(),
            static cache => cache.DisposeAsync().AsTask().GetAwaiter().GetResult(),
            static cache => cache.Tiers.CheckpointAsync(CancellationToken.None).Result(),
            SetBesideCheckpoint,
        ];
        var caches = Array.ConvertAll(calls, _ => new ThreadPoolTests());
        try
        {
            WithBlockedPool(() => Crew.Run(calls.Length, me => calls[me](caches[me]._cache)));
        }
        finally
        {
            foreach (var each in caches) each.Dispose();
        }
    }

    private static void SetBesideCheckpoint(FasterCache<long, Stamp> cache)
    {
        var checkpoint = cache.Tiers.CheckpointAsync(CancellationToken.None);
        for (long key = 0; key < 100; key++) cache.Set(key, Stamp.Of(key, 2));
        checkpoint.Result();
    }

    /// <summary>Runs the work while all threads that the pool may have wait; fails if it does not end.</summary>
    private static void WithBlockedPool(Action work) => WithFewThreads(threads =>
    {
        using var release = new ManualResetEventSlim();
        using var ended = new CountdownEvent(2 * threads);
        try
        {
            for (int i = 0; i < 2 * threads; i++)
            {
                ThreadPool.UnsafeQueueUserWorkItem(
                    _ =>
                    {
                        release.Wait();
                        ended.Signal();
                    },
                    null);
            }

            Until.True(IsBlocked, "the pool is blocked");
            Crew.MustEnd("a call while the pool is blocked", work);
            Assert.True(IsBlocked());
        }
        finally
        {
            release.Set();
            ended.Wait(Until.Deadline);
        }

        // Twice as many waiting pieces of work as threads: while some are still queued, all threads have one or are busy otherwise.
        bool IsBlocked() => ThreadPool.ThreadCount >= threads && ThreadPool.PendingWorkItemCount > 0;
    });

    /// <summary>Runs the work while the pool may have only a few threads more than it has now.</summary>
    private static void WithFewThreads(Action<int> work)
    {
        ThreadPool.GetMaxThreads(out int maxWorkers, out int maxCompletionPorts);
        ThreadPool.GetMinThreads(out int minWorkers, out int minCompletionPorts);
        int threads = Math.Max(ThreadPool.ThreadCount, Environment.ProcessorCount) + 2;
        try
        {
            Assert.True(ThreadPool.SetMinThreads(threads, minCompletionPorts));
            Assert.True(ThreadPool.SetMaxThreads(threads, maxCompletionPorts));
            work(threads);
        }
        finally
        {
            ThreadPool.SetMaxThreads(maxWorkers, maxCompletionPorts);
            ThreadPool.SetMinThreads(minWorkers, minCompletionPorts);
        }
    }
}
