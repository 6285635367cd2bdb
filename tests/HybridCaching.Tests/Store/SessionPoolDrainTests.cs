using HybridCaching.Store;
using HybridCaching.Tests.Concurrency;
using HybridCaching.Tests.Support;

namespace HybridCaching.Tests.Store;

public sealed class SessionPoolDrainTests
{
    private const string Owner = "the cache";

    [Fact]
    public void Drain_AllBack_DisposesEverySession()
    {
        List<FakeSession> created = [];
        var pool = NewPool(5, created);
        var rented = Enumerable.Range(0, 5).Select(_ => pool.Rent()).ToList();
        rented.ForEach(pool.Return);
        Assert.True(pool.Drain(Until.Deadline));
        Assert.All(created, session => Assert.True(session.IsDisposed));
    }

    [Fact]
    public void Drain_SessionOut_WaitsForIt()
    {
        var pool = NewPool(2);
        var session = pool.Rent();
        bool? drained = null;
        var drainer = Crew.Start(() => drained = pool.Drain(Until.Deadline));
        Until.True(() => Throws(pool), "draining has begun");
        Assert.Null(drained);
        pool.Return(session);
        Assert.True(drainer.Join(Until.Deadline));
        Assert.True(drained);
    }

    [Fact]
    public void Drain_SessionOut_DoesNotDisposeIt()
    {
        var pool = NewPool(1);
        var session = (FakeSession)pool.Rent();
        pool.Drain(TimeSpan.FromMilliseconds(1));
        Assert.False(session.IsDisposed);
    }

    [Fact]
    public void Drain_SessionNotReturnedInTime_IsFalse()
    {
        var pool = NewPool(2);
        pool.Rent();
        Assert.False(pool.Drain(TimeSpan.FromMilliseconds(20)));
    }

    [Fact]
    public void Rent_AfterDrain_Throws()
    {
        var pool = NewPool(2);
        pool.Return(pool.Rent());
        pool.Drain(Until.Deadline);
        Assert.Equal(Owner, Assert.Throws<ObjectDisposedException>(() => pool.Rent()).ObjectName);
    }

    [Fact]
    public void TryRent_AfterDrain_Throws()
    {
        var pool = NewPool(2);
        pool.Drain(Until.Deadline);
        Assert.Throws<ObjectDisposedException>(() => pool.TryRent());
    }

    [Fact]
    public async Task RentAsync_AfterDrain_Throws()
    {
        var pool = NewPool(2);
        pool.Drain(Until.Deadline);
        await Assert.ThrowsAsync<ObjectDisposedException>(async () => await pool.RentAsync(CancellationToken.None));
    }

    [Fact]
    public void Rent_WaitingWhenDrained_Throws()
    {
        var pool = NewPool(1);
        var session = pool.Rent();
        Exception? seen = null;
        var waiter = Crew.Start(() => seen = Record.Exception(() => pool.Rent()));
        Until.True(() => (waiter.ThreadState & ThreadState.WaitSleepJoin) != 0, "the renter waits");
        var drainer = Crew.Start(() => pool.Drain(Until.Deadline));
        Assert.True(waiter.Join(Until.Deadline), "the waiting renter is woken");
        Assert.IsType<ObjectDisposedException>(seen);
        pool.Return(session);
        Assert.True(drainer.Join(Until.Deadline));
    }

    [Fact]
    public async Task RentAsync_WaitingWhenDrained_Throws()
    {
        var pool = NewPool(1);
        var session = pool.Rent();
        var waiters = Enumerable.Range(0, 10).Select(_ => pool.RentAsync(CancellationToken.None).AsTask()).ToList();
        var drainer = Crew.Start(() => pool.Drain(Until.Deadline));
        foreach (var waiter in waiters) await Assert.ThrowsAsync<ObjectDisposedException>(() => waiter.WaitAsync(Until.Deadline));
        pool.Return(session);
        Assert.True(drainer.Join(Until.Deadline));
    }

    [Fact]
    public void Rent_SessionReturnedAfterDrainGaveUp_StillThrows()
    {
        var pool = NewPool(1);
        var session = pool.Rent();
        Assert.False(pool.Drain(TimeSpan.FromMilliseconds(1)));
        pool.Return(session);
        Assert.Throws<ObjectDisposedException>(() => pool.Rent());
    }

    [Fact]
    public void Drain_DuringTraffic_EndsAndLeavesNoSessionAlive()
    {
        for (int round = 0; round < 30; round++)
        {
            List<FakeSession> created = [];
            var pool = NewPool(4, created);
            Crew.Run(9, me =>
            {
                if (me == 8)
                {
                    Thread.Yield();
                    Assert.True(pool.Drain(Until.Deadline));
                    return;
                }

                while (true)
                {
                    try
                    {
                        var session = me % 2 == 0 ? pool.Rent() : pool.RentAsync(CancellationToken.None).AsTask().GetAwaiter().GetResult();
                        Assert.False(session.IsDisposed, "a disposed session was rented");
                        pool.Return(session);
                    }
                    catch (ObjectDisposedException)
                    {
                        return;
                    }
                }
            });
            Assert.All(created, session => Assert.True(session.IsDisposed));
        }
    }

    private static SessionPool<FakeSession> NewPool(int capacity, List<FakeSession>? created = null) => new(
        capacity,
        () =>
        {
            var session = new FakeSession();
            created?.Add(session);
            return session;
        },
        Owner);

    private static bool Throws(SessionPool<FakeSession> pool)
    {
        try
        {
            if (pool.TryRent() is { } session) pool.Return(session);
            return false;
        }
        catch (ObjectDisposedException)
        {
            return true;
        }
    }
}
