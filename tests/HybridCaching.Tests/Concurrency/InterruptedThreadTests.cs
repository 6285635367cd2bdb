using System.Collections.Concurrent;
using HybridCaching.Store;
using HybridCaching.Tests.Distributed;
using HybridCaching.Tests.Support;

namespace HybridCaching.Tests.Concurrency;

/// <summary>A thread that is interrupted where it has to wait costs nothing but itself.</summary>
public sealed class InterruptedThreadTests : IDisposable
{
    private const long Cold = 3_000;

    private static readonly TimeSpan Moment = TimeSpan.FromMilliseconds(200);

    private readonly TestDirectory _directory = new();

    [Fact]
    public void Clear_AtTheMarkers_LeavesNoRowLocked()
    {
        using var cache = BytesCache.Open(_directory.Path);
        cache.Set("a", [1], BytesCache.ForEver);

        Interrupt(PrivateField.Of<Lock>(PrivateField.Of<object>(cache.Tiers, "_pinned"), "_changing"), cache.Clear);

        Crew.MustEnd("Set", () => cache.Set("b", [2], BytesCache.ForEver));
        Assert.Null(cache.Get("a"));
    }

    /// <summary>The last row is at work: all others are locked when the thread is to be interrupted.</summary>
    [Fact]
    public void Clear_WhereARowIsAtWork_LeavesNoRowLocked()
    {
        using var cache = StampCache.Open(_directory.Path);
        cache.Set(1, Stamp.Of(1, 1));

        InterruptAtRow(cache, hash: ulong.MaxValue, cache.Clear);

        Crew.MustEnd("Set", () => cache.Set(2, Stamp.Of(2, 1)));
        Assert.False(cache.TryGet(1, out _));
    }

    [Fact]
    public void Set_WhereItsRowIsAtWork_SessionIsThere()
    {
        using var cache = StampCache.Open(_directory.Path);
        const long Key = 1;

        InterruptAtRow(cache, PrivateField.Of<KeyHasher>(cache.Tiers, "_hasher").Hash(Key), () => cache.Set(Key, Stamp.Of(Key, 1)));

        AssertAllSessionsAreThere(cache);
    }

    [Fact]
    public void Checkpoint_WhileItWaitsForSessions_LetsThemOutAgain()
    {
        using var cache = StampCache.Open(_directory.Path);
        cache.Set(1, Stamp.Of(1, 1));
        var sessions = cache.Tiers.Sessions;
        var session = sessions.Rent();
        var holding = Crew.Start(() =>
        {
            Thread.CurrentThread.Interrupt();
            Record.Exception(() => sessions.TryHold(Until.Deadline, CancellationToken.None));
        });
        Assert.True(holding.Join(Until.Deadline));
        sessions.Return(session);

        Crew.MustEnd("Set", () => cache.Set(2, Stamp.Of(2, 1)));
        AssertAllSessionsAreThere(cache);
    }

    [Fact]
    public async Task GetOrAdd_WhereTheValueIsStored_OthersHaveTheValue()
    {
        using var cache = StampCache.Open(_directory.Path);
        const long Key = 1;
        using var isMaking = new ManualResetEventSlim();
        using var mayEnd = new ManualResetEventSlim();
        var pilot = Crew.Start(() => Record.Exception(() => cache.GetOrAdd(Key, _ =>
        {
            isMaking.Set();
            mayEnd.Wait(Until.Deadline);
            Assert.True(cache.Tiers.Sessions.TryHold(Until.Deadline, CancellationToken.None));
            Thread.CurrentThread.Interrupt();
            return Stamp.Of(Key, 1);
        })));
        Assert.True(isMaking.Wait(Until.Deadline));
        var passenger = cache.GetOrAddAsync(Key, static (_, _) => ValueTask.FromResult(default(Stamp))).AsTask();

        mayEnd.Set();
        Assert.True(pilot.Join(Until.Deadline));
        cache.Tiers.Sessions.Release();

        Assert.Equal(Stamp.Of(Key, 1), await passenger.WaitAsync(Until.Deadline));
    }

    [Fact]
    public void Set_WhileItsSessionIsMade_SessionIsThere()
    {
        using var cache = StampCache.Open(_directory.Path);

        Interrupt(PrivateField.Of<Lock>(cache.Tiers, "_balancing"), () => cache.Set(1, Stamp.Of(1, 1)));

        AssertAllSessionsAreThere(cache);
    }

