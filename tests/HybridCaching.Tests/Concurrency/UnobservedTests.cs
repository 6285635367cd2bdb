using System.Collections.Concurrent;
using System.Runtime.CompilerServices;
using HybridCaching.Store;
using HybridCaching.Tests.SingleFlight;
using HybridCaching.Tests.Support;

namespace HybridCaching.Tests.Concurrency;

/// <summary>No exception is left to the finalizer of a task.</summary>
[Collection(nameof(RunsAlone))]
public sealed class UnobservedTests : IDisposable
{
    private readonly ConcurrentQueue<Exception> _unobserved = new();

    public UnobservedTests()
    {
        CollectTasks();
        TaskScheduler.UnobservedTaskException += OnUnobserved;
    }

    public void Dispose() => TaskScheduler.UnobservedTaskException -= OnUnobserved;

    [Fact]
    public void GetOrAddAsync_FactoriesFailAndWaitersLeave_LeavesNothingUnobserved()
    {
        FailFlights();
        CollectTasks();
        Assert.Empty(_unobserved);
    }

    [Fact]
    public void Dispose_DuringTraffic_LeavesNothingUnobserved()
    {
        DisposeDuringTraffic();
        CollectTasks();
        Assert.Empty(_unobserved);
    }

    [Fact]
    public void GetAsync_Cancelled_LeavesNothingUnobserved()
    {
        CancelReads();
        CollectTasks();
        Assert.Empty(_unobserved);
    }

    [Fact]
    public void FlushAsync_CallerLeavesAndCacheIsDisposed_LeavesNothingUnobserved()
    {
        LeaveFlush();
        CollectTasks();
        Assert.Empty(_unobserved);
    }

    private static void CollectTasks()
    {
        for (int i = 0; i < 3; i++)
        {
            GC.Collect();
            GC.WaitForPendingFinalizers();
        }
    }

    /// <summary>The flush waits for a session, as during a checkpoint, until there will be none any more.</summary>
    [MethodImpl(MethodImplOptions.NoInlining)]
    private static void LeaveFlush()
    {
        using var directory = new TestDirectory();
        using var cache = StampCache.Open(directory.Path);
        using var cancel = new CancellationTokenSource();
        var pool = PrivateField.Of<SessionPool<EntrySession<long, Stamp>>>(cache.Tiers, "_pool");
        Assert.True(pool.TryHold(Until.Deadline, CancellationToken.None));
        var flush = cache.FlushAsync(cancel.Token).AsTask();
        cancel.Cancel();
        Assert.Throws<TaskCanceledException>(() => flush.GetAwaiter().GetResult());
        cache.Dispose();
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    private static void FailFlights()
    {
        using var cache = new FasterCache<long, long>(new FasterCacheOptions { MemoryBudget = "12MB" });
        Crew.Run(8, me =>
        {
            for (int i = 0; i < 200; i++)
            {
                using var cancel = new CancellationTokenSource();
                var waiter = cache.GetOrAddAsync(
                    i,
                    async (_, _) =>
                    {
                        await Task.Yield();
                        throw new FactoryFault();
                    },
                    cancellationToken: cancel.Token).AsTask();
                if ((me & 1) == 0) cancel.Cancel();
                Assert.True(Record.Exception(() => waiter.WaitAsync(Until.Deadline).GetAwaiter().GetResult()) is FactoryFault or OperationCanceledException);
            }
        });
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    private static void DisposeDuringTraffic()
    {
        using var directory = new TestDirectory();
        var cache = ColdCache.Open(directory.Path);
        Crew.Run(6, me =>
        {
            if (me == 0)
            {
                Until.True(() => cache.GetStatistics().DiskHits > 50, "there is traffic");
                cache.Dispose();
                return;
            }

            try
            {
                for (long key = me; ; key = (key + 7) % ColdCache.ColdKeys)
                {
                    if ((key & 1) == 0) cache.GetAsync(key).AsTask().GetAwaiter().GetResult();
                    else cache.GetOrAddAsync(key, (k, _) => ValueTask.FromResult(Stamp.Of(k, 1))).AsTask().GetAwaiter().GetResult();
                }
            }
            catch (ObjectDisposedException)
            {
                // The end of the traffic.
            }
        });
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    private static void CancelReads()
    {
        using var directory = new TestDirectory();
        using var cache = ColdCache.Open(directory.Path);
        cache.Tiers.Device!.Fault = static _ => false;
        for (long key = 0; key < 500; key++)
        {
            using var cancel = new CancellationTokenSource();
            var read = cache.GetAsync(key, cancel.Token).AsTask();
            cancel.Cancel();
            Assert.True(Record.Exception(() => read.WaitAsync(Until.Deadline).GetAwaiter().GetResult()) is null or OperationCanceledException);
        }
    }

    private void OnUnobserved(object? sender, UnobservedTaskExceptionEventArgs e) => _unobserved.Enqueue(e.Exception);
}
