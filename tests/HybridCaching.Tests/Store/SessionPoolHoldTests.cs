using HybridCaching.Store;
using HybridCaching.Tests.Concurrency;
using HybridCaching.Tests.Support;

namespace HybridCaching.Tests.Store;

public sealed class SessionPoolHoldTests
{
    private static readonly TimeSpan Moment = TimeSpan.FromMilliseconds(20);

    [Fact]
    public void TryHold_NoneMadeYet_LetsNoneBeMade()
    {
        int created = 0;
        var pool = NewPool(4, () => created++);
        Assert.True(pool.TryHold(Until.Deadline, CancellationToken.None));

        Assert.Null(pool.TryRent());
        Assert.Equal(0, created);
    }

    [Fact]
    public void TryHold_AllBack_LetsNoneOut()
    {
        var pool = NewPool(4);
        RentAndReturn(pool, 4);
        Assert.True(pool.TryHold(Until.Deadline, CancellationToken.None));

        Assert.Null(pool.TryRent());
    }

    [Fact]
    public void TryHold_SessionOut_WaitsForIt()
    {
        var pool = NewPool(2);
        var session = pool.Rent();
        bool? held = null;
        var holder = Crew.Start(() => held = pool.TryHold(Until.Deadline, CancellationToken.None));
        Until.True(() => pool.TryRent() is not { } other || GiveBack(pool, other), "holding has begun");
        Assert.Null(held);
        pool.Return(session);

        Assert.True(holder.Join(Until.Deadline));
        Assert.True(held);
    }

    [Fact]
    public void TryHold_SessionNotBackInTime_HoldsNone()
    {
        var pool = NewPool(3);
        RentAndReturn(pool, 3);
        var session = pool.Rent();
        Assert.False(pool.TryHold(Moment, CancellationToken.None));

        var other = pool.TryRent();
        Assert.NotNull(other);
        pool.Return(other);
        pool.Return(session);
        Assert.True(pool.TryHold(Until.Deadline, CancellationToken.None));
    }

    [Fact]
    public void TryHold_TokenCancelled_HoldsNone()
    {
        var pool = NewPool(3);
        var session = pool.Rent();
        Assert.False(pool.TryHold(Until.Deadline, new CancellationToken(canceled: true)));

        pool.Return(session);
        Assert.NotNull(pool.TryRent());
    }

    [Fact]
    public void TryHold_TokenCancelledThoughAllAreBack_Holds()
    {
        var pool = NewPool(3);
        RentAndReturn(pool, 3);

        Assert.True(pool.TryHold(Until.Deadline, new CancellationToken(canceled: true)));
    }

    [Fact]
    public void Release_AllBack_LetsAsManyOutAsBefore()
    {
        var pool = NewPool(3);
        RentAndReturn(pool, 3);
        pool.TryHold(Until.Deadline, CancellationToken.None);
        pool.Release();

        Assert.Equal(3, Enumerable.Range(0, 3).Select(_ => pool.TryRent()).Distinct().Count(s => s is not null));
        Assert.Null(pool.TryRent());
    }

    [Fact]
    public void Release_NoneMadeYet_LetsThemBeMade()
    {
        var pool = NewPool(2);
        pool.TryHold(Until.Deadline, CancellationToken.None);
        pool.Release();

        Assert.NotNull(pool.TryRent());
    }

    [Fact]
    public async Task Release_ManyWait_ServesAllOfThem()
    {
        var pool = NewPool(3);
        RentAndReturn(pool, 3);
        pool.TryHold(Until.Deadline, CancellationToken.None);
        int served = 0;
        var threads = Enumerable.Range(0, 20).Select(_ => Crew.Start(() => Serve(pool.Rent()))).ToList();
        var tasks = Enumerable.Range(0, 50).Select(async _ => Serve(await pool.RentAsync(CancellationToken.None))).ToList();
        Until.True(() => threads.All(t => (t.ThreadState & ThreadState.WaitSleepJoin) != 0), "the renters wait");
        Assert.True(pool.IsWaitedFor);
        Assert.Equal(0, served);
        pool.Release();

        Assert.All(threads, t => Assert.True(t.Join(Until.Deadline)));
        await Task.WhenAll(tasks).WaitAsync(Until.Deadline);
        Assert.Equal(70, served);
        Assert.False(pool.IsWaitedFor);

        void Serve(FakeSession session)
        {
            Assert.True(session.TryOwn(), "two owners of one session");
            Interlocked.Increment(ref served);
            session.Disown();
            pool.Return(session);
        }
    }

