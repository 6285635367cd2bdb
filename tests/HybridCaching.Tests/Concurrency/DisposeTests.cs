using HybridCaching.Tests.Support;

namespace HybridCaching.Tests.Concurrency;

public sealed class DisposeTests : IDisposable
{
    private const long Key = 1;

    private readonly TestDirectory _directory = new();

    /// <summary>Every member that reads or changes entries.</summary>
    public static TheoryData<string> Members => [.. Calls.Keys];

    private static Dictionary<string, Func<FasterCache<long, Stamp>, Task>> Calls { get; } = new()
    {
        ["TryGet"] = cache => Task.FromResult(cache.TryGet(Key, out _)),
        ["TryGetFromMemory"] = cache => Task.FromResult(cache.TryGetFromMemory(Key, out _)),
        ["GetAsync"] = async cache => await cache.GetAsync(Key),
        ["ContainsKey"] = cache => Task.FromResult(cache.ContainsKey(Key)),
        ["Set"] = cache =>
        {
            cache.Set(Key, Stamp.Of(Key, 1));
            return Task.CompletedTask;
        },
        ["SetAsync"] = async cache => await cache.SetAsync(Key, Stamp.Of(Key, 1)),
        ["TryAdd"] = cache => Task.FromResult(cache.TryAdd(Key, Stamp.Of(Key, 1))),
        ["Touch"] = cache => Task.FromResult(cache.Touch(Key, TimeSpan.FromHours(1))),
        ["Remove"] = cache => Task.FromResult(cache.Remove(Key)),
        ["Clear"] = cache =>
        {
            cache.Clear();
            return Task.CompletedTask;
        },
        ["FlushAsync"] = async cache => await cache.FlushAsync(),
        ["GetOrAdd"] = cache => Task.FromResult(cache.GetOrAdd(Key, key => Stamp.Of(key, 1))),
        ["GetOrAddAsync"] = async cache => await cache.GetOrAddAsync(Key, (key, _) => ValueTask.FromResult(Stamp.Of(key, 1))),
    };

    public void Dispose() => _directory.Dispose();

    [Theory]
    [MemberData(nameof(Members))]
    public async Task Member_AfterDispose_Throws(string member)
    {
        var cache = StampCache.Open(_directory.Path);
        cache.Set(Key, Stamp.Of(Key, 1));
        cache.Dispose();
        await Assert.ThrowsAsync<ObjectDisposedException>(() => Calls[member](cache));
    }

    [Theory]
    [MemberData(nameof(Members))]
    public async Task Member_AfterDisposeOfACacheInMemoryOnly_Throws(string member)
    {
        var cache = new FasterCache<long, Stamp>(new FasterCacheOptions { MemoryBudget = "12MB" });
        await cache.DisposeAsync();
        await Assert.ThrowsAsync<ObjectDisposedException>(() => Calls[member](cache));
    }

    [Fact]
    public void Member_AfterDispose_NamesTheCache()
    {
        var cache = StampCache.Open(_directory.Path);
        cache.Dispose();
        Assert.Contains(StampCache.Name, Assert.Throws<ObjectDisposedException>(() => cache.TryGet(Key, out _)).Message, StringComparison.Ordinal);
    }

    [Fact]
    public void GetStatistics_AfterDispose_DoesNotFail()
    {
        var cache = StampCache.Open(_directory.Path);
        cache.Dispose();
        Assert.True(Record.Exception(() => cache.GetStatistics()) is null or ObjectDisposedException);
        Assert.True(Record.Exception(() => cache.GetMemoryUsage()) is null or ObjectDisposedException);
        Assert.True(Record.Exception(() => cache.EstimatedCount) is null or ObjectDisposedException);
    }

    [Fact]
    public void Dispose_Twice_IsTheSameAsOnce()
    {
        var cache = StampCache.Open(_directory.Path);
        cache.Dispose();
        cache.Dispose();
    }

    [Fact]
    public async Task DisposeAsync_AfterDispose_IsTheSameAsOnce()
    {
        var cache = StampCache.Open(_directory.Path);
        cache.Dispose();
        await cache.DisposeAsync();
    }

