using System.Collections.Concurrent;
using System.Numerics;
using System.Runtime.CompilerServices;

namespace HybridCaching.Store;

/// <summary>Sessions for many threads: a few slots per core, the first for the common case, never more than the capacity.</summary>
/// <remarks>
/// A slot only ever takes its own session back, so a return is a plain store. Where a thread was interrupted with a session in hand, others take the next of the same core, always in the same order:
/// taken in turn, or from another core, a session would be in the wrong core's cache each time.
/// Owning a session is also what keeps <see cref="Drain"/>, and with it Dispose, waiting: once drained, every slot is empty and renting throws.
/// <see cref="TryHold"/> likewise takes all sessions out, but keeps them: who wants one waits until <see cref="Release"/>.
/// </remarks>
internal sealed class SessionPool<TSession>
    where TSession : LogSession
{
    /// <summary>So many places lie between the slots of two cores, and before the first, where the array's length is: no two share a pair of cache lines.</summary>
    private const int Distance = 16;

    private readonly SessionSlot[] _slots;

    /// <summary>How many slots of each core are a session's home: the first ones.</summary>
    private readonly int[] _homes;

    private readonly int _slotsPerCore;
    private readonly int _strideShift;
    private readonly int _coreMask;
    private readonly int _capacity;
    private readonly Func<TSession> _create;
    private readonly SemaphoreSlim _returned = new(0);
    private readonly List<TSession> _all = [];
    private readonly string _owner;
    private int _coresWithout;
    private int _created;
    private int _waiting;
    private readonly List<TSession> _held = [];

    /// <summary>Sessions that came back after <see cref="Drain"/> had waited for them.</summary>
    private readonly ConcurrentQueue<TSession> _late = new();
    private int _drained;
    private volatile bool _isHeld;
    private volatile bool _closed;
    private volatile bool _gaveUp;

    /// <param name="capacity">How many sessions there may be.</param>
    /// <param name="create">Makes one.</param>
    /// <param name="owner">The name of what is disposed when the pool is drained.</param>
    /// <param name="mostCores">So many cores have slots of their own; 0 for all there are.</param>
    public SessionPool(int capacity, Func<TSession> create, string owner, int mostCores = 0)
    {
        int cores = CoresFor(capacity, mostCores == 0 ? Environment.ProcessorCount : mostCores);
        _slotsPerCore = (capacity + cores - 1) / cores;
        _strideShift = BitOperations.Log2(BitOperations.RoundUpToPowerOf2((uint)(_slotsPerCore + Distance)));
        _slots = new SessionSlot[(cores + 1) << _strideShift];
        _homes = new int[cores];
        _coresWithout = cores;
        _coreMask = cores - 1;
        _capacity = capacity;
        _create = create;
        _owner = owner;
    }

    /// <summary>Takes a session; waits while all are out.</summary>
    /// <exception cref="ObjectDisposedException">The pool was drained.</exception>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public TSession Rent()
    {
        ref var slot = ref _slots[FirstSlotOf(Core)].Session;
        return Unsafe.As<TSession?>(Interlocked.Exchange(ref slot, null)) ?? RentElsewhere();
    }

    /// <summary>Takes a session if one is there; null while all are out.</summary>
    /// <exception cref="ObjectDisposedException">The pool was drained.</exception>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public TSession? TryRent()
    {
        ref var slot = ref _slots[FirstSlotOf(Core)].Session;
        return Unsafe.As<TSession?>(Interlocked.Exchange(ref slot, null)) ?? TryRentElsewhere();
    }

    /// <summary>Takes a session without blocking a thread.</summary>
    /// <exception cref="ObjectDisposedException">The pool was drained.</exception>
    /// <exception cref="OperationCanceledException">The token was cancelled while waiting.</exception>
    public async ValueTask<TSession> RentAsync(CancellationToken cancellationToken)
    {
        while (true)
        {
            if (TryRentAsWaiter() is { } session) return session;
            try
            {
                await _returned.WaitAsync(cancellationToken).ConfigureAwait(false);
            }
            finally
            {
                Interlocked.Decrement(ref _waiting);
            }
        }
    }

    /// <summary>Gives a session back. Nothing may be pending on it.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public void Return(TSession session)
    {
        session.Redeem();
        Volatile.Write(ref _slots[session.Home].Session, session);
        if (Volatile.Read(ref _waiting) != 0) Wake();
    }

    /// <summary>The counts of all sessions, those in use included.</summary>
    public SessionCounters SumCounters()
    {
        SessionCounters sum = default;
        lock (_all)
        {
            foreach (var session in _all) sum += session.Counters;
        }

        return sum;
    }

    /// <summary>Called when somebody wants a session while all are held, perhaps by many at once, and before they wait.</summary>
    public Action? Wanted { get; set; }

    /// <summary>Called, with no lock held, when a session was made and nobody has it yet.</summary>
    public Action? Created { get; init; }

    /// <summary>Whether somebody waits for a session.</summary>
    public bool IsWaitedFor => Volatile.Read(ref _waiting) > 0;

    /// <summary>Waits until every session is back and keeps them all; false, and nothing held, if some were not back in time, or the token says so. Not for two callers at once, nor beside <see cref="Drain"/>.</summary>
    public bool TryHold(TimeSpan timeout, CancellationToken cancellationToken)
    {
        _isHeld = true; // none is created from here on
        bool areHeld = false;
        try
        {
            return areHeld = TryCollect(timeout, cancellationToken);
        }
        finally
        {
            if (!areHeld) Release();
        }
    }

    /// <summary>Gives all sessions back that <see cref="TryHold"/> took.</summary>
    public void Release()
    {
        _isHeld = false;
        foreach (var session in _held) Return(session);
        _held.Clear();
        Interlocked.MemoryBarrierProcessWide(); // as in TryRentAsWaiter
        int waiting = Volatile.Read(ref _waiting);
        if (waiting > 0) _returned.Release(waiting);
    }

    /// <summary>Waits until every session is back and disposes them all; false if some were not back in time: then it may be called again. Renting throws from now on.</summary>
    public bool Drain(TimeSpan timeout)
    {
        _closed = true;
        Wake();
        bool areAllBack = TryCollect(timeout, CancellationToken.None);
        foreach (var session in _held) session.Dispose();
        _drained += _held.Count;
        _held.Clear();
        if (areAllBack) Wake();
        else if (!_gaveUp) GiveUp();
        return areAllBack;
    }

    /// <summary>Takes sessions until none is missing among those that are held; false if some were not back in time, or the token says so.</summary>
    private bool TryCollect(TimeSpan timeout, CancellationToken cancellationToken)
    {
        int all;
        lock (_all) all = _created - _drained;
        long end = Environment.TickCount64 + (long)timeout.TotalMilliseconds;
        var backoff = new SpinWait();
        while (_held.Count < all)
        {
            if (TakeAny() is { } session || _late.TryDequeue(out session)) _held.Add(session);
            else if (Environment.TickCount64 >= end || cancellationToken.IsCancellationRequested) return false;
            else backoff.SpinOnce();
        }

        return true;
    }

    /// <summary>From now on whoever returns a session puts it aside: nobody may rent it.</summary>
    private void GiveUp()
    {
        _gaveUp = true;
        Interlocked.Increment(ref _waiting);
        Interlocked.MemoryBarrierProcessWide(); // as in TryRentAsWaiter
        Wake();
    }

    /// <summary>The core this thread is running on; others may share its slots.</summary>
    private int Core
    {
        [MethodImpl(MethodImplOptions.AggressiveInlining)]
        get => Thread.GetCurrentProcessorId() & _coreMask;
    }

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    private int FirstSlotOf(int core) => (core + 1) << _strideShift;

    /// <summary>A power of two, the cores but no more than the capacity.</summary>
    private static int CoresFor(int capacity, int most) => (int)Math.Min(BitOperations.RoundUpToPowerOf2((uint)most), 1u << BitOperations.Log2((uint)capacity));

    [MethodImpl(MethodImplOptions.NoInlining)]
    private TSession RentElsewhere()
    {
        while (true)
        {
            if (TryRentAsWaiter() is { } session) return session;
            try
            {
                _returned.Wait();
            }
            finally
            {
                Interlocked.Decrement(ref _waiting);
            }
        }
    }

    /// <summary>Counts the caller as waiting before it looks a last time; the count stays when nothing was found.</summary>
    private TSession? TryRentAsWaiter()
    {
        if (TryRentElsewhere() is { } found) return found;
        Interlocked.Increment(ref _waiting);

        // A return is a plain store followed by a plain load of _waiting. This makes every other core's store visible, or makes it see the count.
        Interlocked.MemoryBarrierProcessWide();
        TSession? late = null;
        bool mustWait = false;
        try
        {
            late = TryRentElsewhere();
            mustWait = late is null;
        }
        finally
        {
            if (!mustWait) Interlocked.Decrement(ref _waiting);
        }

        return late;
    }

    private TSession? TryRentElsewhere()
    {
        ThrowIfClosed();
        if (_isHeld)
        {
            Wanted?.Invoke();
            if (_isHeld) return null;
        }

        int here = Core;
        return TakeFrom(here) ?? Create(here) ?? TakeAny(here) ?? CreateAnywhere();
    }

    /// <summary>Makes a session whose home is a slot of this core; null if there may not be one more.</summary>
    private TSession? Create(int core)
    {
        if (Volatile.Read(ref _created) >= _capacity || Volatile.Read(ref _homes[core]) == _slotsPerCore) return null;
        var created = CreateLocked(core);
        if (created is null) return null;
        try
        {
            Created?.Invoke();
            return created;
        }
        catch
        {
            Return(created); // whoever is interrupted there does not have it
            throw;
        }
    }

    private TSession? CreateLocked(int core)
    {
        lock (_all)
        {
            ThrowIfClosed();
            if (_created >= _capacity || _homes[core] == _slotsPerCore || _isHeld) return null;
            if (_homes[core] > 0 && _created + _coresWithout >= _capacity) return null; // or a core that has none yet would look elsewhere for ever
            var created = _create();
            created.Home = FirstSlotOf(core) + _homes[core];
            if (_homes[core] == 0) _coresWithout--;
            Volatile.Write(ref _homes[core], _homes[core] + 1);
            _created++;
            _all.Add(created);
            return created;
        }
    }

    private TSession? CreateAnywhere()
    {
        for (int core = 0; core <= _coreMask; core++)
        {
            if (Create(core) is { } created) return created;
        }

        return null;
    }

    private void ThrowIfClosed()
    {
        if (_closed) throw new ObjectDisposedException(_owner);
    }

    /// <summary>Takes a session of any core, and of others than the first one the one they miss least.</summary>
    private TSession? TakeAny(int first = 0)
    {
        if (TakeFrom(first) is { } own) return own;
        for (int i = 1; i <= _coreMask; i++)
        {
            var slots = SlotsOf((first + i) & _coreMask);
            for (int slot = slots.Length - 1; slot >= 0; slot--)
            {
                if (TryTake(ref slots[slot]) is { } session) return session;
            }
        }

        return null;
    }

    /// <summary>Takes the first session of a core that is there.</summary>
    private TSession? TakeFrom(int core)
    {
        foreach (ref var slot in SlotsOf(core))
        {
            if (TryTake(ref slot) is { } session) return session;
        }

        return null;
    }

    private Span<SessionSlot> SlotsOf(int core) => _slots.AsSpan(FirstSlotOf(core), Volatile.Read(ref _homes[core]));

    private static TSession? TryTake(ref SessionSlot slot) => slot.Session is null ? null : Unsafe.As<TSession?>(Interlocked.Exchange(ref slot.Session, null));

    [MethodImpl(MethodImplOptions.NoInlining)]
    private void Wake()
    {
        int waiting = Volatile.Read(ref _waiting);
        while (_gaveUp && TakeAny() is { } late) _late.Enqueue(late);

        if (_closed) _returned.Release(waiting + 1);
        else if (_returned.CurrentCount < waiting) _returned.Release();
    }
}
