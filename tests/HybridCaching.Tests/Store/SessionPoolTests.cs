using HybridCaching.Store;
using HybridCaching.Tests.Concurrency;
using HybridCaching.Tests.Support;

namespace HybridCaching.Tests.Store;

public sealed class SessionPoolTests
{
    private const string Owner = "the cache";

    [Fact]
    public void Rent_TwoHundredThreads_NeverHaveTheSameSession()
    {
        var pool = NewPool(24);
        Crew.Run(200, me =>
        {
            for (int i = 0; i < 500; i++)
            {
                var session = pool.Rent();
                Own(session);
                if ((i + me) % 7 == 0) Thread.Yield();
                Disown(session);
                pool.Return(session);
            }
        });
    }

    [Fact]
    public void Rent_MoreCallersThanSessions_CreatesNoMoreThanTheCapacity()
    {
        int created = 0;
        var pool = NewPool(6, () => { Interlocked.Increment(ref created); return new FakeSession(); });
        Crew.Run(100, _ =>
        {
            for (int i = 0; i < 100; i++)
            {
                var session = pool.Rent();
                Thread.Yield();
                pool.Return(session);
            }
        });
        Assert.InRange(created, 1, 6);
    }

    [Fact]
    public void Rent_CapacityOfOne_ServesEveryCaller()
    {
        var pool = NewPool(1);
        int served = 0;
        Crew.Run(16, _ =>
        {
            for (int i = 0; i < 200; i++)
            {
                var session = pool.Rent();
                served++;
                pool.Return(session);
            }
        });
        Assert.Equal(16 * 200, served);
    }

    [Fact]
    public void Rent_AllOut_WaitsForAReturn()
    {
        var pool = NewPool(2);
        var first = pool.Rent();
        pool.Rent();
        FakeSession? third = null;
        var waiter = Crew.Start(() => Volatile.Write(ref third, pool.Rent()));
        AwaitBlocked(waiter);
        pool.Return(first);
        Until.True(() => Volatile.Read(ref third) is not null, "the waiter has a session");
        Assert.Same(first, third);
    }

    [Fact]
    public async Task RentAsync_AllOut_WaitsForAReturn()
    {
        var pool = NewPool(2);
        var first = pool.Rent();
        pool.Rent();
        var third = pool.RentAsync(CancellationToken.None).AsTask();
        Assert.False(third.IsCompleted);
        pool.Return(first);
        Assert.Same(first, await third.WaitAsync(Until.Deadline));
    }

    [Fact]
    public async Task RentAsync_ManyWaiters_AllAreServed()
    {
        var pool = NewPool(3);
        FakeSession[] all = [pool.Rent(), pool.Rent(), pool.Rent()];
        var waiters = Enumerable.Range(0, 300).Select(async _ =>
        {
            var session = await pool.RentAsync(CancellationToken.None);
            Own(session);
            await Task.Yield();
            Disown(session);
            pool.Return(session);
        }).ToList();
        foreach (var session in all) pool.Return(session);
        await Task.WhenAll(waiters).WaitAsync(Until.Deadline);
    }

    [Fact]
    public void TryRent_AllOut_IsNull()
    {
        var pool = NewPool(2);
        pool.Rent();
        pool.Rent();
        Assert.Null(pool.TryRent());
    }

    [Fact]
    public void TryRent_OneLeft_IsThatOne()
    {
        var pool = NewPool(2);
        pool.Rent();
        var last = pool.Rent();
        pool.Return(last);
        Assert.Same(last, pool.TryRent());
    }

    /// <summary>Who takes the one that was returned longest ago finds each in another core's cache.</summary>
    [Fact]
    public void Rent_FirstIsOut_TakesTheOthersInTheSameOrderAgain()
    {
        var pool = new SessionPool<FakeSession>(4, () => new FakeSession(), Owner, mostCores: 1);
        FakeSession[] all = [pool.Rent(), pool.Rent(), pool.Rent()];
        pool.Return(all[2]);
        pool.Return(all[1]);

        FakeSession[] again = [pool.Rent(), pool.Rent()];

        Assert.Equal(all[1..], again);
    }