    /// <summary>Who is waited for makes a checkpoint void that was just written.</summary>
    [Fact]
    public void Rent_InterruptedWhileHeld_IsNotWaitedForAnyMore()
    {
        var pool = NewPool(1);
        RentAndReturn(pool, 1);
        pool.TryHold(Until.Deadline, CancellationToken.None);
        bool isInterrupted = false;
        var thread = Crew.Start(() =>
        {
            try
            {
                pool.Rent();
            }
            catch (ThreadInterruptedException)
            {
                isInterrupted = true;
            }
        });
        Until.True(() => pool.IsWaitedFor && (thread.ThreadState & ThreadState.WaitSleepJoin) != 0, "the renter waits");

        thread.Interrupt();

        Assert.True(thread.Join(Until.Deadline));
        Assert.True(isInterrupted);
        Assert.False(pool.IsWaitedFor);
    }

    [Fact]
    public async Task RentAsync_CancelledWhileHeld_Throws()
    {
        var pool = NewPool(1);
        pool.TryHold(Until.Deadline, CancellationToken.None);
        using var cancel = new CancellationTokenSource();
        var waiter = pool.RentAsync(cancel.Token).AsTask();
        await cancel.CancelAsync();

        await Assert.ThrowsAnyAsync<OperationCanceledException>(() => waiter.WaitAsync(Until.Deadline));
        Assert.False(pool.IsWaitedFor);
    }

    [Fact]
    public void Wanted_NotHeld_IsNotCalled()
    {
        int calls = 0;
        var pool = NewPool(1);
        pool.Wanted = () => calls++;
        var only = pool.Rent();
        Assert.Null(pool.TryRent());
        pool.Return(only);

        Assert.Equal(0, calls);
    }

    [Fact]
    public void Wanted_Releases_RenterNeedNotWait()
    {
        var pool = NewPool(2);
        RentAndReturn(pool, 2);
        pool.Wanted = pool.Release;
        pool.TryHold(Until.Deadline, CancellationToken.None);

        Assert.NotNull(pool.TryRent());
    }

    [Fact]
    public void Drain_WhileHeld_DisposesAllAndSendsWaitersAway()
    {
        var created = new List<FakeSession>();
        var pool = NewPool(3, created: created);
        RentAndReturn(pool, 3);
        pool.TryHold(Until.Deadline, CancellationToken.None);
        Exception? seen = null;
        var waiter = Crew.Start(() => seen = Record.Exception(() => pool.Rent()));
        Until.True(() => (waiter.ThreadState & ThreadState.WaitSleepJoin) != 0, "the renter waits");
        Assert.True(pool.Drain(Until.Deadline));

        Assert.True(waiter.Join(Until.Deadline));
        Assert.IsType<ObjectDisposedException>(seen);
        Assert.Equal(3, created.Count(s => s.IsDisposed));
    }

    [Fact]
    public void SumCounters_WhileHeld_CountsAll()
    {
        var pool = NewPool(2);
        var session = pool.Rent();
        session.Counters.Writes = 5;
        pool.Return(session);
        pool.TryHold(Until.Deadline, CancellationToken.None);

        Assert.Equal(5, pool.SumCounters().Writes);
    }