    [Fact]
    public void Dispose_ManyThreads_LeavesTheDirectoryFreeForEachWhenItReturns()
    {
        var cache = ColdCache.Open(_directory.Path);
        Crew.Run(8, _ =>
        {
            cache.Dispose();
            lock (_directory)
            {
                using var again = StampCache.Open(_directory.Path, change: o =>
                {
                    o.DiskBudget = "64MB";
                    o.WhenDirectoryUnavailable = DirectoryUnavailable.Throw;
                });
            }
        });
    }

    [Fact]
    public void Dispose_DuringTraffic_EndsAndEveryCallEndsOrThrows()
    {
        for (int round = 0; round < 5; round++)
        {
            using var directory = new TestDirectory();
            var cache = ColdCache.Open(directory.Path);
            RunTraffic(cache, () =>
            {
                Until.True(() => cache.GetStatistics().DiskHits > 100, "there is traffic");
                Crew.MustEnd("Dispose", cache.Dispose);
            });
        }
    }

    [Fact]
    public void Dispose_DuringTrafficOnAFlakyDisk_EndsAndEveryCallEndsOrThrows()
    {
        for (int round = 0; round < 3; round++)
        {
            using var directory = new TestDirectory();
            var cache = ColdCache.Open(directory.Path);
            cache.Tiers.Device!.Fault = new FlakyDisk(round).Fails;
            RunTraffic(cache, () =>
            {
                Until.True(() => cache.GetStatistics().DiskHits > 100, "there is traffic");
                Crew.MustEnd("Dispose", cache.Dispose);
            });
        }
    }

    [Fact]
    public void Dispose_DuringTraffic_KeepsWhatWasStoredForTheNextStart()
    {
        var cache = ColdCache.Open(_directory.Path);
        long stored = 0;
        RunTraffic(cache, () =>
        {
            for (long i = 0; i < 2_000; i++)
            {
                cache.Set((1L << 30) + i, Stamp.Of((1L << 30) + i, 1));
                stored++;
            }

            cache.Dispose();
        });
        using var again = StampCache.Open(_directory.Path, change: o => o.DiskBudget = "64MB");
        Found.All(stored, again.CountHits(1L << 30, stored, version: 1));
    }

    [Fact]
    public async Task Dispose_FactoryStillRunning_FailsItsWaiter()
    {
        var made = new TaskCompletionSource<Stamp>(TaskCreationOptions.RunContinuationsAsynchronously);
        var cache = StampCache.Open(_directory.Path);
        var waiter = cache.GetOrAddAsync(Key, (_, _) => new ValueTask<Stamp>(made.Task)).AsTask();
        cache.Dispose();
        made.SetResult(Stamp.Of(Key, 1));
        var outcome = await Record.ExceptionAsync(() => waiter.WaitAsync(Until.Deadline));
        Assert.True(outcome is null or ObjectDisposedException);
    }

    /// <summary>Readers, writers and factories, sync and async, until the cache throws that it is disposed; meanwhile <paramref name="end"/> disposes it.</summary>
    private static void RunTraffic(FasterCache<long, Stamp> cache, Action end) => Crew.Run(13, me =>
    {
        if (me == 0)
        {
            end();
            return;
        }

        var random = new Random(me);
        try
        {
            while (true)
            {
                long key = random.Next(2 * ColdCache.ColdKeys);
                Stamp? value = null;
                switch (random.Next(8))
                {
                    case 0: cache.Set(key, Stamp.Of(key, 2)); break;
                    case 1: cache.Remove(key); break;
                    case 2: cache.Touch(key, TimeSpan.FromHours(1)); break;
                    case 3: value = cache.GetOrAddAsync(key, async (k, _) => { await Task.Yield(); return Stamp.Of(k, 3); }).AsTask().GetAwaiter().GetResult(); break;
                    case 4: value = cache.GetOrAdd(key, k => Stamp.Of(k, 3)); break;
                    case 5: value = cache.GetAsync(key).AsTask().GetAwaiter().GetResult(); break;
                    case 6: cache.ContainsKey(key); break;
                    default: value = cache.TryGet(key, out var found) ? found : null; break;
                }

                if (value is { } hit) Assert.True(hit.IsGenuine(key));
            }
        }
        catch (ObjectDisposedException)
        {
            // The end of the traffic.
        }
    });
}