    [Fact]
    public async Task RentAsync_CancelledWhileWaiting_Throws()
    {
        var pool = NewPool(1);
        pool.Rent();
        using var cancel = new CancellationTokenSource();
        var waiter = pool.RentAsync(cancel.Token).AsTask();
        await cancel.CancelAsync();
        await Assert.ThrowsAnyAsync<OperationCanceledException>(() => waiter);
    }

    [Fact]
    public async Task RentAsync_OtherWaiterCancelled_IsStillWoken()
    {
        for (int round = 0; round < 200; round++)
        {
            var pool = NewPool(1);
            var only = pool.Rent();
            using var cancel = new CancellationTokenSource();
            var cancelled = RentAndReturnAsync(pool, cancel.Token);
            var waiter = RentAndReturnAsync(pool, CancellationToken.None);
            var cancelling = cancel.CancelAsync();
            pool.Return(only);
            Assert.True(await waiter.WaitAsync(Until.Deadline), "a waiter that was not cancelled has had a session");
            await cancelled.WaitAsync(Until.Deadline);
            await cancelling;
        }
    }

    [Fact]
    public void Rent_MixedWithCancelledAsyncRenters_LosesNoSession()
    {
        const int Capacity = 4;
        var pool = NewPool(Capacity);
        Crew.Run(24, me =>
        {
            for (int i = 0; i < 300; i++)
            {
                if (me % 3 == 0)
                {
                    RentAndReturn(pool);
                    continue;
                }

                using var cancel = new CancellationTokenSource();
                var rental = RentAndReturnAsync(pool, cancel.Token);
                if (me % 3 == 1) cancel.Cancel();
                Assert.True(rental.Wait(Until.Deadline), "an async renter hangs");
            }
        });
        var all = Enumerable.Range(0, Capacity).Select(_ => pool.TryRent()).ToList();
        Assert.Equal(Capacity, all.Distinct().Count(session => session is not null));
    }

    [Fact]
    public void Rent_CreationFails_LeavesThePoolUsable()
    {
        bool fail = true;
        var pool = NewPool(1, () => fail ? throw new InvalidOperationException("no session") : new FakeSession());
        Assert.Throws<InvalidOperationException>(() => pool.Rent());
        fail = false;
        Assert.NotNull(pool.Rent());
    }

    [Fact]
    public void SumCounters_SessionsInAndOut_CountsBoth()
    {
        var pool = NewPool(4);
        var first = pool.Rent();
        var second = pool.Rent();
        first.Counters.Writes = 3;
        second.Counters.Writes = 4;
        pool.Return(first);
        Assert.Equal(7, pool.SumCounters().Writes);
    }

    private static SessionPool<FakeSession> NewPool(int capacity, Func<FakeSession>? create = null) => new(capacity, create ?? (() => new FakeSession()), Owner);

    private static void Own(FakeSession session) => Assert.True(session.TryOwn(), "two owners of one session");

    private static void Disown(FakeSession session) => session.Disown();

    private static void AwaitBlocked(Thread thread) => Until.True(() => (thread.ThreadState & ThreadState.WaitSleepJoin) != 0, "the thread waits");

    private static void RentAndReturn(SessionPool<FakeSession> pool)
    {
        var session = pool.Rent();
        Own(session);
        Disown(session);
        pool.Return(session);
    }

    /// <summary>Whether there was a session: a cancelled renter may get one all the same, and then returns it.</summary>
    private static async Task<bool> RentAndReturnAsync(SessionPool<FakeSession> pool, CancellationToken cancellationToken)
    {
        try
        {
            var session = await pool.RentAsync(cancellationToken);
            Own(session);
            Disown(session);
            pool.Return(session);
            return true;
        }
        catch (OperationCanceledException)
        {
            Assert.True(cancellationToken.IsCancellationRequested);
            return false;
        }
    }
}