    /// <summary>Whatever renters do, nobody has a session between holding and releasing, and afterwards none is lost.</summary>
    [Fact]
    public void TryHold_AgainAndAgainDuringTraffic_NobodyHasASessionMeanwhile()
    {
        const int Capacity = 6;
        const int Holds = 200;
        var pool = NewPool(Capacity);
        int sessionsOut = 0;
        bool isOver = false;
        Crew.Run(9, me =>
        {
            if (me == 8)
            {
                for (int i = 0; i < Holds; i++)
                {
                    if (!pool.TryHold(Until.Deadline, CancellationToken.None)) Assert.Fail("the sessions do not come back");
                    Assert.Equal(0, Volatile.Read(ref sessionsOut));
                    if (i % 3 == 0) Thread.Yield();
                    Assert.Equal(0, Volatile.Read(ref sessionsOut));
                    pool.Release();
                    if (i % 5 == 0) Thread.Yield();
                }

                Volatile.Write(ref isOver, true);
                return;
            }

            for (int i = 0; !Volatile.Read(ref isOver); i++)
            {
                using var cancel = new CancellationTokenSource();
                if (me % 4 == 3 && i % 2 == 0) cancel.Cancel();
                FakeSession? session = null;
                try
                {
                    session = (me % 4) switch
                    {
                        0 => pool.TryRent(),
                        1 => pool.Rent(),
                        _ => pool.RentAsync(cancel.Token).AsTask().GetAwaiter().GetResult(),
                    };
                }
                catch (OperationCanceledException)
                {
                    // It was to be.
                }

                if (session is null) continue;
                Interlocked.Increment(ref sessionsOut);
                Assert.True(session.TryOwn(), "two owners of one session");
                if (i % 7 == 0) Thread.Yield();
                session.Disown();
                Interlocked.Decrement(ref sessionsOut);
                pool.Return(session);
            }
        });

        Assert.False(pool.IsWaitedFor);
        Assert.Equal(Capacity, Enumerable.Range(0, Capacity).Select(_ => pool.TryRent()).Distinct().Count(s => s is not null));
    }

    /// <summary>As the cache does it: whoever wants a session ends the rest himself; in the end somebody drains.</summary>
    [Fact]
    public void Wanted_ManyAtOnceWhileOthersHoldAndDrain_NoneHangs()
    {
        for (int round = 0; round < 40; round++)
        {
            var resting = new Lock();
            bool isResting = false;
            var pool = NewPool(4);
            pool.Wanted = () =>
            {
                lock (resting)
                {
                    if (!isResting) return;
                    isResting = false;
                    pool.Release();
                }
            };
            int rests = 0;
            Crew.Run(8, me =>
            {
                if (me == 7)
                {
                    for (int i = 0; i < 50; i++)
                    {
                        lock (resting)
                        {
                            if (isResting) continue;
                        }

                        if (!pool.TryHold(Until.Deadline, CancellationToken.None)) Assert.Fail("the sessions do not come back");
                        lock (resting) isResting = true;
                        rests++;
                        if (pool.IsWaitedFor) pool.Wanted!();
                    }

                    lock (resting) isResting = false;
                    Assert.True(pool.Drain(Until.Deadline), "the sessions do not come back");
                    return;
                }

                try
                {
                    while (true)
                    {
                        var session = me % 2 == 0 ? pool.Rent() : pool.RentAsync(CancellationToken.None).AsTask().GetAwaiter().GetResult();
                        Assert.False(session.IsDisposed, "a disposed session was rented");
                        pool.Return(session);
                    }
                }
                catch (ObjectDisposedException)
                {
                    // Drained.
                }
            });
            Assert.InRange(rests, 1, 50);
        }
    }

    private static SessionPool<FakeSession> NewPool(int capacity, Action? creating = null, List<FakeSession>? created = null) => new(
        capacity,
        () =>
        {
            creating?.Invoke();
            var session = new FakeSession();
            created?.Add(session);
            return session;
        },
        "the cache");

    private static void RentAndReturn(SessionPool<FakeSession> pool, int sessions)
    {
        var rented = Enumerable.Range(0, sessions).Select(_ => pool.Rent()).ToList();
        rented.ForEach(pool.Return);
    }

    private static bool GiveBack(SessionPool<FakeSession> pool, FakeSession session)
    {
        pool.Return(session);
        return false;
    }
}
