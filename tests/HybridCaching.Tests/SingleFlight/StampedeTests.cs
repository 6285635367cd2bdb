using HybridCaching.Tests.Concurrency;
using HybridCaching.Tests.Support;

namespace HybridCaching.Tests.SingleFlight;

public sealed class StampedeTests : IDisposable
{
    private const int Rounds = 100;
    private const int Threads = 20;
    private const int CallersPerThread = 50;

    private readonly FasterCache<long, long> _cache = new(new FasterCacheOptions { MemoryBudget = "12MB" });
    private readonly int[] _calls = new int[Rounds];

    public void Dispose() => _cache.Dispose();

    [Fact]
    public void GetOrAdd_ThousandCallersOfOneMissingKey_CallsOneFactory()
    {
        for (int round = 0; round < Rounds; round++)
        {
            long key = round;
            Crew.Run(Threads, me =>
            {
                var waiting = new List<Task<long>>(CallersPerThread);
                for (int i = 1; i < CallersPerThread; i++) waiting.Add(_cache.GetOrAddAsync(key, MakeAsync).AsTask());
                Assert.Equal(key + 1, _cache.GetOrAdd(key, Make));
                Assert.True(Task.WhenAll(waiting).Wait(Until.Deadline));
                Assert.All(waiting, task => Assert.Equal(key + 1, task.Result));
            });
        }

        Assert.All(_calls, calls => Assert.Equal(1, calls));
    }

    [Fact]
    public void GetOrAdd_ManyKeysAtOnce_CallsOneFactoryEach()
    {
        Crew.Run(Threads, me =>
        {
            var random = new Random(me);
            var order = Enumerable.Range(0, Rounds).OrderBy(_ => random.Next());
            foreach (long key in order) Assert.Equal(key + 1, (me & 1) == 0 ? _cache.GetOrAdd(key, Make) : _cache.GetOrAddAsync(key, MakeAsync).AsTask().GetAwaiter().GetResult());
        });
        Assert.All(_calls, calls => Assert.Equal(1, calls));
    }

    [Fact]
    public void GetOrAdd_FactoriesThatFailHalfTheTime_NeverStoreOrReturnWhatFailed()
    {
        int made = 0;
        Crew.Run(8, me =>
        {
            for (int i = 0; i < 400; i++)
            {
                long key = i / 4;
                try
                {
                    Assert.Equal(key, _cache.GetOrAdd(key, k => Interlocked.Increment(ref made) % 2 == 0 ? throw new FactoryFault() : k));
                }
                catch (FactoryFault)
                {
                    // Expected of every second flight.
                }
            }
        });
    }

    [Fact]
    public void GetOrAdd_RacingWithRemovals_NeverStoresWhatWasMadeBeforeTheRemoval()
    {
        const long Key = 0;
        long source = 0;
        bool over = false;
        Crew.Run(4, me =>
        {
            if (me == 0)
            {
                for (int i = 1; i <= 3_000; i++)
                {
                    Interlocked.Exchange(ref source, i);
                    _cache.Remove(Key);
                    if (_cache.TryGet(Key, out long value)) Assert.Equal(i, value);
                }

                Volatile.Write(ref over, true);
                return;
            }

            while (!Volatile.Read(ref over))
            {
                long floor = Interlocked.Read(ref source) - 1;
                long value = (me & 1) == 0
                    ? _cache.GetOrAdd(Key, _ => Interlocked.Read(ref source))
                    : _cache.GetOrAddAsync(Key, (_, _) => ValueTask.FromResult(Interlocked.Read(ref source))).AsTask().GetAwaiter().GetResult();
                Assert.True(value >= floor, $"{value} was made before {floor}, whose removal is over");
            }
        });
    }

    private long Make(long key)
    {
        Interlocked.Increment(ref _calls[key]);
        Thread.Yield();
        return key + 1;
    }

    private async ValueTask<long> MakeAsync(long key, CancellationToken cancellationToken)
    {
        Interlocked.Increment(ref _calls[key]);
        await Task.Yield();
        return key + 1;
    }
}