    [Fact]
    public void TryGet_WhileItsReaderIsMade_ReaderIsThere()
    {
        using var cache = ColdCache.Open(_directory.Path, Until.Deadline);
        var free = ForgetReaders(cache);
        int all = free.CurrentCount;
        cache.Tiers.Device!.Fault = static _ => false; // past the page cache

        Interrupt(PrivateField.Of<Lock>(cache.Tiers, "_balancing"), () => cache.TryGet(Cold, out _));

        Assert.Equal(all, free.CurrentCount);
    }

    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public void Get_WhileItAsksTheDisk_ReaderComesBack(bool isAsync)
    {
        using var cache = ColdCache.Open(_directory.Path, Until.Deadline);
        cache.Tiers.Device!.Fault = static _ => false; // past the page cache
        cache.TryGet(Cold + 1, out _); // there is a reader
        var free = PrivateField.Of<SemaphoreSlim>(PrivateField.Of<object>(cache.Tiers, "_readers"), "_free");
        int all = free.CurrentCount;
        object queue = PrivateField.Of<object>(PrivateField.Of<object>(cache.Tiers.Device, "_readers"), "_queue");

        Interrupt(
            () => Monitor.Enter(queue),
            () => Monitor.Exit(queue),
            () =>
            {
                if (isAsync) cache.GetAsync(Cold).AsTask().GetAwaiter().GetResult();
                else cache.TryGet(Cold, out _);
            });

        Until.True(() => free.CurrentCount == all, "the reader comes back");
    }

    [Fact]
    public void Dispose_WhileItWaits_FolderIsFreeSoon()
    {
        var cache = StampCache.Open(_directory.Path, change: o => o.WhenDirectoryUnavailable = DirectoryUnavailable.Throw);
        cache.Set(1, Stamp.Of(1, 1));
        var disposing = Crew.Start(() =>
        {
            Thread.CurrentThread.Interrupt();
            Record.Exception(cache.Dispose);
        });
        Assert.True(disposing.Join(Until.Deadline));
        cache.Dispose(); // once more, by somebody who is not

        Until.True(() => Record.Exception(() => StampCache.Open(_directory.Path, change: o => o.WhenDirectoryUnavailable = DirectoryUnavailable.Throw).Dispose()) is null, "the folder is free");
    }

    public void Dispose() => _directory.Dispose();

    /// <summary>As if nobody had read the disk yet.</summary>
    /// <returns>How many readers there may be.</returns>
    private static SemaphoreSlim ForgetReaders(FasterCache<long, Stamp> cache)
    {
        object readers = PrivateField.Of<object>(cache.Tiers, "_readers");
        PrivateField.Of<ConcurrentStack<EntryReader<long, Stamp>>>(readers, "_idle").Clear();
        PrivateField.Of<List<EntryReader<long, Stamp>>>(readers, "_all").Clear();
        return PrivateField.Of<SemaphoreSlim>(readers, "_free");
    }

    private static void Interrupt(Lock held, Action call) => Interrupt(held.Enter, held.Exit, call);

    private static void AssertAllSessionsAreThere(FasterCache<long, Stamp> cache)
    {
        Assert.True(cache.Tiers.Sessions.TryHold(Until.Deadline, TestContext.Current.CancellationToken));
        cache.Tiers.Sessions.Release();
    }

    /// <summary>Interrupts the thread of a call before it comes to a row that is locked.</summary>
    private static void InterruptAtRow(FasterCache<long, Stamp> cache, ulong hash, Action call) => RowAtWork.Meet(
        cache.Tiers,
        hash,
        () =>
        {
            Thread.CurrentThread.Interrupt();
            Record.Exception(call);
        });

    /// <summary>Interrupts the thread of a call where it waits for a lock.</summary>
    private static void Interrupt(Action enter, Action exit, Action call)
    {
        enter();
        var thread = Crew.Start(() => Record.Exception(call));
        try
        {
            Until.True(() => (thread.ThreadState & ThreadState.WaitSleepJoin) != 0 || !thread.IsAlive, "it waits");
            Assert.True(thread.IsAlive);
            thread.Interrupt();
            thread.Join(Moment); // it may go on waiting, and say so later
        }
        finally
        {
            exit();
        }

        Assert.True(thread.Join(Until.Deadline));
    }
}
