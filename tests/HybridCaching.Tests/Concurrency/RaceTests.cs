using HybridCaching.Tests.Support;

namespace HybridCaching.Tests.Concurrency;

/// <summary>Decisions on one key that several threads take at once.</summary>
public sealed class RaceTests : IDisposable
{
    private const int Threads = 8;
    private static readonly TimeSpan Hour = TimeSpan.FromHours(1);

    private readonly FasterCache<long, long> _cache = new(new FasterCacheOptions { MemoryBudget = "12MB" });

    public void Dispose() => _cache.Dispose();

    [Fact]
    public void TryAdd_ManyThreadsOneKey_SucceedsOnce()
    {
        var added = new int[2_000];
        Crew.Run(Threads, me =>
        {
            for (int key = 0; key < added.Length; key++)
            {
                if (_cache.TryAdd(key, me)) Interlocked.Increment(ref added[key]);
            }
        });
        Assert.All(added, times => Assert.Equal(1, times));
    }

    [Fact]
    public void TryAdd_ManyThreadsOneKey_StoresTheWinnersValue()
    {
        var winners = new long[2_000];
        Crew.Run(Threads, me =>
        {
            for (int key = 0; key < winners.Length; key++)
            {
                if (_cache.TryAdd(key, me)) winners[key] = me;
            }
        });
        for (int key = 0; key < winners.Length; key++)
        {
            Assert.True(_cache.TryGet(key, out long value));
            Assert.Equal(winners[key], value);
        }
    }

    [Fact]
    public void TryAdd_ManyThreadsAnExpiredKey_SucceedsOnce()
    {
        var clock = new ManualTimeProvider();
        using var cache = new FasterCache<long, long>(new FasterCacheOptions { MemoryBudget = "12MB", TimeProvider = clock });
        for (int round = 0; round < 50; round++)
        {
            int added = 0;
            cache.Set(1, -1, TimeSpan.FromSeconds(1));
            clock.Advance(TimeSpan.FromSeconds(1));
            Crew.Run(Threads, me => Interlocked.Add(ref added, cache.TryAdd(1, me) ? 1 : 0));
            Assert.Equal(1, added);
        }
    }

    [Fact]
    public void Remove_ManyThreadsOneKey_SucceedsOnce()
    {
        var removed = new int[2_000];
        for (int key = 0; key < removed.Length; key++) _cache.Set(key, key);
        Crew.Run(Threads, _ =>
        {
            for (int key = 0; key < removed.Length; key++)
            {
                if (_cache.Remove(key)) Interlocked.Increment(ref removed[key]);
            }
        });
        Assert.All(removed, times => Assert.Equal(1, times));
    }

    [Fact]
    public void Remove_NeighboursWrittenMeanwhile_SucceedsAtMostOnce()
    {
        const long Key = 400;
        bool over = false;
        int removed = 0;
        int tooOften = 0;
        using var barrier = new Barrier(4, _ =>
        {
            if (removed > 1) tooOften++;
            removed = 0;
            _cache.Set(Key, 1);
        });
        Crew.Run(6, me =>
        {
            if (me >= 4)
            {
                // Keys 400 to 403 lie in one row, whose version thus changes all the time.
                for (long i = 0; !Volatile.Read(ref over); i++) _cache.Set(Key + 1 + (i & 1), i);
                return;
            }

            for (int round = 0; round < 500; round++)
            {
                barrier.SignalAndWait();
                if (_cache.Remove(Key)) Interlocked.Increment(ref removed);
            }

            barrier.SignalAndWait();
            Volatile.Write(ref over, true);
        });
        Assert.Equal(0, tooOften);
    }

    [Fact]
    public void Touch_RacingWithRemove_NeverBringsTheEntryBack()
    {
        using var barrier = new Barrier(2);
        Crew.Run(2, me =>
        {
            for (long key = 0; key < 2_000; key++)
            {
                if (me == 0) _cache.Set(key, 1);
                barrier.SignalAndWait();
                if (me == 0) _cache.Touch(key, Hour);
                else _cache.Remove(key);
                barrier.SignalAndWait();
                Assert.False(_cache.ContainsKey(key));
            }
        });
    }

    [Fact]
    public void Touch_RacingWithManyRemoves_NeverBringsAnEntryBack()
    {
        const int Keys = 64;
        bool over = false;
        Crew.Run(4, me =>
        {
            var random = new Random(me);
            if (me > 1)
            {
                while (!Volatile.Read(ref over)) _cache.Touch(random.Next(Keys), Hour);
                return;
            }

            for (int i = 0; i < 20_000; i++)
            {
                long key = (random.Next(Keys) & ~1) + me;
                _cache.Set(key, i);
                _cache.Remove(key);
                Assert.False(_cache.TryGet(key, out _), "a removed entry is back");
            }

            Volatile.Write(ref over, true);
        });
    }

    [Fact]
    public void Touch_RacingWithClear_NeverBringsAnEntryBack()
    {
        const int Keys = 256;
        for (int round = 0; round < 60; round++)
        {
            for (int key = 0; key < Keys; key++) _cache.Set(key, round);
            bool cleared = false;
            Crew.Run(4, me =>
            {
                if (me == 0)
                {
                    _cache.Clear();
                    Volatile.Write(ref cleared, true);
                    return;
                }

                for (int key = 0; !Volatile.Read(ref cleared); key = (key + 1) % Keys) _cache.Touch(key, Hour);
            });
            for (int key = 0; key < Keys; key++) Assert.False(_cache.TryGet(key, out _), "a cleared entry is back");
        }
    }

    [Fact]
    public void Touch_RacingWithSet_NeverUndoesTheSet()
    {
        bool over = false;
        Crew.Run(3, me =>
        {
            if (me > 0)
            {
                while (!Volatile.Read(ref over)) _cache.Touch(1, Hour);
                return;
            }

            for (long i = 0; i < 30_000; i++)
            {
                _cache.Set(1, i);
                Assert.True(_cache.TryGet(1, out long value));
                Assert.Equal(i, value);
            }

            Volatile.Write(ref over, true);
        });
    }

    [Fact]
    public void Set_AfterClear_IsThere()
    {
        for (int round = 0; round < 200; round++)
        {
            _cache.Clear();
            _cache.Set(1, round);
            Assert.True(_cache.TryGet(1, out long value));
            Assert.Equal(round, value);
        }
    }

    [Fact]
    public void Clear_Twice_LeavesNothing()
    {
        for (int key = 0; key < 1000; key++) _cache.Set(key, key);
        Crew.Run(_cache.Clear, _cache.Clear);
        for (int key = 0; key < 1000; key++) Assert.False(_cache.ContainsKey(key));
    }
}
